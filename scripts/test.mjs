import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { installWithApt, isRootOnDebian } from './lib/apt.mjs'
import { needsBubblewrap, provideBubblewrap } from './lib/bubblewrap.mjs'
import { chromiumPackage, findChromium, hasFastChromium, installChromium } from './lib/chromium.mjs'
import { dependenciesAreCurrent } from './lib/dependencies.mjs'
import { missingPackages, provideOptionalPrograms } from './lib/optional-programs.mjs'
import { main, say } from './lib/run.mjs'
import { vitest } from './lib/vitest.mjs'
import { setup } from './setup.mjs'

/** `npm test [-- <vitest arguments>]`. The last line shows how many tests passed, failed and were skipped. */
await main(async () => {
  const [{ node, env }] = await Promise.all([setup(), installEarly()])
  const args = process.argv.slice(2)
  await provideBubblewrap()
  await provideOptionalPrograms()
  const chromium = (await findChromium()) ?? (await installChromium(node))
  const runs = []
  if (chromium !== undefined) {
    runs.push(await vitest(node, { ...env, CHROMIUM_PATH: chromium }, args))
  } else {
    say('no Chromium: the browser tests are skipped. Install one, or set CHROMIUM_PATH, and run the tests again.')
    runs.push(await vitest(node, env, ['--project=!browser', ...args]))
    // Matches no name, so every test is listed and none runs.
    runs.push(await vitest(node, env, ['--project=browser', '--testNamePattern=$.^', '--passWithNoTests', ...args]))
  }
  const sum = (key) => runs.reduce((total, each) => total + each[key], 0)
  process.exitCode = sum('failed') > 0 || runs.some(({ code }) => code !== 0) ? 1 : 0
  console.log(`${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`)
})

/**
 * In a new container, apt and npm wait for the network at the same time. What this leaves missing is looked for again
 * after the set-up, with messages. If the headless shell cannot be installed, a full Chromium does.
 */
async function installEarly() {
  if (!isRootOnDebian() || dependenciesAreCurrent()) return
  const mayHaveOwn = existsSync(path.join(homedir(), '.cache', 'ms-playwright'))
  const missing = [
    ...(needsBubblewrap() ? ['bubblewrap'] : []),
    ...(mayHaveOwn || (await hasFastChromium()) ? [] : [chromiumPackage]),
    ...missingPackages(),
  ]
  if (missing.length === 0) return
  say(`installing ${missing.join(', ')} through apt`)
  await installWithApt(...missing).catch(() => undefined)
}
