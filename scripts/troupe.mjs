import path from 'node:path'
import { become, main, root } from './lib/run.mjs'
import { setup } from './setup.mjs'

/** `npm run troupe -- <args>`: the command line from the checkout, started where npm was. */
await main(async () => {
  const { node } = await setup()
  const flags = ['--conditions=troupe-source', '--disable-warning=ExperimentalWarning']
  const program = path.join(root, 'packages', 'cli', 'src', 'main.ts')
  const cwd = process.env.INIT_CWD ?? process.cwd()
  const env = {
    ...process.env,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? path.join(root, '.cache', 'compile'),
  }
  await become(node, [...flags, program, ...process.argv.slice(2)], { cwd, env })
})
