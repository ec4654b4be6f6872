import { execFile } from 'node:child_process'
import { readlinkSync } from 'node:fs'
import { promisify } from 'node:util'
import { findProgram } from '@troupe/core'

/** The mount namespace that the process had before it got its own. */
const variable = 'TROUPE_LEFT_NAMESPACE'

/**
 * Restarts this process in its own mount namespace, so that `guardFolder` affects no other process. Does
 * nothing if that has happened, or cannot: team mode then refuses to start with the reason. `given` is not the
 * environment of this process if somebody else runs us in theirs, which must stay.
 */
export function enterOwnView(given: NodeJS.ProcessEnv): void {
  const unshare = process.platform === 'linux' ? findProgram('unshare', process.env) : undefined
  if (given !== process.env || unshare === undefined || given[variable] !== undefined || process.execve === undefined)
    return
  const env = { ...process.env, [variable]: mountNamespace() }
  // An ordinary user needs a user namespace for it, in which it stays the same user.
  const rights = process.getuid?.() === 0 ? [] : ['--user', '--map-current-user']
  const self = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  process.execve(unshare, ['unshare', ...rights, '--mount', '--propagation', 'slave', '--', ...self], env)
}

/** True if mounts of this process are its own. */
export function hasOwnView(env: NodeJS.ProcessEnv): boolean {
  const left = env[variable]
  return left !== undefined && left !== mountNamespace()
}

function mountNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/mnt')
  } catch {
    return ''
  }
}

/**
 * From now on the kernel refuses to follow symlinks in the folder for this process. A member can replace a file or
 * folder by a symlink at any moment, also between our check and our use. No check of ours could exclude that at every
 * place that opens a file.
 */
export async function guardFolder(folder: string): Promise<void> {
  const run = promisify(execFile)
  await run('mount', ['--bind', folder, folder], { env: {} })
  await run('mount', ['-o', 'remount,bind,nosymfollow', folder], { env: {} })
}
