import { lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { guardedPlaces, strictPlaces } from '@troupe/command-policy'
import { isInside } from '../files/resolve-path.ts'
import { isPlaceholder } from './placeholder-folders.ts'

/** What must not change in a folder although it can be written: whoever changes these can have programs run elsewhere. */
export interface ProtectedPaths {
  /** There already: read-only from now on. */
  readonly fixed: readonly string[]
  /** Folders that hold something fixed: writable, and not to be moved out of the way. */
  readonly pinned: readonly string[]
  /** Not there yet, and must not come to be. */
  readonly absent: readonly string[]
  /** Not there yet, cannot be kept from coming to be, and are removed when they do. */
  readonly forbidden: readonly string[]
}

/** Read by us, by editors, by agents or by shells, which then run what is in them: they must not come to be either. */
const startNames = ['.troupe', '.mcp.json', '.agents', '.claude', '.vscode', '.husky', '.envrc']

/** The same for a folder that is somebody's home. */
const homeNames =
  '.bashrc .bash_profile .bash_login .bash_logout .profile .zshrc .zshenv .zprofile .zlogin .zlogout .inputrc .gitconfig .pam_environment .xprofile .xsessionrc .config .local .cargo .ssh .gnupg bin'.split(
    ' ',
  )

/** By their names in the folder, for a sandbox that goes by names: then it does not matter what is there. */
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

  /** Commits can be made; what git runs, and where it finds that, cannot be changed. */
  function fixRepository(folder: string): void {
    const config = path.join(folder, 'config')
    if (realProtectedPath(config) === undefined) return void places.fixed.push(folder)
    places.pinned.push(folder)
    places.fixed.push(config)
    fix(path.join(folder, 'hooks'), true)
    for (const name of ['modules', 'worktrees']) fix(path.join(folder, name), false)
    // Git would take its settings from where these say.
    for (const name of ['commondir', 'config.worktree']) forbid(path.join(folder, name))
  }

  function forbid(place: string): void {
    const real = realProtectedPath(place)
    if (real === undefined) places.forbidden.push(place)
    else places.fixed.push(real)
  }
}

/** Undefined where there is nothing, or only what we hold. What a link leads to is what can be kept as it is. */
function realProtectedPath(place: string): string | undefined {
  const stats = lstatSync(place, { throwIfNoEntry: false })
  if (stats === undefined) return undefined
  if (stats.isDirectory()) return isPlaceholder(place) ? undefined : place
  if (!stats.isSymbolicLink()) return place
  try {
    return realpathSync(place)
  } catch {
    // A link to nothing: what is made there is made elsewhere.
    return place
  }
}

/**
 * The repository that a worktree belongs to: `.git` is a file then, which names a folder elsewhere. It counts only when
 * that folder names this worktree in turn, which nobody can arrange from inside the worktree.
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

/** Beyond so many folders it would take too long to start; what lies deeper can be moved, and is found again there. */
const maxPinned = 100

/**
 * What is kept as it is in the folders that are worked in. As long as a command runs that may write a folder, the next
 * ones keep what that one keeps: whatever else has come to be since may be of its making, and could be a link to
 * anywhere by the time it is mounted.
 */
export class ProtectedPathCache {
  private readonly running = new Map<string, { count: number; places: ProtectedPaths }>()

  /** To be followed by `leave`. */
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

/** A folder with a secret in it must not be moved to where nobody looks for it. */
function foldersBetween(root: string, place: string): string[] {
  const folder = path.dirname(place)
  return folder === root ? [] : [...foldersBetween(root, folder), folder]
}

/** A link may lead anywhere by the time that it is followed. */
function isThere(place: string): boolean {
  return lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === false
}

/** Where programs keep what lets them act as the person. Never seen inside, also when the home is worked in. */
const names =
  '.ssh .gnupg .aws .azure .kube .docker .oci .netrc .npmrc .yarnrc.yml .pypirc .pgpass .my.cnf .vault-token .git-credentials .terraform.d .password-store .config/gh .config/hub .config/glab-cli .config/gcloud .config/git/credentials .config/op .config/rclone .config/google-chrome .config/chromium .config/BraveSoftware .mozilla .thunderbird .local/share/keyrings .cargo/credentials .cargo/credentials.toml .gem/credentials .m2/settings.xml .gradle/gradle.properties .bash_history .zsh_history .python_history .node_repl_history .psql_history .mysql_history Library/Keychains Library/Cookies'.split(
    ' ',
  )

export function homeSecrets(home: string): string[] {
  return names.map((name) => path.join(home, name))
}
