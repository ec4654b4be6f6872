import { type FSWatcher, lstatSync, mkdtempSync, openSync, rmSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Confined, ConfinedStart, Sandbox } from '../tool/isolation.ts'
import { FolderListings } from './folder-listings.ts'
import {
  type Mounts,
  type BubblewrapOptions,
  sandboxMounts,
  grantedMounts,
  holdsOne,
  withoutGranted,
  checkedRoot,
} from './mounts.ts'
import { PlaceholderFolders } from './placeholder-folders.ts'
import { ProtectedPathCache } from './protected-paths.ts'
import { systemCallFilter } from './system-call-filter.ts'

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
