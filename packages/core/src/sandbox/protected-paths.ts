import { lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { guardedPlaces, strictPlaces } from '@troupe/command-policy'
import { isInside } from '../files/resolve-path.ts'
import { isPlaceholder } from './placeholder-folders.ts'

/** Paths that must not change in a writable folder, because changing them can run programs outside the sandbox. */
export interface ProtectedPaths {
  /** Existing paths, mounted read-only. */
  readonly fixed: readonly string[]
  /** Folders that contain a fixed path: writable, but not movable. */
  readonly pinned: readonly string[]
  /** Missing paths that must not be created. */
  readonly absent: readonly string[]
  /** Missing paths whose creation cannot be prevented. They are removed when they appear. */
  readonly forbidden: readonly string[]
}

/** Read by us, editors, agents or shells, which then run their content. They must not be created either. */
const startNames = ['.troupe', '.mcp.json', '.agents', '.claude', '.vscode', '.husky', '.envrc']

/** The same for a home folder. */
const homeNames =
  '.bashrc .bash_profile .bash_login .bash_logout .profile .zshrc .zshenv .zprofile .zlogin .zlogout .inputrc .gitconfig .pam_environment .xprofile .xsessionrc .config .local .cargo .ssh .gnupg bin'.split(
    ' ',
  )

/** Returns names in the folder for a sandbox that matches by name, whether or not they exist. */
export function protectedNames(root: string, home: string): string[] {
  const git = ['hooks', 'config', 'config.worktree', 'commondir', 'modules', 'worktrees'].map((name) => `.git/${name}`)
  return [...new Set([...allNames(root, home), ...git])]
}

function allNames(root: string, home: string): string[] {
  const known = [...strictPlaces, ...guardedPlaces].filter((name) => name !== '.git')
  return [...startNames, ...known, ...(root === home ? homeNames : [])]
}

function protectedPaths(root: string, home: string): ProtectedPaths {
  const places = { fixed: [] as string[], pinned: [] as string[], absent: [] as string[], forbidden: [] as string[] }
  const needed = new Set(root === home ? [...startNames, ...homeNames] : startNames)
  for (const name of new Set(allNames(root, home))) fix(path.join(root, name), needed.has(name))
  const git = path.join(root, '.git')
  const stats = lstatSync(git, { throwIfNoEntry: false })
  if (stats?.isDirectory() === true && !isPlaceholder(git)) fixRepository(git)
  else fix(git, true)
  const repository = repositoryOf(root)
  if (repository !== undefined) {
    fixRepository(repository.common)
    for (const name of ['gitdir', 'commondir']) fix(path.join(repository.folder, name), false)
    forbid(path.join(repository.folder, 'config.worktree'))
  }
  return places

  function fix(place: string, needed: boolean): void {
    const real = realProtectedPath(place)
    if (real !== undefined) places.fixed.push(real)
    else if (needed) places.absent.push(place)
  }

  /** Commits stay possible, but the programs git runs, and the settings that locate them, are fixed. */
  function fixRepository(folder: string): void {
    const config = path.join(folder, 'config')
    if (realProtectedPath(config) === undefined) return void places.fixed.push(folder)
    places.pinned.push(folder)
    places.fixed.push(config)
    fix(path.join(folder, 'hooks'), true)
    for (const name of ['modules', 'worktrees']) fix(path.join(folder, name), false)
    // Git would read its settings from the path named here.
    for (const name of ['commondir', 'config.worktree']) forbid(path.join(folder, name))
  }

  function forbid(place: string): void {
    const real = realProtectedPath(place)
    if (real === undefined) places.forbidden.push(place)
    else places.fixed.push(real)
  }
}

/**
 * Returns undefined if nothing is there, or only our placeholder. Symlinks are resolved, because only the target can be
 * protected.
 */
function realProtectedPath(place: string): string | undefined {
  const stats = lstatSync(place, { throwIfNoEntry: false })
  if (stats === undefined) return undefined
  if (stats.isDirectory()) return isPlaceholder(place) ? undefined : place
  if (!stats.isSymbolicLink()) return place
  try {
    return realpathSync(place)
  } catch {
    // A dangling symlink: a file created through it appears elsewhere.
    return place
  }
}

/**
 * Returns the repository of a worktree, whose `.git` is a file naming another folder. Accepted only if that folder
 * names this worktree in turn, which cannot be arranged from inside the worktree.
 */
export function repositoryOf(root: string): { folder: string; common: string } | undefined {
  const link = path.join(root, '.git')
  try {
    if (!lstatSync(link).isFile() || statSync(link).size > 4096) return undefined
    const named = /^gitdir: (.+)$/m.exec(readFileSync(link, 'utf8'))?.[1]
    if (named === undefined) return undefined
    const folder = realpathSync(path.resolve(root, named))
    const back = readFileSync(path.join(folder, 'gitdir'), 'utf8').trim()
    if (realpathSync(back) !== realpathSync(link)) return undefined
    const common = realpathSync(path.resolve(folder, readFileSync(path.join(folder, 'commondir'), 'utf8').trim()))
    return readdirSync(common).includes('objects') ? { folder, common } : undefined
  } catch {
    return undefined
  }
}

/** More folders would slow down startup. Deeper paths can be moved and are then found at their new place. */
const maxPinned = 100

/**
 * Caches the protected paths of workspace folders. While a command that may write a folder runs, later commands reuse
 * its list. Anything created since may come from that command, and could be a symlink to anywhere when mounted.
 */
export class ProtectedPathCache {
  private readonly running = new Map<string, { count: number; places: ProtectedPaths }>()

  /** Must be followed by `leave`. */
  enter(root: string, home: string, secrets: readonly string[]): ProtectedPaths {
    const known = this.running.get(root) ?? { count: 0, places: readProtectedPlaces(root, home, secrets) }
    known.count++
    this.running.set(root, known)
    const { fixed, pinned, ...places } = known.places
    return { ...places, fixed: fixed.filter(isThere), pinned: pinned.filter(isThere) }
  }

  leave(root: string): void {
    const known = this.running.get(root)
    if (known !== undefined && --known.count === 0) this.running.delete(root)
  }
}

function readProtectedPlaces(root: string, home: string, secrets: readonly string[]): ProtectedPaths {
  const places = protectedPaths(root, home)
  const inside = secrets.filter((place) => place !== root && isInside(place, root))
  const pinned = new Set([...places.pinned, ...inside.flatMap((place) => foldersBetween(root, place))])
  return { ...places, pinned: [...pinned].slice(0, maxPinned) }
}

/** A folder with a secret must not be moved to a place where it is not hidden. */
function foldersBetween(root: string, place: string): string[] {
  const folder = path.dirname(place)
  return folder === root ? [] : [...foldersBetween(root, folder), folder]
}

/** Do not follow symlinks: the target may change before use. */
function isThere(place: string): boolean {
  return lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === false
}

/** Paths where programs keep credentials of the user. Never visible inside, even if the home is the workspace. */
const names =
  '.ssh .gnupg .aws .azure .kube .docker .oci .netrc .npmrc .yarnrc.yml .pypirc .pgpass .my.cnf .vault-token .git-credentials .terraform.d .password-store .config/gh .config/hub .config/glab-cli .config/gcloud .config/git/credentials .config/op .config/rclone .config/google-chrome .config/chromium .config/BraveSoftware .mozilla .thunderbird .local/share/keyrings .cargo/credentials .cargo/credentials.toml .gem/credentials .m2/settings.xml .gradle/gradle.properties .bash_history .zsh_history .python_history .node_repl_history .psql_history .mysql_history Library/Keychains Library/Cookies'.split(
    ' ',
  )

export function tokenFile(troupeHome: string): string {
  return path.join(troupeHome, 'token')
}

export function homeSecrets(home: string): string[] {
  return names.map((name) => path.join(home, name))
}
