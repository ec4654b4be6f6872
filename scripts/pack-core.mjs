import { copyFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { buildCore } from './lib/build-core.mjs'
import { dependenciesAreCurrent } from './lib/dependencies.mjs'
import { Failure, main, root } from './lib/run.mjs'
import { findRuntime } from './lib/runtime.mjs'

/**
 * What `npm pack` and `npm publish` in packages/core do first and last: `dist` is built and the licence lies beside it
 * while it is packed. Nothing is installed on the way: the checkout has to be set up.
 */
await main(async () => {
  const licence = path.join(root, 'packages', 'core', 'LICENSE')
  if (process.argv.includes('--after')) {
    rmSync(licence, { force: true })
    return
  }
  const node = findRuntime()
  if (node === undefined || !dependenciesAreCurrent()) {
    throw new Failure(`@troupe/core is packed from a checkout that is set up: run "npm run setup" in ${root} first.`)
  }
  await buildCore(node)
  copyFileSync(path.join(root, 'LICENSE'), licence)
})
