import { lstatSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { type CommandAnalysis, type FoundCommand, protectedIn, secretIn } from '@troupe/command-policy'
import type { CommandAccess, Grant } from '../access/decision.ts'
import { isInside, realPath } from '../files/resolve-path.ts'
import type { AgentState } from '../tool/agent-state.ts'
import type { FolderTree } from './list-files.ts'
import type { Policy } from './policy.ts'

/** File or folder that a call touches, with everything known about it before rules apply. */
export interface PathFact {
  kind: 'read' | 'write'
  /** Path as written in the call. */
  given: string
  /** Absolute path as spelled. Links are resolved only above the workspace. */
  spelled: string
  /** Path with all links resolved. */
  real: string
  /** In the workspace or another readable folder. */
  inside: boolean
  /** Name that makes it secret. */
  secret?: string
  /** Reason that writing there needs separate approval. */
  guard?: { place: string; strict: boolean }
  /** Command that names it, if not the tool itself. `part` is the part of the command. */
  by?: CommandFact
  part?: FoundCommand
  /** Not named, but in a folder that a command reads completely. The sandbox hides such secrets. */
  implied?: true
  /** Opened by the shell as a redirection for the command's output. */
  redirected?: true
  /** Writing it is the command's purpose. */
  meant?: true
  /** Only names, sizes, and times are read, not the content. */
  names?: true
  tree?: true
  /** In a folder that the sandbox replaces with a private one per session, and not there outside; or that folder. */
  temporary?: true
  folder: boolean
  /** Lists the contents, if a command reads everything below it. */
  below?(): FolderTree
  /** Reads git's stored version of it, which may not exist on disk now. */
  tracked?: true
}

export interface PathView {
  roots: readonly string[]
  readable: readonly string[]
  home: string
  troupeHome: string | undefined
  jsxFolder: string | undefined
  planFile: string | undefined
}

export function pathView({ state }: PermissionContext, policy: Policy): PathView {
  return {
    roots: state.roots,
    readable: state.readable,
    home: cachedRealPath(policy.home),
    troupeHome: policy.troupeHome === undefined ? undefined : cachedRealPath(policy.troupeHome),
    jsxFolder: state.jsxFolder,
    planFile: policy.planFile === undefined ? undefined : resolveSpelled(policy.planFile).real,
  }
}

export function grantKind({ kind, names }: PathFact): Grant['how'] {
  return kind === 'write' ? 'write' : names === true ? 'list' : 'read'
}

export function accessVerb(fact: PathFact): string {
  return { read: 'reads', list: 'lists', write: 'changes' }[grantKind(fact)]
}

export function needsGrant({ kind, inside, secret, guard }: PathFact): boolean {
  return !inside || secret !== undefined || (kind === 'write' && guard !== undefined)
}

/** Path that one of our tools will touch. Resolves like `resolvePath`. */
export function toolPath(kind: PathFact['kind'], given: string, cwd: string, view: PathView): PathFact {
  const isHome = given === '~' || given.startsWith('~/')
  const spelled = path.resolve(cwd, isHome ? path.join(view.home, given.slice(1)) : given)
  return pathFact({ kind, given }, spelled, resolveSpelled(spelled), view)
}

/** Path that a program will touch. The OS resolves `..` after links, so neither is resolved lexically here. */
export function commandPath(kind: PathFact['kind'], given: string, view: PathView): PathFact {
  const fact = pathFact({ kind, given }, path.resolve(given), physicalPath(given), view)
  return isTemporary(fact) ? { ...fact, temporary: true } : fact
}

function isTemporary({ spelled, real, inside, kind }: PathFact): boolean {
  // The sandbox has its own folder there.
  if (real === '/tmp' && spelled === real && kind === 'read') return !inside
  return !inside && spelled === real && /^\/tmp\/./.test(real) && !pathExists(`/tmp/${real.split('/')[2] ?? ''}`)
}

/** True for device files that store nothing and yield nothing secret. */
export function isStream({ kind, real, spelled }: PathFact): boolean {
  const names =
    kind === 'write'
      ? /^\/dev\/(null|stdout|stderr|tty|fd\/[12])$/
      : /^\/dev\/(null|zero|urandom|random|stdin|tty|fd\/0)$/
  return names.test(spelled) && (names.test(real) || /^\/(proc\/|dev\/pts\/)/.test(real))
}

function pathFact(
  given: Pick<PathFact, 'kind' | 'given'>,
  spelled: string,
  { real, folder }: Resolved,
  view: PathView,
): PathFact {
  const previews = view.jsxFolder === undefined ? [] : [view.jsxFolder]
  const open = [...view.roots, ...(given.kind === 'read' ? view.readable : previews)]
  const fact: PathFact = {
    ...given,
    spelled: underRoot(spelled, real, open),
    real,
    folder,
    inside: open.some((one) => isInside(real, one)),
  }
  const names = [...new Set([namesBelow(fact.spelled, open), namesBelow(real, open)])]
  const isOurs = isInOurHome(real, open, view)
  const secret = isOurs ? path.basename(view.troupeHome!) : firstMatch(names, secretIn)
  if (secret !== undefined) fact.secret = secret
  if (given.kind === 'read') return fact
  const guard = isOurs ? { place: path.basename(view.troupeHome!), strict: true } : strictestGuard(names)
  if (guard !== undefined) fact.guard = guard
  return fact
}

export function secretOf(real: string, view: PathView): string | undefined {
  const open = [...view.roots, ...view.readable]
  if (isInOurHome(real, open, view)) return path.basename(view.troupeHome!)
  return secretIn(namesBelow(real, open))
}

/** Names that count for secrecy. The name of the workspace folder itself does not. */
function namesBelow(file: string, open: readonly string[]): string {
  const root = innermost(file, open)
  return root === undefined ? file : file.slice(root.length).replace(/^\//, '')
}

/** True inside our home folder, except in its folders that are open to the agent. */
function isInOurHome(real: string, open: readonly string[], { troupeHome }: PathView): boolean {
  if (troupeHome === undefined || !isInside(real, troupeHome)) return false
  const root = innermost(real, open)
  return root === undefined || root === troupeHome || !isInside(root, troupeHome)
}

function innermost(file: string, open: readonly string[]): string | undefined {
  let found: string | undefined
  for (const folder of open) {
    if (isInside(file, folder) && (found === undefined || folder.length > found.length)) found = folder
  }
  return found
}

function firstMatch<T>(names: readonly string[], find: (name: string) => T | undefined): T | undefined {
  for (const name of names) {
    const found = find(name)
    if (found !== undefined) return found
  }
  return undefined
}

function strictestGuard(names: readonly string[]): PathFact['guard'] {
  const guards = names.map(protectedIn).filter((guard) => guard !== undefined)
  return guards.find((guard) => guard.strict) ?? guards[0]
}

/** Replaces the link to a workspace with its real path, which rules refer to. */
function underRoot(spelled: string, real: string, open: readonly string[]): string {
  if (spelled === real || open.some((folder) => isInside(spelled, folder))) return spelled
  if (!open.some((folder) => isInside(real, folder))) return spelled
  for (let folder = path.dirname(spelled); folder !== path.dirname(folder); folder = path.dirname(folder)) {
    const found = resolveSpelled(folder).real
    if (open.includes(found)) return path.join(found, path.relative(folder, spelled))
  }
  return spelled
}

interface Resolved {
  real: string
  folder: boolean
}

/** An unresolvable path cannot be opened either, so it is judged as spelled. */
function resolveSpelled(spelled: string): Resolved {
  try {
    const stats = statSync(spelled, { throwIfNoEntry: false })
    if (stats !== undefined) return { real: realpathSync.native(spelled), folder: stats.isDirectory() }
    return { real: newFile(spelled) ?? realPath(spelled).path, folder: false }
  } catch {
    return { real: path.resolve(spelled), folder: false }
  }
}

/** Fast path for files that do not exist yet, without throwing errors. Undefined if there is a link in the path. */
function newFile(spelled: string): string | undefined {
  for (let at = path.resolve(spelled); at !== path.dirname(at); at = path.dirname(at)) {
    const entry = lstatSync(at, { throwIfNoEntry: false })
    if (entry === undefined) continue
    return entry.isDirectory() ? path.join(realpathSync.native(at), path.relative(at, spelled)) : undefined
  }
  return undefined
}

const realHomes = new Map<string, string>()

/** Cached, since home folders do not move. */
function cachedRealPath(folder: string): string {
  const known = realHomes.get(folder)
  if (known !== undefined) return known
  const { real } = resolveSpelled(folder)
  if (realHomes.size > 100) realHomes.clear()
  realHomes.set(folder, real)
  return real
}

function physicalPath(given: string): Resolved {
  const names = given.split('/')
  const up = names.indexOf('..')
  if (up === -1) return resolveSpelled(given)
  const before = names.slice(0, up).join('/') || '/'
  // The folder does not exist, so `..` cannot resolve.
  if (!pathExists(before)) return { real: '/..', folder: false }
  return physicalPath(
    path.join(path.dirname(resolveSpelled(before).real), ...names.slice(up + 1).filter((name) => name !== '.')),
  )
}

/** False also if a file is in the way or access is denied, since no program can get there either. */
export function pathExists(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

export interface CommandFact {
  access: CommandAccess
  analysis: CommandAnalysis
  /** Unique commands in it. */
  parts: readonly FoundCommand[]
  paths: readonly PathFact[]
  /** Reason that its files cannot be determined. */
  unknownFiles?: string
  /** The command names more files than are checked, so path rules may miss some. */
  isCut?: true
  /** Arguments of unknown programs that could be files. Computed only if a rule could match. */
  wordFiles(): readonly { file: Pick<PathFact, 'spelled' | 'real'>; found: FoundCommand }[]
}

/** Context that decisions need. A `ToolContext` is one. */
export interface PermissionContext {
  state: Pick<AgentState, 'cwd' | 'roots' | 'readable'> & Partial<Pick<AgentState, 'env' | 'sandboxEnv' | 'jsxFolder'>>
}

/** Context without an agent, for explaining rules and for past calls. */
export function placeContext(
  cwd: string,
  roots: readonly string[] = [cwd],
  readable: readonly string[] = [],
): PermissionContext {
  const real = (folder: string): string => realPath(folder).path
  return { state: { cwd: real(cwd), roots: roots.map(real), readable: readable.map(real) } }
}
