import { buildCore } from './lib/build-core.mjs'
import { main, say } from './lib/run.mjs'
import { setup } from './setup.mjs'

/** `npm run build`: `packages/core/dist`, what a program that installs @troupe/core gets. The page is part of set-up. */
await main(async () => {
  const { node, env } = await setup()
  await buildCore(node, env)
  say('built packages/core/dist')
})
