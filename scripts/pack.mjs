import path from 'node:path'
import { buildPackages } from './lib/build-packages.mjs'
import { dependenciesAreCurrent } from './lib/dependencies.mjs'
import { Failure, main, root } from './lib/run.mjs'
import { findRuntime } from './lib/runtime.mjs'

/** Builds `dist` before `npm pack` and `npm publish` in a package. Installs nothing, so the checkout must be set up. */
await main(async () => {
  const name = path.basename(process.cwd())
  const node = findRuntime()
  if (node === undefined || !dependenciesAreCurrent())
    throw new Failure(`@troupe/${name} is packed from a checkout that is set up: run "npm run setup" in ${root} first.`)
  await buildPackages(node, [name])
})
