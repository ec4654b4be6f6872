import { rmSync } from 'node:fs'
import path from 'node:path'
import { Failure, main, root, run, say } from './lib/run.mjs'
import { setup } from './setup.mjs'

/** `npm run build`: `packages/core/dist`, what a program that installs @troupe/core gets. The page is part of set-up. */
await main(async () => {
  const { node, env } = await setup()
  const core = path.join(root, 'packages', 'core')
  rmSync(path.join(core, 'dist'), { recursive: true, force: true })
  const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const { code, output } = await run(node, [tsc, '-p', path.join(core, 'tsconfig.build.json')], { env })
  if (code !== 0) throw new Failure(`the library could not be built:\n${output}`)
  say('built packages/core/dist')
})
