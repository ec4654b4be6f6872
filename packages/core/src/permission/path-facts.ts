import { lstatSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { type CommandAnalysis, type FoundCommand, protectedIn, secretIn } from '@troupe/command-policy'
import type { CommandAccess, Grant } from '../access/decision.ts'
import { isInside, realPath } from '../files/resolve-path.ts'
import type { AgentState } from '../tool/agent-state.ts'
import type { FolderTree } from './list-files.ts'
import type { Policy } from './policy.ts'

/** A file or folder that a call touches, and what there is to know of it before rules are asked. */
export interface PathFact {
  kind: 'read' | 'write'
  /** As the call spells it. */
  given: string
  /** Absolute, as spelled; links are followed only above the workspace. */
  spelled: string
  /** Without any link. */
  real: string
  /** In the workspace, or in what may be read besides. */
  inside: boolean
  /** The name that makes it secret. */
  secret?: string
  /** Why writing there is a matter of its own. */
  guard?: { place: string; strict: boolean }
  /** The command that names it, when it is not the tool that does, and the part of it that does. */
  by?: CommandFact
  part?: FoundCommand
  /** Nobody named it: it lies in a folder that a command reads all of. The sandbox keeps such secrets from it. */
  implied?: true
  /** The shell opens it for a command: what is written there is what the command prints. */
  redirected?: true
  /** To write it is what the command is there for. */
  meant?: true
  /** Only names, sizes and times are looked at, not what is in it. */
  names?: true
  /** All that is below it is looked at. */
  tree?: true
  /** Nothing is there, in a folder that every session has one of its own for in the sandbox. */
  temporary?: true
  /** Whether it is a folder now. */
  folder: boolean
  /** Everything below it is read by a command: what that is. */
  below?(): FolderTree
  /** What git has kept of it is read, which need not be there now. */
  tracked?: true
}

export interface PathView {
  roots: readonly string[]
  readable: readonly string[]
  home: string
  troupeHome: string | undefined
  /** Where the agent keeps its previews. */
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

/** What the call does there. */
export function grantKind({ kind, names }: PathFact): Grant['how'] {
  return kind === 'write' ? 'write' : names === true ? 'list' : 'read'
}

export function accessVerb(fact: PathFact): string {
  return { read: 'reads', list: 'lists', write: 'changes' }[grantKind(fact)]
}

/** Not the call's own to use: outside the workspace, secret, or protected. */
export function needsGrant({ kind, inside, secret, guard }: PathFact): boolean {
  return !inside || secret !== undefined || (kind === 'write' && guard !== undefined)
}

/** What a tool of ours will touch: `resolvePath` goes the same way. */
export function toolPath(kind: PathFact['kind'], given: string, cwd: string, view: PathView): PathFact {
  const isHome = given === '~' || given.startsWith('~/')
  const spelled = path.resolve(cwd, isHome ? path.join(view.home, given.slice(1)) : given)
  return pathFact({ kind, given }, spelled, resolveSpelled(spelled), view)
}

/** What a program will touch. The system resolves `..` after links, so neither is resolved by its letters here. */
export function commandPath(kind: PathFact['kind'], given: string, view: PathView): PathFact {
  const fact = pathFact({ kind, given }, path.resolve(given), physicalPath(given), view)
  return isTemporary(fact) ? { ...fact, temporary: true } : fact
}

function isTemporary({ spelled, real, inside }: PathFact): boolean {
  return !inside && spelled === real && /^\/tmp\/./.test(real) && !pathExists(`/tmp/${real.split('/')[2] ?? ''}`)
}

/** Files that are not files: nothing is kept there and nothing secret comes from there. */
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

/** The name that makes a file secret, for files that are found rather than named. */
export function secretOf(real: string, view: PathView): string | undefined {
  const open = [...view.roots, ...view.readable]
  if (isInOurHome(real, open, view)) return path.basename(view.troupeHome!)
  return secretIn(namesBelow(real, open))
}

/** The names that count: a folder that was opened as workspace is not secret for what it is called itself. */
function namesBelow(file: string, open: readonly string[]): string {
  const root = innermost(file, open)
  return root === undefined ? file : file.slice(root.length).replace(/^\//, '')
}

/** In our home, and not in a folder of it that was opened to the agent. */
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

/** A workspace that is reached through a link is spelled with that link; rules speak of it by its real path. */
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

/** What cannot be resolved cannot be opened either; it is judged as it is spelled. */
function resolveSpelled(spelled: string): Resolved {
  try {
    const stats = statSync(spelled, { throwIfNoEntry: false })
    if (stats !== undefined) return { real: realpathSync.native(spelled), folder: stats.isDirectory() }
    return { real: newFile(spelled) ?? realPath(spelled).path, folder: false }
  } catch {
    return { real: path.resolve(spelled), folder: false }
  }
}

/** The quick way to the real path of what is not there yet: no error is thrown on it. Undefined where a link is in the way. */
function newFile(spelled: string): string | undefined {
  for (let at = path.resolve(spelled); at !== path.dirname(at); at = path.dirname(at)) {
    const entry = lstatSync(at, { throwIfNoEntry: false })
    if (entry === undefined) continue
    return entry.isDirectory() ? path.join(realpathSync.native(at), path.relative(at, spelled)) : undefined
  }
  return undefined
}

const realHomes = new Map<string, string>()

/** Homes stay where they are. */
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
  // Nothing is there, so nothing can go up from it.
  if (!pathExists(before)) return { real: '/..', folder: false }
  return physicalPath(
    path.join(path.dirname(resolveSpelled(before).real), ...names.slice(up + 1).filter((name) => name !== '.')),
  )
}

/** Whether there is anything; not where a file stands in the way, or nobody may look: no program gets there either. */
export function pathExists(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

/** A command, and what there is to know of it before rules are asked. */
export interface CommandFact {
  access: CommandAccess
  analysis: CommandAnalysis
  /** The commands in it, each once however often it is repeated. */
  parts: readonly FoundCommand[]
  /** The files that it names. */
  paths: readonly PathFact[]
  /** Why it cannot be told which files it touches. */
  unknownFiles?: string
  /** It names more files than are looked at, so path rules do not meet them all. */
  isCut?: true
  /** Words of programs that nobody knows, taken for files. Looked up when a rule could meet them. */
  wordFiles(): readonly { file: Pick<PathFact, 'spelled' | 'real'>; found: FoundCommand }[]
}

/** All that decisions need to know of the place of a call. A `ToolContext` is one. */
export interface PermissionContext {
  state: Pick<AgentState, 'cwd' | 'roots' | 'readable'> & Partial<Pick<AgentState, 'env' | 'sandboxEnv' | 'jsxFolder'>>
}

/** A place without an agent: for explaining rules, and for calls of the past. */
export function placeContext(
  cwd: string,
  roots: readonly string[] = [cwd],
  readable: readonly string[] = [],
): PermissionContext {
  const real = (folder: string): string => realPath(folder).path
  return { state: { cwd: real(cwd), roots: roots.map(real), readable: readable.map(real) } }
}
