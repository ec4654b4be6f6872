import path from 'node:path'
import {
  analyzeCommand,
  type CommandAnalysis,
  createProgramLookup,
  type FileUse,
  type FoundCommand,
  type FoundRedirection,
  isPlainRepository,
  isSecretName,
  trackedFiles,
} from '@troupe/command-policy'
import type { CommandAccess } from '../access/decision.ts'
import { compileGlob } from '../search/glob-pattern.ts'
import { ownTool } from '../tool/tool-aliases.ts'
import type { Tool } from '../tool/tool.ts'
import { expandGlob, type FolderTree, listBelow } from './list-files.ts'
import {
  type CommandFact,
  commandPath,
  isStream,
  pathExists,
  type PathFact,
  pathView,
  type PathView,
  type PermissionContext,
  toolPath,
} from './path-facts.ts'
import type { Policy } from './policy.ts'
import { hostOf } from './rule-patterns.ts'

export interface CallFacts {
  tool: Tool
  view: PathView
  paths: readonly PathFact[]
  commands: readonly CommandFact[]
  urls: readonly { url: string; host: string | undefined }[]
  names: readonly { kind: 'agent' | 'skill'; name: string }[]
  code: boolean
  unknown?: string
}

export function callFacts(call: { tool: Tool; input: unknown }, ctx: PermissionContext, policy: Policy): CallFacts {
  const tool = ownTool(call.tool)
  const view = pathView(ctx, policy)
  const paths: PathFact[] = []
  const commands: CommandFact[] = []
  const urls: CallFacts['urls'][number][] = []
  const names: CallFacts['names'][number][] = []
  const facts: CallFacts = { tool, view, paths, commands, urls, names, code: false }
  const { cwd } = ctx.state
  try {
    for (const access of tool.touches?.(call.input, { cwd }) ?? []) {
      switch (access.kind) {
        case 'read':
        case 'write':
          paths.push(toolPath(access.kind, access.path, cwd, view))
          break
        case 'url':
          urls.push({ url: access.url, host: hostOf(access.url) })
          break
        case 'code':
          facts.code = true
          break
        case 'agent':
        case 'skill':
          names.push({ kind: access.kind, name: access.name })
          break
        case 'command': {
          const fact = commandFact(access, ctx, { view, policy })
          commands.push(fact)
          paths.push(...fact.paths)
          break
        }
        default:
          throw new Error(`it declares "${String((access as { kind: unknown }).kind)}", which is not a kind of access`)
      }
    }
  } catch (error) {
    return { ...facts, unknown: `${tool.name} could not determine what it accesses: ${(error as Error).message}` }
  }
  return facts
}

/** True if it runs in the sandbox, which shows only the workspace and granted paths. */
export function isSandboxed({ access }: CommandFact, { sandbox }: Pick<Policy, 'sandbox'>): boolean {
  return sandbox && access.outside !== true
}

/** Commands that name more files than this need approval, since each file costs a file system lookup. */
const maxFiles = 256
/** One secret in a searched folder is enough to ask, so a few suffice. */
const maxSecrets = 5

interface FactContext {
  view: PathView
  policy: Pick<Policy, 'sandbox'>
}

function commandFact(access: CommandAccess, ctx: PermissionContext, { view, policy }: FactContext): CommandFact {
  const analysis = analyzeAccess(access, ctx, view)
  const parts = [...new Map(analysis.commands.map((found) => [commandKey(found), found])).values()]
  let words: ReturnType<CommandFact['wordFiles']> | undefined
  const fact: CommandFact = {
    access,
    analysis,
    parts,
    paths: [],
    wordFiles: () => (words ??= filesInArguments(fact, view)),
  }
  if (access.typed === true) return fact
  const target = parts.flatMap(({ redirections }) => redirections).find(isWrittenSomewhere)?.target
  if (target !== undefined) fact.unknownFiles = `Its output goes to ${target}, a file that is only known at run time.`
  fact.paths = commandPaths(fact, { view, policy })
  return fact
}

function commandKey({ text, cwd, via, assignments }: FoundCommand): string {
  return JSON.stringify([text, cwd, via, assignments])
}

function analyzeAccess(
  { command, cwd, terminal }: CommandAccess,
  { state }: PermissionContext,
  view: PathView,
): CommandAnalysis {
  const { env = {}, sandboxEnv = {} } = state
  return analyzeCommand(command, {
    cwd: cwd === undefined ? state.cwd : toolPath('read', cwd, state.cwd, view).real,
    home: view.home,
    terminal,
    env: [...Object.keys(env), ...Object.keys(sandboxEnv)],
    isProgram: programLookup(env['PATH'] ?? process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin', state.roots),
    isPlainRepository,
    trackedFiles,
  })
}

const lookups = new Map<string, ReturnType<typeof createProgramLookup>>()

function programLookup(searched: string, roots: readonly string[]): ReturnType<typeof createProgramLookup> {
  const key = [searched, ...roots].join('\0')
  const known = lookups.get(key)
  if (known !== undefined) return known
  const made = createProgramLookup({ path: searched, roots })
  if (lookups.size >= 100) lookups.clear()
  lookups.set(key, made)
  return made
}

function isWrittenSomewhere({ operator, target }: FoundRedirection): boolean {
  return operator.includes('>') && /[$`]/.test(target) && !/^'[^']*'$/.test(target)
}

/** Keeps the command part that names each path. An exact rule for one part covers only that part's files. */
function commandPaths(fact: CommandFact, around: FactContext): PathFact[] {
  const uses = new Map<string, { kind: PathFact['kind']; use: FileUse; part: FoundCommand }>()
  for (const part of fact.analysis.commands) {
    for (const [kind, all] of [
      ['read', part.reads],
      ['write', part.writes],
    ] as const)
      for (const use of all)
        uses.set(JSON.stringify([kind, use, part.text, part.assignments]), { kind, use: ownProcess(use, part), part })
  }
  const paths: PathFact[] = []
  for (const { kind, use, part } of uses.values()) {
    for (const used of usedPaths(kind, use, fact, around)) {
      used.by = fact
      used.part = part
      if (!isStream(used)) paths.push(used)
    }
    if (paths.length > maxFiles) return markCut(fact, paths)
  }
  return paths
}

/** Rewrites `/proc` paths, which show the program's own process and not ours. */
function ownProcess(use: FileUse, { cwds }: FoundCommand): FileUse {
  if (!use.path.startsWith('/proc/')) return use
  const [, place, rest = ''] =
    /^\/proc\/(?:self|thread-self|\d+)(?:\/task\/[^/]+)?\/(cwd|root)(\/.*)?$/s.exec(path.normalize(use.path)) ?? []
  if (place === undefined) return use
  return { ...use, path: place === 'cwd' && cwds?.[0] !== undefined ? `${cwds[0]}${rest}` : rest || '/' }
}

function usedPaths(kind: PathFact['kind'], use: FileUse, fact: CommandFact, { view, policy }: FactContext): PathFact[] {
  if (use.spread === 'glob') {
    const found = expandGlob(use.path)
    if (found === undefined || found.length > maxFiles) return markCut(fact, [commandPath(kind, use.path, view)])
    return found.map((file) => ({ ...commandPath(kind, file, view), ...pathFactFlags(use) }))
  }
  const used: PathFact = { ...commandPath(kind, use.path, view), ...pathFactFlags(use) }
  // The sandbox hides secrets that nobody named, and has settings of its own.
  if ((use.found === true && used.inside && used.secret !== undefined) || use.own === true) used.implied = true
  if (use.names === true) return [used]
  if (use.tracked === true) return [{ ...used, tracked: true }]
  // Everything in the folder is read, moved, or removed too, named or not.
  if (used.folder) used.below = once(() => visibleEntries(listBelow(used.real), use))
  if (kind === 'write' || !used.folder || isSandboxed(fact, policy)) return [used]
  const secrets = visibleEntries(listBelow(used.real, skippedFolders), use)
    .paths.filter((name) => isSecretName(name) && (use.only === undefined || matchesAny(path.basename(name), use.only)))
    .slice(0, maxSecrets)
  return [
    used,
    ...secrets.map((name) => ({ ...commandPath(kind, `${used.real}/${name}`, view), implied: true as const })),
  ]
}

/** Downloaded or built files hold no personal secrets but make up most files. */
const skippedFolders = new Set(['.git', 'node_modules', '.venv', 'venv', '__pycache__', 'target', '.gradle', '.next'])

function visibleEntries({ paths, cut }: FolderTree, { hidden }: FileUse): FolderTree {
  if (hidden === undefined) return { paths, cut }
  const isShown = (name: string): boolean => !name.startsWith('.') || matchesAny(name, hidden)
  return { paths: paths.filter((below) => below.split('/').every(isShown)), cut }
}

function matchesAny(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => compileGlob(pattern).matches(name))
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => (made ??= { value: make() }).value
}

function pathFactFlags({ spread, names, redirected, meant }: FileUse): Partial<PathFact> {
  return {
    tree: spread === 'tree' || undefined,
    names,
    redirected,
    meant,
  }
}

function markCut<T>(fact: CommandFact, files: T): T {
  fact.unknownFiles ??= 'It uses more files than can be checked in advance.'
  fact.isCut = true
  return files
}

/** Finds arguments that are or could be files: `.env`, `--file=.env`, `-f.env`, `@.env`, `name=@.env`, `file://`. */
function filesInArguments(fact: CommandFact, view: PathView): ReturnType<CommandFact['wordFiles']> {
  const files = new Map<string, FoundCommand>()
  for (const found of fact.parts) {
    if (found.harmless && fact.access.typed !== true) continue
    const folder = found.cwd ?? view.roots[0] ?? ''
    for (const name of namesInArguments(found)) files.set(path.isAbsolute(name) ? name : `${folder}/${name}`, found)
    if (files.size <= maxFiles) continue
    fact.isCut = true
    break
  }
  return [...files].slice(0, maxFiles).map(([given, found]) => {
    const spelled = path.resolve(given)
    return { file: pathExists(given) ? commandPath('read', given, view) : { spelled, real: spelled }, found }
  })
}

function namesInArguments({ argv, literalPrefix, guess }: FoundCommand): Set<string> {
  const names = new Set<string>()
  for (const words of [argv ?? literalPrefix, guess.words]) {
    for (let at = 1; at < words.length && names.size <= maxFiles; at++) {
      const word = words[at]!
      const given = [word, word.slice(word.indexOf('=') + 1), ...(/^-\w./.test(word) ? [word.slice(2)] : [])]
      const files = given.map((text) => text.replace(/^[@<]|^file:\/\/(localhost(?=\/))?/, '').replace(/;.*$/s, ''))
      for (const name of [...given, ...files])
        if (name !== '' && !name.startsWith('-') && name.length < 1000 && !/[\0\n]/.test(name)) names.add(name)
    }
  }
  return names
}
