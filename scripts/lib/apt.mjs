import { existsSync } from 'node:fs'
import { run } from './run.mjs'

export function isRootOnDebian() {
  return process.getuid?.() === 0 && existsSync('/etc/debian_version') && existsSync('/usr/bin/apt-get')
}

export async function installWithApt(...names) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const update = await run('apt-get', ['update', '-q'], { env, timeoutMs: 5 * 60_000 })
  if (update.code !== 0) return update
  return run('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...names], { env, timeoutMs: 15 * 60_000 })
}
