import { readdirSync } from 'node:fs'
import { compileGlob } from '../search/glob-pattern.ts'
import { ownTool } from '../tool-aliases.ts'
import type { Tool } from '../tool.ts'
import type { CommandAccess } from './access.ts'
import { analyzeCommand } from './command/analyze-command.ts'
import type { CommandAnalysis, FileUse, FoundRedirection } from './command/command-analysis.ts'
import { isPlainRepository } from './command/plain-repository.ts'
import { createProgramLookup } from './command/program-lookup.ts'
import { hostOf } from './host-pattern.ts'
import { commandPath, isStream, pathView, toolPath, type PathFact, type PathView } from './path-fact.ts'
import { isSecretName } from './place-names.ts'
import type { PermissionContext } from './permission-context.ts'
import type { Policy } from './policy.ts'

/** Everything that rules and defaults are asked about, found out once for a call. */
export interface CallFacts {
  tool: Tool
  view: PathView
  paths: readonly PathFact[]
  commands: readonly CommandFact[]
  urls: readonly { url: string; host: string | undefined }[]
  names: readonly { kind: 'agent' | 'skill'; name: string }[]
  code: boolean
  /** Why it cannot be told what the call touches. */
  unknown?: string
}

export interface CommandFact {
  access: CommandAccess
  analysis: CommandAnalysis
  /** Why it cannot be told which files it touches. */
  unknownFiles?: string
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
  let accesses
  try {
    accesses = tool.touches?.(call.input, { cwd }) ?? []
  } catch (error) {
    return { ...facts, unknown: `${tool.name} cannot tell what it will touch: ${(error as Error).message}` }
  }
  for (const access of accesses) {
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
        const fact: CommandFact = { access, analysis: analyze(access, ctx, view) }
        commands.push(fact)
        if (access.typed !== true) paths.push(...commandPaths(fact, view))
      }
    }
  }
  return facts
}

function analyze(
  { command, cwd, terminal }: CommandAccess,
  { state }: PermissionContext,
  view: PathView,
): CommandAnalysis {
  const { env = {}, sandboxEnv = {} } = state
  return analyzeCommand(command, {
    cwd: cwd === undefined ? state.cwd : toolPath('read', cwd, state.cwd, view).real,
    home: view.home,
    ...(terminal === true && { terminal }),
    env: [...Object.keys(env), ...Object.keys(sandboxEnv)],
    isProgram: programLookup(env['PATH'] ?? process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin', state.roots),
    isPlainRepository,
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

const mostEntries = 5000

function commandPaths(fact: CommandFact, view: PathView): PathFact[] {
  const { reads, writes, commands } = fact.analysis
  const target = commands.flatMap(({ redirections }) => redirections).find(isWrittenSomewhere)?.target
  if (target !== undefined)
    fact.unknownFiles = `What it prints goes to ${target}, a file that is known only when it runs.`
  const used = [
    ...reads.flatMap((use) => usedPaths('read', use, fact, view)),
    ...writes.flatMap((use) => usedPaths('write', use, fact, view)),
  ]
  for (const one of used) one.by = fact
  return used.filter((one) => !isStream(one))
}

function usedPaths(kind: PathFact['kind'], use: FileUse, fact: CommandFact, view: PathView): PathFact[] {
  if (use.spread === 'glob') {
    const found = expandGlob(use.path)
    if (found === undefined) fact.unknownFiles = `"${use.path}" may mean more files than can be looked at.`
    return (found ?? [use.path]).map((file) => commandPath(kind, file, view))
  }
  const used = commandPath(kind, use.path, view)
  if (use.redirected === true) used.redirected = true
  if (kind === 'write' || use.spread !== 'tree' || use.names === true) return [used]
  // What is in it is read as well, whether it is named or not.
  const entries = entriesOf(used.real, passesHidden(fact.analysis))
  const secrets = entries.filter(isSecretName).map((name) => commandPath(kind, `${used.real}/${name}`, view))
  return [{ ...used, entries }, ...secrets.map((secret) => ({ ...secret, implied: true as const }))]
}

/** Of what looks through folders only ripgrep is here, and it passes over hidden files unless it is told not to. */
function passesHidden({ commands }: CommandAnalysis): boolean {
  const seesAll = (words: readonly string[]): boolean =>
    words.some((word) => /^(--hidden|--unrestricted|-[a-zA-Z]*[u.])/.test(word))
  if (commands.some(({ name }) => name !== null && /^([efz]?grep|diff|ag|ack)$/.test(name))) return false
  const searches = commands.filter(({ name }) => name === 'rg')
  return searches.length > 0 && searches.every(({ argv }) => argv !== null && !seesAll(argv))
}

function entriesOf(folder: string, isWithoutHidden = false): string[] {
  try {
    const names = readdirSync(folder)
    return (isWithoutHidden ? names.filter((name) => !name.startsWith('.')) : names).slice(0, mostEntries)
  } catch {
    return []
  }
}

/** The files that bash would put there now, or the pattern itself when there are none. Undefined when they are too many. */
function expandGlob(pattern: string): string[] | undefined {
  let looked = 0
  let found = ['/']
  for (const segment of pattern.split('/').filter((part) => part !== '')) {
    if (!/[*?[]/.test(segment)) {
      found = found.map((folder) => (folder === '/' ? `/${segment}` : `${folder}/${segment}`))
      continue
    }
    const glob = compileGlob(segment)
    const next: string[] = []
    for (const folder of found) {
      const entries = entriesOf(folder)
      looked += entries.length
      if (looked >= mostEntries) return undefined
      for (const name of entries) {
        if ((name.startsWith('.') && !segment.startsWith('.')) || !glob.matches(name)) continue
        next.push(folder === '/' ? `/${name}` : `${folder}/${name}`)
      }
    }
    found = next
  }
  return found.length === 0 ? [pattern] : found
}
