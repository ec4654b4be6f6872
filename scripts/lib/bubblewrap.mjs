import { existsSync } from 'node:fs'
import path from 'node:path'
import { installWithApt, isRootOnDebian } from './apt.mjs'
import { say } from './run.mjs'

export function needsBubblewrap(env = process.env) {
  return process.platform === 'linux' && !isThere(env)
}

/** Installs bubblewrap for the sandbox tests if possible. Otherwise prints that they are skipped. */
export async function provideBubblewrap(env = process.env) {
  if (!needsBubblewrap(env)) return
  if (isRootOnDebian()) {
    say('no bubblewrap found; installing it through apt')
    const { code, output } = await installWithApt('bubblewrap').catch((error) => ({ code: 1, output: error.message }))
    if (isThere(env)) return
    say(`that did not work (exit code ${code}):\n${output.trim().split('\n').slice(-5).join('\n')}`)
  }
  say('no bubblewrap: the tests of the sandbox are skipped. Install it and run the tests again.')
}

function isThere(env) {
  const folders = ['/usr/bin', ...(env.PATH ?? '').split(path.delimiter)]
  return folders.some((folder) => existsSync(path.join(folder, 'bwrap')))
}
