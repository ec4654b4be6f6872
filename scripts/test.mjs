import { provideBubblewrap } from './lib/bubblewrap.mjs'
import { findChromium, installChromium } from './lib/chromium.mjs'
import { main, say } from './lib/run.mjs'
import { vitest } from './lib/vitest.mjs'
import { setup } from './setup.mjs'

/** `npm test [-- <vitest arguments>]`. The last line shows how many tests passed, failed and were skipped. */
await main(async () => {
  const { node, env } = await setup()
  const args = process.argv.slice(2)
  await provideBubblewrap()
  const chromium = (await findChromium()) ?? (await installChromium(node))
  const runs = []
  if (chromium !== undefined) {
    runs.push(await vitest(node, { ...env, CHROMIUM_PATH: chromium }, args))
  } else {
    say('no Chromium: the browser tests are skipped. Install one, or set CHROMIUM_PATH, and run the tests again.')
    runs.push(await vitest(node, env, ['--project=node', '--project=page', ...args]))
    // Matches no name, so every test is listed and none runs.
    runs.push(await vitest(node, env, ['--project=browser', '--testNamePattern=$.^', '--passWithNoTests', ...args]))
  }
  const sum = (key) => runs.reduce((total, each) => total + each[key], 0)
  process.exitCode = sum('failed') > 0 || runs.some(({ code }) => code !== 0) ? 1 : 0
  console.log(`${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`)
})
