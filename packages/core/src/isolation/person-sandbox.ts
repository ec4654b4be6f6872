import { chmodSync, lchownSync, lstatSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { isInside } from '../files/resolve-path.ts'
import type { Bubblewrap, PersonStart, SandboxPerson } from '../sandbox/bubblewrap.ts'
import type { Confined, PersonNetwork, ProcessUser, ResourceLimits, Sandbox } from '../tool/isolation.ts'
import type { ControlGroups } from './control-groups.ts'
import { limitText, watchLimits } from './watch-limits.ts'

export interface PersonSandboxOptions {
  bubblewrap: Bubblewrap
  person: string
  user?: ProcessUser | undefined
  /** Path of `setpriv`, needed to become the user. */
  setpriv?: string | undefined
  limits: ResourceLimits
  /** Limits of all programs of the person together. */
  total: ResourceLimits
  network?: PersonNetwork | undefined
  /** Absent if nothing limits memory and processes here. */
  groups?: ControlGroups | undefined
  /** Home inside the sandbox, empty at each start. */
  home: string
  /** Folders that the person's programs may use. Grants elsewhere have no effect. */
  folders: readonly string[]
  /** The person's folder, for start-up files that only the server may read. */
  launchFolder: string
  files: Readonly<Record<string, string>>
  troupeHome: string
}

/** Starts every program as the person's user, in their control group, with their own home. */
export function createPersonSandbox(options: PersonSandboxOptions): Sandbox {
  const { bubblewrap, user, folders, troupeHome } = options
  const person: SandboxPerson = { files: options.files, begin: (start) => begin(options, start) }
  const isOwn = (place: string): boolean => folders.some((folder) => isInside(place, folder))
  return {
    name: 'bubblewrap',
    check(roots) {
      for (const root of roots) if (!isOwn(root)) throw new Error(`"${root}" is not one of your folders.`)
      bubblewrap.check?.(roots)
    },
    wrap(start) {
      this.check?.(start.roots)
      const readable = start.readable ?? []
      if (user !== undefined)
        for (const place of readable) if (isInside(place, troupeHome)) lend(place, troupeHome, user)
      // Everything that may be listed is visible: a listing is for folders outside.
      const grants = start.grants?.filter(({ how, path: place }) => how !== 'list' && isOwn(place))
      return bubblewrap.wrap({ ...start, ...(grants !== undefined && { grants }) }, person)
    },
  }
}

/** Joins the groups with the server's rights, then becomes the user. Members of a folder share new files. */
const script =
  'filter=$1 arguments=$2; shift 2; while [ "$1" != -- ]; do echo $$ > "$1/cgroup.procs" || exit 125; shift; done; shift; ulimit -c 0; ulimit -f "$0"; umask 002; exec "$@" 8< "$arguments" 9< "$filter"'

/** Exit code of a shell if a file exceeded the size limit. */
const fileTooLong = 128 + 25

let starts = 0

async function begin(options: PersonSandboxOptions, start: PersonStart): Promise<Confined> {
  const network = start.network === 'proxy' ? await options.network?.open() : undefined
  if (start.network === 'proxy' && network === undefined)
    throw new Error('Commands have no network on this server. Tell the user.')
  // Variables of the person must not reach a program that still has the server's rights, and could be secret.
  const env = { ...personEnvironment(options, start.env), ...network?.env }
  const settings = Object.entries(env).flatMap((pair) => ['--setenv', ...pair])
  const argumentsFile = path.join(options.launchFolder, String(++starts))
  writeFileSync(argumentsFile, [...start.args, ...settings].join('\0'), { mode: 0o600 })
  const filter = start.filterFile === undefined ? [] : ['--seccomp', '9']
  const argv = [start.program, ...filter, '--args', '8', '--', ...start.argv]
  const { TROUPE_TASK, TROUPE_CALL } = start.env
  const begun = launch(options, argv, start.writable, [start.filterFile ?? '/dev/null', argumentsFile], network?.enter)
  return {
    ...begun,
    env: {
      ...(TROUPE_TASK !== undefined && { TROUPE_TASK }),
      ...(TROUPE_CALL !== undefined && { TROUPE_CALL }),
    },
    release() {
      begun.release()
      rmSync(argumentsFile, { force: true })
    },
  }
}

/** Starts a program as the user and within the limits. */
function launch(
  { person, user, setpriv = 'setpriv', limits, total, groups }: PersonSandboxOptions,
  argv: readonly string[],
  writable: readonly string[],
  opened: readonly [filter: string, arguments: string],
  enter: readonly string[] = [],
): Confined {
  const group = groups?.open(person, limits, total)
  const watch = group && watchLimits({ group, limits, writable })
  const command = [...enter, ...(user === undefined ? [] : [setpriv, ...userArguments(user)]), ...argv]
  return {
    file: '/bin/sh',
    args: ['-c', script, String(limits.diskMb * 2048), ...opened, ...(group?.folders ?? []), '--', ...command],
    env: {},
    cwd: '/',
    holdsOutput: true,
    stopReason(exitCode) {
      watch?.end()
      return watch?.reason() ?? (exitCode === fileTooLong ? limitText('disk', limits) : undefined)
    },
    release() {
      watch?.end()
      group?.kill()
      group?.remove()
    },
  }
}

/** Starts a program that brings a sandbox of its own, such as a browser. It has the network and files of the machine. */
export function startUnconfined(options: PersonSandboxOptions, argv: readonly string[]): Confined {
  // It has many more threads than other programs.
  return launch({ ...options, limits: options.total }, argv, [], ['/dev/null', '/dev/null'])
}

function userArguments({ uid, gid, groups }: ProcessUser): string[] {
  return [`--reuid=${uid}`, `--regid=${gid}`, `--groups=${[gid, ...groups].join(',')}`, '--no-new-privs']
}

function personEnvironment(
  { home, user }: PersonSandboxOptions,
  env: Readonly<Record<string, string>>,
): Record<string, string> {
  const own: Record<string, string> = { ...env }
  // Keeps the home of programs that bring their own.
  if (env['HOME'] === process.env['HOME'] || env['HOME'] === undefined) own['HOME'] = home
  if (env['USER'] !== undefined) own['USER'] = path.basename(home)
  if (user === undefined) return own
  // Git refuses folders with files of other users, unless they are listed here.
  const count = Number(env['GIT_CONFIG_COUNT'] ?? 0)
  return {
    ...own,
    GIT_CONFIG_COUNT: String(count + 1),
    [`GIT_CONFIG_KEY_${count}`]: 'safe.directory',
    [`GIT_CONFIG_VALUE_${count}`]: '*',
  }
}

/**
 * Lets the user read a folder of the server that its programs see: results of its own chat, or skills of everyone. Users
 * cannot write there, so nothing in it is planted.
 */
function lend(place: string, troupeHome: string, user: ProcessUser): void {
  const [own = user.gid] = user.groups
  const isOfChat = isInside(place, path.join(troupeHome, 'sessions'))
  if (lstatSync(place, { throwIfNoEntry: false }) === undefined) return
  if (isOfChat) chmodSync(path.dirname(place), 0o711)
  open(place)

  function open(at: string): void {
    const found = lstatSync(at, { throwIfNoEntry: false })
    if (found === undefined || found.isSymbolicLink()) return
    if (isOfChat && found.gid !== own) lchownSync(at, found.uid, own)
    const rights = (found.isDirectory() ? 0o5 : 0o4) << (isOfChat ? 3 : 0)
    if ((found.mode & rights) !== rights) chmodSync(at, (found.mode & 0o7777) | rights)
    if (found.isDirectory()) for (const name of readdirSync(at)) open(path.join(at, name))
  }
}
