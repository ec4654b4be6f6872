import { setup } from '../setup.mjs'
import { become } from './run.mjs'

/**
 * For scripts that load TypeScript: sets up, then starts the script again with the project's Node and its sources in
 * place of built packages. Returns in that second life only.
 */
export async function relaunch(needs = {}) {
  if (process.execArgv.includes('--conditions=troupe-source')) return
  const { node, env } = await setup({ web: false, ...needs })
  await become(node, ['--conditions=troupe-source', ...process.argv.slice(1)], { env })
}
