import { buildPackages, published } from './lib/build-packages.mjs'
import { main, say } from './lib/run.mjs'
import { setup } from './setup.mjs'

/** `npm run build`: builds `dist` of every published package. Setup builds the page. */
await main(async () => {
  const { node, env } = await setup()
  await buildPackages(node, published, { env })
  say(`built ${published.map((name) => `packages/${name}/dist`).join(', ')}`)
})
