import path from 'node:path'
import { isProgram } from '@troupe/core'

export const chromiumNames = [
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

export const noChromium =
  'Chromium was not found. Install Chromium or Chrome, or set CHROMIUM_PATH or "browser": {"path": "…"} in config.json, then restart Troupe.'

/** Finds Chromium: configured path, `CHROMIUM_PATH`, PATH, then the usual locations. */
export function findChromium(env: NodeJS.ProcessEnv, configured?: string): string | undefined {
  const named = configured ?? env['CHROMIUM_PATH']
  // An explicit path that is missing has no fallback.
  if (named !== undefined && named !== '') return isProgram(named) ? named : undefined
  return findProgram(chromiumNames, env) ?? (process.platform === 'darwin' ? applications.find(isProgram) : undefined)
}

export function findProgram(names: string[], env: NodeJS.ProcessEnv): string | undefined {
  const folders = (env['PATH'] ?? '').split(path.delimiter).filter(Boolean)
  const endings = process.platform === 'win32' ? ['.exe', '.cmd'] : ['']
  const candidates = names.flatMap((name) =>
    folders.flatMap((folder) => endings.map((ending) => path.join(folder, name + ending))),
  )
  return candidates.find(isProgram)
}
