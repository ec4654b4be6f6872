import { lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { isInside } from '../files/resolve-path.ts'
import type { Grant } from '../access/decision.ts'
import type { ConfinedStart } from '../tool/isolation.ts'
import type { FolderListings } from './folder-listings.ts'
import { homeSecrets, type ProtectedPaths, repositoryOf, tokenFile } from './protected-paths.ts'

export type Mount =
  /** Same content as outside, or as `from` outside, read-only. */
  | { how: 'read'; from?: string }
  | { how: 'write'; from?: string }
  /** A new writable folder in memory. */
  | { how: 'memory'; megabytes: number }
  /** Neither readable nor writable. */
  | { how: 'hidden'; folder: boolean }
  | { how: 'link'; target: string }

/** Mounts of a sandbox. Paths outside of every mount do not exist inside. */
export class Mounts {
  private readonly byPath: Map<string, Mount>

  constructor(from?: Mounts) {
    this.byPath = new Map(from?.byPath)
  }

  set(where: string, mount: Mount): void {
    this.byPath.set(where, mount)
  }

  show(where: string): void {
    if (!this.isSeen(where)) this.set(where, { how: 'read' })
  }

  /** True if the outside content is visible inside. */
  isSeen(where: string): boolean {
    const mount = this.around(where)
    return (mount?.how === 'read' || mount?.how === 'write') && mount.from === undefined
  }

  /** True if the path is visible as is or as a listing. */
  isShown(where: string): boolean {
    const how = this.around(where)?.how
    return how === 'read' || how === 'write'
  }

  isWritable(where: string): boolean {
    const mount = this.around(where)
    return mount?.how === 'write' && mount.from === undefined
  }

  /** Drops readable mounts in a folder that is about to be mounted itself. */
  forgetIn(folder: string): void {
    for (const [where, { how }] of this.byPath)
      if (how === 'read' && where !== folder && isInside(where, folder)) this.byPath.delete(where)
  }

  private around(where: string): Mount | undefined {
    for (let folder = where; ; folder = path.dirname(folder)) {
      const mount = this.byPath.get(folder)
      if (mount !== undefined || folder === path.dirname(folder)) return mount
    }
  }

  isMade(where: string): boolean {
    return this.byPath.get(where)?.how === 'memory'
  }

  /** Folders come before their content. */
  list(): [path: string, mount: Mount][] {
    return [...this.byPath].toSorted(([a], [b]) => (a < b ? -1 : 1))
  }
}

interface SystemOptions {
  home: string
  troupeHome?: string | undefined
  PATH: string
  TMPDIR?: string | undefined
  execPath: string
}

const systemFolders = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/opt',
  '/nix',
  '/gnu/store',
  '/run/current-system',
  '/home/linuxbrew/.linuxbrew',
]

/** Files that programs read at startup. The rest of `/etc` (keys, passwords, mounts) stays hidden. */
const systemSettings =
  'alternatives crypto-policies fonts gitconfig group hosts java-8-openjdk java-11-openjdk java-17-openjdk java-21-openjdk ld.so.cache localtime maven/logging maven/m2.conf mime.types nsswitch.conf os-release passwd php pki/ca-trust pki/tls/certs ssl/certs ssl/openssl.cnf'.split(
    ' ',
  )

/** Usual folders of compilers, interpreters and their offline packages. They hold no credentials. */
const toolFolders =
  '.nvm .volta .fnm .asdf .pyenv .rbenv .rvm .rustup .bun/bin .deno/bin .cargo/bin .cargo/registry .cargo/git .ghcup/bin .sdkman/candidates .m2/repository .m2/wrapper .local/bin .local/lib .local/pipx .local/share/fnm .local/share/mise .local/share/pipx .local/share/pnpm .local/share/pypoetry .local/share/uv .npm-global .yarn/bin go/bin go/pkg miniconda3 miniforge3 anaconda3'.split(
    ' ',
  )

export function temporaryFolders(TMPDIR = '/tmp'): string[] {
  return [...new Set(['/tmp', ...(path.isAbsolute(TMPDIR) ? [path.resolve(TMPDIR)] : [])])]
}

const homeMegabytes = 256
const sharedMegabytes = 256
const temporaryMegabytes = 512

/**
 * Mounts of every sandbox: the machine's programs and an empty home. Computed once. `isReachable` leaves out folders that
 * the user of the sandbox cannot read.
 */
export function systemPlaces(options: SystemOptions, isReachable = (_place: string): boolean => true): Mounts {
  const { home } = options
  const mounts = new Mounts()
  for (const folder of systemFolders) {
    const target = linkTarget(folder)
    if (target !== undefined) mounts.set(folder, { how: 'link', target })
    else if (exists(folder) && isReachable(folder)) mounts.show(folder)
  }
  for (const name of systemSettings)
    if (isReachable(path.join('/etc', name))) showSetting(mounts, path.join('/etc', name))
  if (path.dirname(home) !== home) mounts.set(home, { how: 'memory', megabytes: homeMegabytes })
  for (const folder of temporaryFolders(options.TMPDIR))
    mounts.set(folder, { how: 'memory', megabytes: temporaryMegabytes })
  mounts.set('/var/tmp', { how: 'link', target: '../tmp' })
  mounts.set('/dev/shm', { how: 'memory', megabytes: sharedMegabytes })
  for (const folder of toolPlaces(options)) if (isReachable(folder)) mounts.show(folder)
  return mounts
}

export function toolPlaces(options: SystemOptions): string[] {
  const { home, PATH, execPath } = options
  const called = [path.dirname(execPath), ...PATH.split(path.delimiter)].filter(
    (folder) => path.isAbsolute(folder) && exists(folder),
  )
  const folders = [
    ...toolFolders.map((name) => path.join(home, name)),
    ...called.map((folder) => installation(folder, options)),
  ]
  // A symlink would have to be recreated in place. Programs are called by their target path instead.
  return folders.filter((folder) => exists(folder) && linkTarget(folder) === undefined)
}

/** Programs need more than their own folder, so show the parent of `bin`, unless it is someone's home. */
function installation(folder: string, { home, troupeHome = home }: SystemOptions): string {
  const real = realpathSync(folder)
  const around = path.dirname(real)
  const isTop = path.dirname(around) === around
  const isHome = [home, troupeHome].some((own) => isInside(own, around))
  // `~/.local` holds more than a program, `~/sdk/flutter` is one.
  const isPersonal = path.dirname(around) === home
  return path.basename(real) === 'bin' && !isTop && !isHome && !isPersonal ? around : real
}

/** Many settings are symlinks. If the target is not visible, mount its content at the link's path. */
function showSetting(mounts: Mounts, file: string): void {
  if (!exists(file)) return
  const target = linkTarget(file)
  if (target === undefined) mounts.show(file)
  else if (mounts.isSeen(path.resolve(path.dirname(file), target))) mounts.set(file, { how: 'link', target })
  else mounts.set(file, { how: 'read', from: realpathSync(file) })
}

function exists(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined
  } catch {
    // Owned by another user, so it cannot be read inside either.
    return false
  }
}

function linkTarget(file: string): string | undefined {
  return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(file) : undefined
}

export interface BubblewrapOptions {
  program: string
  supports(option: string): boolean
  places: Mounts
  home: string
  troupeHome?: string | undefined
  TMPDIR?: string | undefined
}

export function sandboxMounts(
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
export async function grantedMounts(
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

export function holdsOne(place: string, granted: readonly string[]): boolean {
  return granted.some((given) => isInside(given, place))
}

/**
 * Granted paths are no longer protected. A folder around one stays protected unless something new is to be created in
 * it.
 */
export function withoutGranted(
  { fixed, absent, ...places }: ProtectedPaths,
  changed: readonly string[],
): ProtectedPaths {
  const made = changed.filter((place) => kindOf(place) === undefined)
  return {
    ...places,
    fixed: fixed.filter((place) => !changed.includes(place) && !holdsOne(place, made)),
    absent: absent.filter((place) => !holdsOne(place, changed)),
  }
}

export function checkedRoot(root: string): string {
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
