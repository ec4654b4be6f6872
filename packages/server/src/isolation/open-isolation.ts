import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, chownSync, mkdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import {
  checkedAddresses,
  isInside,
  type Isolation,
  isolatePeople,
  isTraversable,
  type People,
  personHome,
  type ProcessUser,
} from '@troupe/core'
import { NamedError } from '@troupe/protocol'
import type { CheckHost } from '../browser/guard-proxy.ts'
import { type MemberNumbers, openMemberNumbers } from './member-numbers.ts'
import { guardFolder, hasOwnView } from './own-view.ts'
import { createPersonNetworks } from './person-network.ts'
import { probePeople } from './probe-people.ts'
import { isJoinedPath } from '../util/joined-folder.ts'
import { acceptance, defaultIds, defaultLimits, type IsolationSettings } from '../config/team-settings.ts'

export { enterOwnView } from './own-view.ts'

/** Separates the members of a team on this node. */
export interface TeamIsolation {
  /** Prepares a folder for its members. Await it before `of`. Throws `FolderNotReachable`. */
  admit(workspace: string): Promise<void>
  /** The isolation of a person in a folder that was admitted. */
  of(personId: string, workspace: string): Isolation
  /**
   * The isolation of programs that serve an admitted folder, whoever asks: git, language servers, hooks. They see only
   * this folder. Throws `FolderNotShared` for a place outside of all admitted folders.
   */
  ofFolder(place: string): Isolation
  /** The isolation of programs that serve everybody, such as a printer. They see no folder. */
  service(): Isolation
  /** The user of the admitted folder around a file. */
  userOf(file: string): ProcessUser | undefined
  /** Describes how people are separated here, in one sentence. */
  readonly text: string
  close(): void
}

/** The isolation of a folder's own programs. */
export type FolderIsolation = (folder: string) => Isolation

export interface IsolationOptions {
  home: string
  env: NodeJS.ProcessEnv
  settings: IsolationSettings
  /** Decides which addresses commands may reach. Default: all that are public. */
  checkHost?: CheckHost
}

const publicHost: CheckHost = (host) => checkedAddresses(host, {})

/**
 * Opens the isolation of team mode. Throws `NoIsolation` with everything that is missing, unless an administrator has
 * accepted that. Then returns the available isolation, or undefined without a sandbox.
 */
export async function openIsolation(options: IsolationOptions): Promise<TeamIsolation | undefined> {
  const { home, env, settings } = options
  const folder = path.join(home, 'people')
  const launchFolder = path.join(home, 'launch')
  const isRoot = process.getuid?.() === 0
  rmSync(launchFolder, { recursive: true, force: true })
  for (const made of [folder, launchFolder]) mkdirSync(made, { recursive: true, mode: 0o700 })
  // Their users pass through these to what is theirs. Only root and what it lends can be read.
  if (isRoot) {
    mkdirSync(path.join(home, 'sessions'), { recursive: true })
    for (const passed of [home, folder, path.join(home, 'sessions')]) chmodSync(passed, 0o711)
  }
  // Members of a folder share new files in it.
  const umask = isRoot ? process.umask(0o002) : undefined
  const { runs, network, ...limits } = { ...defaultLimits, ...settings.limits }
  const people = await isolatePeople({ troupeHome: home, env, limits, runs, launchFolder, name: serverName(home) })
  const hasView = hasOwnView(env)
  if (hasView) await guardFolder(folder)
  const { file = path.join(home, 'people.json'), ...ids } = { ...defaultIds, ...settings.userIds }
  const numbers = openMemberNumbers(file, ids)
  // Only root can start a program in the namespace of another.
  const networks =
    isRoot && network === 'policy' ? createPersonNetworks(options.checkHost ?? publicHost, env) : undefined
  const isolation = people && createIsolation({ home, folder, people, numbers, networks, isRoot, hasView })
  const failures = isolation === undefined ? [noSandbox] : await probePeople(isolation, folder)
  const problems = [...failures, ...(people?.groups === undefined ? [noLimits] : []), ...(hasView ? [] : [noView])]
  const isAccepted = settings.allowUnsandboxed === acceptance
  if (problems.length === 0 || (isAccepted && failures.length === 0)) return isolation
  isolation?.close()
  if (umask !== undefined) process.umask(umask)
  if (isAccepted) return undefined
  throw new NamedError('NoIsolation', refusal(problems), { data: { problems } })
}

export const noSandbox =
  'commands cannot run in a sandbox: install bubblewrap and util-linux, and see "troupe doctor" for the reason'
export const noLimits =
  'nothing limits memory and processes: run as root with control groups, or delegate them to this user (Delegate=yes in the systemd unit)'
export const noView =
  'the server has no separate mount namespace, so symlinks could lead its file tools to the files of other members: start it with "troupe serve --team" as root, or allow user namespaces'

function refusal(problems: readonly string[]): string {
  return `Team mode does not start, because this machine cannot separate the members:\n${problems.map((one) => `- ${one}`).join('\n')}\nIf you trust all members with each other's data, set "team": {"allowUnsandboxed": "${acceptance}"} in config.json.`
}

function serverName(home: string): string {
  return `troupe-${createHash('sha256').update(home).digest('hex').slice(0, 12)}`
}

/** For tests: the same without a look at the machine. */
export function createIsolation(options: {
  home: string
  folder: string
  people: People
  numbers: MemberNumbers
  networks: ReturnType<typeof createPersonNetworks> | undefined
  isRoot: boolean
  hasView: boolean
}): TeamIsolation {
  const { home, folder, people, numbers, networks, isRoot, hasView } = options
  const known = new Map<string, Isolation>()
  const admitting = new Map<string, Promise<void>>()
  const admitted = new Set<string>()
  const around = (place: string): string | undefined =>
    [...admitted].filter((real) => isInside(place, real)).toSorted((a, b) => a.length - b.length)[0]
  const kinds = people.groups?.controllers.join(', ') ?? 'no limits'
  return {
    text: `${isRoot ? 'Each member has a user id' : 'All members share one user id'}, bubblewrap separates their programs (limits: ${kinds}).`,
    admit(workspace) {
      const real = realpathSync(workspace)
      const begun = admitting.get(real)
      if (begun !== undefined) return begun
      const done = admit(real).then(() => void admitted.add(real))
      admitting.set(real, done)
      // Let the next one try again.
      done.catch(() => admitting.delete(real))
      return done
    },
    // A folder on a member's computer has no files here.
    of: (personId, workspace) => isolated(personId, isJoinedPath(workspace) ? undefined : realpathSync(workspace)),
    ofFolder(place) {
      if (isJoinedPath(place)) return isolated(undefined, undefined)
      const folder = around(realpathSync(place))
      if (folder !== undefined) return isolated(undefined, folder)
      throw new NamedError('FolderNotShared', `${place} is outside of the folders that members share here.`, {
        status: 409,
      })
    },
    service: () => isolated(undefined, undefined),
    userOf(file) {
      const folder = around(file)
      return folder === undefined ? undefined : isolated(undefined, folder).user
    },
    close() {
      networks?.close()
      people.close()
    },
  }

  function isolated(personId: string | undefined, real: string | undefined): Isolation {
    const key = `${personId ?? ''}\0${real ?? ''}`
    const found = known.get(key)
    if (found !== undefined) return found
    // No person has the empty id.
    const gid = isRoot ? (real === undefined ? numbers.ofPerson('') : numbers.ofFolder(real)) : undefined
    const uid = isRoot && personId !== undefined ? numbers.ofPerson(personId) : gid
    const user = uid === undefined || gid === undefined ? undefined : { uid, gid, groups: [uid] }
    const own = path.join(folder, uid === undefined ? createName(personId ?? real ?? '') : String(uid))
    const temporary = path.join(own, 'tmp')
    mkdirSync(temporary, { recursive: true, mode: 0o700 })
    if (user !== undefined) {
      chmodSync(own, 0o711)
      chownSync(temporary, user.uid, user.uid)
      chmodSync(temporary, 0o700)
    }
    const files = accountFiles(own, user ?? { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 })
    const made = people.of({
      person: personId ?? `folder ${real ?? ''}`,
      user,
      folder: temporary,
      roots: real === undefined ? [] : [real],
      files,
      network: personId === undefined ? undefined : networks?.of(personId),
    })
    known.set(key, made)
    return made
  }

  async function admit(real: string): Promise<void> {
    if (isRoot) {
      refuseSystem(real, home)
      if (!isTraversable(path.dirname(real)))
        throw new NamedError(
          'FolderNotReachable',
          `Members have no access to ${real}, because a folder around it is closed to other users. Use a folder such as /srv/<name>.`,
          { status: 409 },
        )
    }
    // First, so that a symlink cannot redirect the next step.
    if (hasView) await guardFolder(real)
    const gid = isRoot ? numbers.ofFolder(real) : undefined
    if (gid !== undefined && statSync(real).gid !== gid) await share(real, gid)
  }
}

const systemFolders = '/bin /boot /dev /etc /lib /lib32 /lib64 /libx32 /proc /root /run /sbin /sys /usr'.split(' ')

/** Throws for folders whose new group would break the system or expose our home. */
function refuseSystem(real: string, home: string): void {
  if (isInside(real, home) && real !== home) return
  const isTop = path.dirname(path.dirname(real)) === path.dirname(real)
  if (!isTop && !isInside(home, real) && !systemFolders.some((one) => isInside(real, one))) return
  throw new NamedError(
    'FolderNotShareable',
    `${real} cannot be a folder of members, because it belongs to the system. Use a folder such as /srv/<name>: troupe serve --team --workspace /srv/<name>.`,
    { status: 409 },
  )
}

function createName(personId: string): string {
  return createHash('sha256').update(personId).digest('hex').slice(0, 24)
}

/**
 * Lets the members of a folder read and change everything in it, now and in the future. Files with other names elsewhere
 * stay as they are, since they are not only in this folder. All other users lose access.
 */
async function share(real: string, gid: number): Promise<void> {
  const run = promisify(execFile)
  const find = (...args: string[]) => run('find', [real, '-xdev', ...args], { env: {}, maxBuffer: 2 ** 24 })
  const change = (mode: string) => ['-exec', 'chgrp', '-h', String(gid), '{}', '+', '-exec', 'chmod', mode, '{}', '+']
  await find('-type', 'f', '-links', '1', ...change('g+rwX'))
  await find('-type', 'd', ...change('g+rwxs'))
  chmodSync(real, statSync(real).mode & 0o7770)
}

/** Programs look up the name of their user. */
function accountFiles(folder: string, { uid, gid }: { uid: number; gid: number }): Record<string, string> {
  const name = path.basename(personHome)
  const passwd = [
    'root:x:0:0:root:/root:/usr/sbin/nologin',
    `${name}:x:${uid}:${gid}:${name}:${personHome}:/bin/bash`,
    'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin',
  ]
  const group = ['root:x:0:', `${name}:x:${gid}:`, 'nogroup:x:65534:']
  return Object.fromEntries(
    Object.entries({ passwd, group }).map(([kind, lines]) => {
      const file = path.join(folder, `${kind}-${gid}`)
      writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o644 })
      chmodSync(file, 0o644)
      return [`/etc/${kind}`, file]
    }),
  )
}
