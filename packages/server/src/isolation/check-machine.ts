import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { promisify } from 'node:util'
import { findProgram, offeredControllers } from '@troupe/core'
import { noLimits, noSandbox, noView } from './open-isolation.ts'

export interface MachineIsolation {
  /** Describes how members are separated here, in one sentence. */
  text: string
  /** Missing parts. Team mode refuses to start with any. */
  problems: string[]
}

/** Tells how well this machine could separate members of a team. Changes nothing. */
export async function checkMachine(env: NodeJS.ProcessEnv, hasSandbox: boolean): Promise<MachineIsolation> {
  const isRoot = process.getuid?.() === 0
  const controllers = offeredControllers()
  const hasPrograms = hasSandbox && (!isRoot || findProgram('setpriv', env) !== undefined)
  const canGuard = await canGuardFolders(env, isRoot)
  const users = isRoot
    ? 'each member would get a user id'
    : 'members would share one user id (start as root to separate them by user ids, too)'
  const limits = controllers.length > 0 ? `limits by control groups: ${controllers.join(', ')}` : 'no limits'
  return {
    text: `${users}; ${limits}`,
    problems: [
      ...(process.platform === 'linux' && hasPrograms ? [] : [noSandbox]),
      ...(controllers.length > 0 ? [] : [noLimits]),
      ...(canGuard ? [] : [noView]),
    ],
  }
}

/** Tries the mount that `guardFolder` makes, in a namespace that ends at once. */
async function canGuardFolders(env: NodeJS.ProcessEnv, isRoot: boolean): Promise<boolean> {
  const unshare = findProgram('unshare', env)
  if (unshare === undefined) return false
  const folder = tmpdir()
  const rights = isRoot ? [] : ['--user', '--map-root-user']
  const script = 'mount --bind "$0" "$0" && mount -o remount,bind,nosymfollow "$0"'
  return promisify(execFile)(unshare, [...rights, '--mount', '--propagation', 'slave', 'sh', '-c', script, folder], {
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
    timeout: 10_000,
  }).then(
    () => true,
    () => false,
  )
}
