import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { installWithApt, isRootOnDebian } from './apt.mjs'
import { root, run, say } from './run.mjs'

// The headless shell opens pages several times faster than the full browser, which starts its own UI for each. The
// browser tests take a fifth less of the processor with it.
export const chromiumPackage = 'chromium-headless-shell'
const names = [
  chromiumPackage,
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'microsoft-edge',
]
const applications = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
]
const givenUp = path.join(root, '.cache', 'no-chromium')
const day = 24 * 60 * 60 * 1000

/**
 * Returns the first Chromium on this machine that starts: `CHROMIUM_PATH`, PATH, the usual folders, playwright's own.
 */
export async function findChromium(env = process.env) {
  const folders = (env.PATH ?? '').split(path.delimiter)
  const candidates = [
    ...(env.CHROMIUM_PATH ? [env.CHROMIUM_PATH] : []),
    ...names.flatMap((name) => folders.map((folder) => path.join(folder, name))),
    ...applications,
    ...playwrightChromium(),
  ]
  for (const candidate of candidates) {
    if (existsSync(candidate) && (await starts(candidate))) return candidate
  }
  return undefined
}

/** True if tests would use the headless shell, or the browser that the person named. */
export async function hasFastChromium(env = process.env) {
  const found = await findChromium(env)
  return found !== undefined && (found === env.CHROMIUM_PATH || path.basename(found) === chromiumPackage)
}

/**
 * Installs Chromium: through apt as root on Debian, else through playwright. Returns undefined, with a message, if
 * neither works.
 */
export async function installChromium(node) {
  const last = statSync(givenUp, { throwIfNoEntry: false })
  if (last !== undefined && Date.now() - last.mtimeMs < day) {
    say(`no Chromium, and installing one failed today already (delete ${givenUp} to try again)`)
    return undefined
  }
  const attempts = [
    ...(isRootOnDebian()
      ? [
          ['through apt', () => installWithApt(chromiumPackage)],
          ['through apt', () => installWithApt('chromium')],
        ]
      : []),
    ['through playwright', () => installWithPlaywright(node)],
  ]
  for (const [how, install] of attempts) {
    say(`no Chromium found; installing one ${how}`)
    const { code, output } = await install().catch((error) => ({ code: 1, output: error.message }))
    const found = await findChromium()
    if (found !== undefined) {
      rmSync(givenUp, { force: true })
      return found
    }
    const said = output.trim().split('\n').slice(-5).join('\n')
    say(`that did not work (exit code ${code}):\n${said}`)
  }
  writeFileSync(givenUp, '')
  return undefined
}

async function starts(file) {
  const { code } = await run(file, ['--version'], { timeoutMs: 20_000 }).catch(() => ({ code: 1 }))
  return code === 0
}

function playwrightChromium() {
  // Node remembers that a package is missing, and an install may be under way.
  if (!existsSync(path.join(root, 'node_modules', 'playwright-core', 'package.json'))) return []
  try {
    return [createRequire(path.join(root, 'package.json'))('playwright-core').chromium.executablePath()].filter(Boolean)
  } catch {
    return []
  }
}

function installWithPlaywright(node) {
  const command = path.join(root, 'node_modules', 'playwright-core', 'cli.js')
  const flags = process.getuid?.() === 0 ? ['--with-deps'] : []
  return run(node, [command, 'install', ...flags, 'chromium'], { timeoutMs: 15 * 60_000 })
}
