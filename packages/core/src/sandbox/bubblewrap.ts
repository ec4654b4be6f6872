import {
  type FSWatcher,
  lstatSync,
  mkdtempSync,
  openSync,
  realpathSync,
  rmSync,
  statSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Grant } from '../access/decision.ts'
import { isInside } from '../files/resolve-path.ts'
import type { Confined, ConfinedStart, Sandbox } from '../tool/isolation.ts'
import { FolderListings } from './folder-listings.ts'
import { type Mount, Mounts, temporaryFolders } from './mounts.ts'
import { PlaceholderFolders } from './placeholder-folders.ts'
import { homeSecrets, ProtectedPathCache, type ProtectedPaths, repositoryOf, tokenFile } from './protected-paths.ts'
import { systemCallFilter } from './system-call-filter.ts'

interface BubblewrapOptions {
  program: string
  supports(option: string): boolean
  places: Mounts
  home: string
  troupeHome?: string | undefined
  TMPDIR?: string | undefined
}

export interface Bubblewrap extends Sandbox {
  /** In team mode the program belongs to a person. */
  wrap(start: ConfinedStart, person?: SandboxPerson): Promise<Confined>
}

export interface SandboxPerson {
  /** Files that programs see in place of others, by path. */
  files: Readonly<Record<string, string>>
  begin(start: PersonStart): Promise<Confined>
}

export interface PersonStart {
  program: string
  /** Arguments of bubblewrap. They also set the environment inside, because the start itself has none. */
  args: readonly string[]
  argv: readonly string[]
  filterFile: string | undefined
  env: Readonly<Record<string, string>>
  /** Folders on disk that the program may write. */
  writable: readonly string[]
  network: ConfinedStart['network']
}

/**
 * Runs commands in new namespaces, without capabilities or a way to gain any, on a file system built from scratch.
 * `--die-with-parent` is not used: it would kill background processes of a command and leave no time after SIGTERM.
 * `--new-session` is not used: it would detach programs from their terminal. Everything stays in one process group.
 * SIGKILL to that group reaches the first process inside, and through it all others.
 */
export function createBubblewrap(options: BubblewrapOptions): Bubblewrap {
  const { program, supports } = options
  const holds = new PlaceholderFolders()
  const keptPlaces = new ProtectedPathCache()
  const filterFile = fileOf(systemCallFilter())
  const strictFile = fileOf(systemCallFilter(process.arch, { unix: false }))
  return {
    name: 'bubblewrap',
    check: (roots) => void roots.map(checkedRoot),
    async wrap(start, person) {
      const { roots, secrets = [], confinement } = start
      const listings = new FolderListings()
      const granted = await grantedMounts(start, options.places, listings)
      const writable = confinement === 'workspace' ? roots.map(checkedRoot) : []
      const entered = writable.map((root) => keptPlaces.enter(root, options.home, secrets))
      const changed = (start.grants ?? []).filter(({ how }) => how === 'write').map(({ path: place }) => place)
      for (const { absent } of entered) for (const place of absent) if (holdsOne(place, changed)) holds.letGo(place)
      const kept = entered.map((places) => withoutGranted(places, changed))
      const mounts = sandboxMounts(options, start, granted, kept, person?.files)
      const held = kept.flatMap(({ absent }) => absent.filter((place) => holds.hold(place)))
      for (const place of held) mounts.set(place, { how: 'read' })
      listings.prepare(mounts.list().map(([where]) => where))
      const stopRemoving = removeForbidden(kept.flatMap(({ forbidden }) => forbidden))
      const filter = granted.size > 0 ? strictFile : filterFile
      const place = [
        ...namespaceArguments(filterFile === undefined && supports('--disable-userns'), start.network !== undefined),
        ...mountArguments(mounts, supports),
        '--chdir',
        start.cwd,
      ]
      const release = (): void => {
        stopRemoving()
        listings.remove()
        for (const place of held) holds.release(place)
        for (const root of writable) keptPlaces.leave(root)
      }
      if (person !== undefined) {
        const { argv, env, temporary } = start
        const disk = temporary === undefined ? writable : [temporary, ...writable]
        const begun = await person.begin({
          program,
          args: place,
          argv,
          filterFile: filter,
          env,
          writable: disk,
          network: start.network,
        })
        return {
          ...begun,
          release: once(() => {
            begun.release()
            release()
          }),
        }
      }
      const { env, set } = splitEnvironment(start.env)
      return {
        ...filtered(program, [...place, ...set, '--', ...start.argv], filter),
        env,
        cwd: '/',
        holdsOutput: true,
        release: once(release),
      } satisfies Confined
    },
  }
}

/**
 * The filter must be passed as an open file descriptor. A shell opens it, because terminals start with only their own
 * files.
 */
function filtered(program: string, args: string[], filterFile: string | undefined): Pick<Confined, 'file' | 'args'> {
  if (filterFile === undefined) return { file: program, args }
  return { file: '/bin/sh', args: ['-c', 'exec "$@" 9< "$0"', filterFile, program, '--seccomp', '9', ...args] }
}

function namespaceArguments(disableNamespaces: boolean, sharesNetwork: boolean): string[] {
  return [
    '--unshare-user',
    '--unshare-pid',
    ...(sharesNetwork ? [] : ['--unshare-net']),
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    '--cap-drop',
    'ALL',
    // The filter does the same in less time.
    ...(disableNamespaces ? ['--disable-userns'] : []),
  ]
}

function sandboxMounts(
  { places, home, troupeHome, TMPDIR }: BubblewrapOptions,
  { confinement, roots, readable = [], fixed = [], secrets = [], temporary, gitConfig }: ConfinedStart,
  granted: ReadonlyMap<string, Mount>,
  kept: readonly ProtectedPaths[],
  files: Readonly<Record<string, string>> = {},
): Mounts {
  const mounts = new Mounts(places)
  const how: Mount['how'] & ('read' | 'write') = confinement === 'workspace' ? 'write' : 'read'
  if (temporary !== undefined)
    for (const folder of temporaryFolders(TMPDIR)) mounts.set(folder, { how: 'write', from: temporary })
  for (const [place, mount] of granted) grant(place, mount)
  // Some systems have a symlink there.
  if (mounts.isSeen('/var')) mounts.set('/var/tmp', { how: 'memory', megabytes: 1 })
  for (const root of roots) {
    // Programs inside it become visible with it, except in the home, where little else is safe to show.
    if (!isInside(home, root)) mounts.forgetIn(root)
    mounts.set(checkedRoot(root), { how })
  }
  for (const root of roots) {
    const repository = repositoryOf(root)
    if (repository === undefined) continue
    mounts.set(repository.common, { how })
    mounts.set(repository.folder, { how })
  }
  const shown = [...roots, ...granted.keys(), ...readable]
  const ownGit = path.join(home, '.gitconfig')
  // If the home is a workspace, add nothing to it that does not exist.
  if (gitConfig !== undefined && (mounts.isMade(home) || isFolder(ownGit) === false))
    mounts.set(ownGit, { how: 'read', from: gitConfig })
  for (const [file, from] of Object.entries(files)) mounts.set(file, { how: 'read', from })
  if (troupeHome !== undefined && mounts.isSeen(troupeHome)) hide(troupeHome)
  for (const place of readable) if (isFolder(place) !== undefined) mounts.show(place)
  for (const place of homeSecrets(home))
    if (shown.some((folder) => folder !== place && isInside(place, folder))) hide(place)
  for (const place of kept.flatMap(({ fixed }) => fixed)) if (mounts.isSeen(place)) mounts.set(place, { how: 'read' })
  for (const place of kept.flatMap(({ pinned }) => pinned))
    if (mounts.isWritable(place)) mounts.set(place, { how: 'write' })
  for (const place of fixed) if (mounts.isWritable(place)) mounts.set(place, { how: 'read' })
  for (const place of secrets) hide(place)
  // Paths granted by name are visible, even inside hidden folders.
  for (const [place, mount] of granted) grant(place, mount)
  // The token opens the person's own terminals, so no grant covers it.
  if (troupeHome !== undefined) hide(tokenFile(troupeHome))
  return mounts

  /** A path that is already visible needs no listing. */
  function grant(place: string, mount: Mount): void {
    if (mount.how === 'write' || !mounts.isSeen(place)) mounts.set(place, mount)
  }

  function hide(place: string): void {
    if (!mounts.isSeen(place)) return
    const folder = isFolder(place)
    if (folder === undefined) return
    // A mount cannot cover a symlink, only its target.
    const real = realpathSync(place)
    if (mounts.isSeen(real)) mounts.set(real, { how: 'hidden', folder })
  }
}

/**
 * Returns the mounts of granted paths. System folders are skipped, because they already exist inside in their own form.
 */
async function grantedMounts(
  { grants = [], confinement }: ConfinedStart,
  places: Mounts,
  listings: FolderListings,
): Promise<Map<string, Mount>> {
  const most = confinement === 'workspace' ? 'write' : 'read'
  const mounts = new Map<string, Mount>()
  for (const grant of grants) {
    // Shared memory is a separate file system with ordinary files.
    const isOfSystem = /^\/(proc|dev(?!\/shm\/))(\/|$)/.test(grant.path)
    const isThere = isOfSystem || (grant.how !== 'write' && places.isSeen(grant.path))
    const mount = isThere ? undefined : await mountOf(grant, most, listings)
    if (mount !== undefined) mounts.set(grant.path, mount)
  }
  return mounts
}

/** A socket is never mounted, only its name appears. */
async function mountOf(
  { how, path: place, tree, proven }: Grant,
  most: 'read' | 'write',
  listings: FolderListings,
): Promise<Mount | undefined> {
  const kind = kindOf(place)
  if (kind === undefined) return undefined
  if (how === 'list' && (proven !== true || kind === 'socket'))
    return { how: 'read', from: await listings.make(place, tree === true) }
  if (kind === 'socket') return undefined
  return { how: how === 'write' ? most : 'read' }
}

function holdsOne(place: string, granted: readonly string[]): boolean {
  return granted.some((given) => isInside(given, place))
}

/**
 * Granted paths are no longer protected. A folder around one stays protected unless something new is to be created in
 * it.
 */
function withoutGranted({ fixed, absent, ...places }: ProtectedPaths, changed: readonly string[]): ProtectedPaths {
  const made = changed.filter((place) => kindOf(place) === undefined)
  return {
    ...places,
    fixed: fixed.filter((place) => !changed.includes(place) && !holdsOne(place, made)),
    absent: absent.filter((place) => !holdsOne(place, changed)),
  }
}

function mountArguments(mounts: Mounts, supports: (option: string) => boolean): string[] {
  const args: string[] = []
  // As root, files in /proc could be used to take over the machine.
  const closed = ['/proc', '/dev', '/']
  const list = mounts.list()
  if (list[0]?.[0] !== '/') args.push('--proc', '/proc', '--dev', '/dev')
  for (const [place, mount] of list) {
    switch (mount.how) {
      case 'read':
        args.push('--ro-bind', mount.from ?? place, place)
        if (place === '/') args.push('--proc', '/proc', '--dev', '/dev')
        break
      case 'write':
        args.push('--bind', mount.from ?? place, place)
        break
      case 'link':
        // If the parent folder is mounted, the symlink is already there.
        if (!mounts.isShown(path.dirname(place))) args.push('--symlink', mount.target, place)
        break
      case 'memory':
        if (supports('--size')) args.push('--size', String(mount.megabytes << 20))
        args.push('--tmpfs', place)
        break
      case 'hidden':
        // Bind a device that cannot be opened, so readers get an error instead of an empty file.
        args.push(...(mount.folder ? ['--tmpfs', place] : ['--ro-bind', '/dev/null', place]))
        if (mount.folder) closed.unshift(place)
    }
  }
  for (const place of closed) args.push('--remount-ro', place)
  return args
}

/**
 * Variables read by the loader or the C library would affect bubblewrap itself, outside the sandbox. Have it set them
 * inside instead.
 */
const loaderVariables =
  /^(LD_|GLIBC_|MALLOC_|GCONV_PATH$|GETCONF_DIR$|LOCPATH$|NLSPATH$|RES_OPTIONS$|HOSTALIASES$|LOCALDOMAIN$|TZDIR$)/

function splitEnvironment(env: Readonly<Record<string, string>>): { env: Record<string, string>; set: string[] } {
  const given = Object.entries(env)
  const set = given.filter(([name]) => loaderVariables.test(name)).flatMap(([name, value]) => ['--setenv', name, value])
  return { env: Object.fromEntries(given.filter(([name]) => !loaderVariables.test(name))), set }
}

function checkedRoot(root: string): string {
  if (/^\/(proc|dev|sys)?$/.test(root))
    throw new Error(
      `The workspace is ${root}, which a sandbox cannot confine. Use another folder, or run outside the sandbox.`,
    )
  return root
}

function isFolder(place: string): boolean | undefined {
  const kind = kindOf(place)
  return kind === undefined ? undefined : kind === 'folder'
}

function kindOf(place: string): 'folder' | 'socket' | 'file' | undefined {
  try {
    const stats = statSync(place, { throwIfNoEntry: false })
    if (stats === undefined) return undefined
    return stats.isDirectory() ? 'folder' : stats.isSocket() ? 'socket' : 'file'
  } catch {
    // Programs inside cannot reach it either.
    return undefined
  }
}

function fileOf(filter: Buffer | undefined): string | undefined {
  return filter === undefined ? undefined : unlinkedFile(filter)
}

function once(work: () => void): () => void {
  let done = false
  return () => {
    if (done) return
    done = true
    work()
  }
}

/**
 * Creates a file that is unlinked before this returns. Returns a path under which our children can open it while this
 * process lives.
 */
function unlinkedFile(content: Buffer): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-file-'))
  try {
    const file = path.join(folder, 'file')
    writeFileSync(file, content, { mode: 0o600 })
    return `/proc/${process.pid}/fd/${openSync(file, 'r')}`
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Removes these files as soon as they appear. The returned function checks one last time and stops. */
function removeForbidden(places: readonly string[]): () => void {
  const folders = new Set(places.map((place) => path.dirname(place)))
  const watchers = [...folders].flatMap((folder) => watching(folder) ?? [])
  return () => {
    for (const watcher of watchers) watcher.close()
    removeAll()
  }

  function removeAll(): void {
    for (const place of places)
      if (lstatSync(place, { throwIfNoEntry: false }) !== undefined) rmSync(place, { recursive: true, force: true })
  }

  function watching(folder: string): FSWatcher | undefined {
    const names = places.filter((place) => path.dirname(place) === folder).map((place) => path.basename(place))
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        if (name !== null && names.includes(name)) removeAll()
      })
      // Without the watcher only the last check remains.
      watcher.on('error', () => watcher.close())
      return watcher
    } catch {
      return undefined
    }
  }
}
