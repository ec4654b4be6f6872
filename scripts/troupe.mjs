import path from 'node:path'
import { become, main, root } from './lib/run.mjs'
import { setup } from './setup.mjs'

/** `npm run troupe -- <args>`: runs the command line from the checkout, in the folder npm was started in. */
await main(async () => {
  const { node } = await setup()
  const flags = ['--conditions=troupe-source', '--disable-warning=ExperimentalWarning']
  const program = path.join(root, 'packages', 'cli', 'bin', 'start.mjs')
  const cwd = process.env.INIT_CWD ?? process.cwd()
  await become(node, [...flags, program, ...process.argv.slice(2)], { cwd })
})
