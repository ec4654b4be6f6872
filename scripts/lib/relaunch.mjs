import { setup } from '../setup.mjs'
import { become } from './run.mjs'

/**
 * For scripts that load TypeScript: runs setup, then restarts the script with the project's Node and with sources in
 * place of built packages. Returns only in the second process.
 */
export async function relaunch(needs = {}) {
  if (process.execArgv.includes('--conditions=troupe-source')) return
  const { node, env } = await setup({ web: false, ...needs })
  await become(node, ['--conditions=troupe-source', ...process.argv.slice(1)], { env })
}
