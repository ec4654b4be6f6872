import { homedir } from 'node:os'
import { type CommandPattern, parseCommandPattern } from '@troupe/command-policy'
import type { Effect, Mode } from '../access/decision.ts'
import { aliasKey } from '../tool/tool-aliases.ts'
import { toolKey } from '../tool/tool.ts'
import { accessKinds, parseRule, type Rule } from './parse-rule.ts'
import { compilePathPattern, type HostPattern, parseHostPattern, type PathPattern } from './rule-patterns.ts'

/** What decides besides the call itself. Handed in by whoever starts runs; read anew for every call. */
export interface Policy {
  mode: Mode
  rules: RuleSet
  /** Commands can be run in a sandbox here. */
  sandbox: boolean
  /** The person's home folder, for `~/` in rules and for what is secret there. */
  home: string
  /** Our own home folder: nothing in it is read or changed unasked, but for `readable` of the agent's state. */
  troupeHome?: string
  /** The one file that may be written in plan mode. */
  planFile?: string
  /** Addresses that the person typed in this conversation (`addressesIn`): exactly these are fetched unasked. */
  addresses?: readonly string[]
}

export interface PolicyOptions extends Partial<Omit<Policy, 'rules'>> {
  /** Where the rules stand, and what `/` in them starts from. Default: rules of the person, from the home. */
  layer?: Layer
  base?: string
}

/** A policy of plain lists, for programs that keep no layers of rules. */
export function createPolicy(
  rules: Partial<Record<Effect, readonly string[]>> = {},
  { layer = 'user', base, ...given }: PolicyOptions = {},
): Policy {
  const home = given.home ?? homedir()
  const lines = (['deny', 'ask', 'allow'] as const).flatMap((effect) =>
    (rules[effect] ?? []).map((text): RuleLine => ({ text, effect, layer, base: base ?? home })),
  )
  return { mode: 'default', sandbox: false, ...given, home, rules: compileRules(lines) }
}

export type Layer = 'managed' | 'user' | 'project' | 'session' | 'flag'

/** A rule as it is written, and where it stands. */
export interface RuleLine {
  text: string
  effect: Effect
  layer: Layer
  /** The folder that `/` in a path rule starts from: the workspace, or the home for rules of the person. */
  base: string
}

/** What is wrong with a line. */
export interface RuleProblem {
  line: RuleLine
  /** A sentence for the person. */
  message: string
}

/** Rules made ready to be asked thousands of times a second; `compileRules` makes it. */
export interface RuleSet {
  readonly lines: readonly RuleLine[]
  /** Lines that cannot be read. An unreadable deny or ask rule makes the tool that it names ask, where it names one. */
  readonly problems: readonly RuleProblem[]
  readonly index: RuleIndex
}

/** A line made ready. The pattern is compiled for whatever kind of access it may meet. */
export interface CompiledRule {
  readonly rule: Rule
  readonly line: RuleLine
  readonly path?: PathPattern
  readonly command?: CommandPattern
  readonly host?: HostPattern
}

/** The rules of one effect, by what they may meet. */
export interface EffectRules {
  readonly effect: Effect
  readonly isEmpty: boolean
  /** Rules without a pattern, by the key of the tool; and those for all that an MCP server brings. */
  readonly tools: ReadonlyMap<string, CompiledRule>
  readonly servers: ReadonlyMap<string, CompiledRule>
  readonly read: readonly CompiledRule[]
  readonly write: readonly CompiledRule[]
  readonly url: readonly CompiledRule[]
  readonly agent: readonly CompiledRule[]
  readonly skill: readonly CompiledRule[]
  readonly command: CommandRules
  readonly outside: CommandRules
  /** Rules with a pattern for the calls of one tool alone, by its key. */
  readonly own: ReadonlyMap<string, readonly CompiledRule[]>
}

export interface CommandRules {
  readonly all: readonly CompiledRule[]
  /** By the first word, where that is a plain text. */
  readonly byFirst: ReadonlyMap<string, readonly CompiledRule[]>
  readonly others: readonly CompiledRule[]
}

type RuleIndex = Readonly<Record<Effect, EffectRules>>

/** Never throws: what cannot be read is among the problems. */
export function compileRules(lines: readonly RuleLine[]): RuleSet {
  const problems: RuleProblem[] = []
  const ready: Record<Effect, CompiledRule[]> = { deny: [], ask: [], allow: [] }
  for (const line of lines) {
    try {
      ready[line.effect].push(compileRule(line))
    } catch (error) {
      problems.push({ line, message: (error as Error).message })
      if (line.effect !== 'allow') ready.ask.push(...askInstead(line))
    }
  }
  const index = {
    deny: indexRules('deny', ready.deny.toSorted(byText)),
    ask: indexRules('ask', ready.ask.toSorted(byText)),
    allow: indexRules('allow', ready.allow.toSorted(byText)),
  }
  return { lines: [...lines], problems, index }
}

/** So that the same rule is named however they are written down. */
function byText(one: CompiledRule, other: CompiledRule): number {
  return one.line.text < other.line.text ? -1 : one.line.text > other.line.text ? 1 : 0
}

/** Rules are compiled anew whenever one is added; nearly all of them were there before. */
const ruleCache = new Map<string, CompiledRule>()
const maxCachedRules = 20_000

function compileRule(line: RuleLine): CompiledRule {
  const key = `${line.effect} ${line.layer} ${line.base}\0${line.text}`
  const known = ruleCache.get(key)
  if (known !== undefined) return known
  const rule = parseRule(line.text)
  const made: CompiledRule = { rule, line, ...compilePatterns(rule, line) }
  if (ruleCache.size >= maxCachedRules) ruleCache.clear()
  ruleCache.set(key, made)
  return made
}

function compilePatterns({ key, pattern }: Rule, { base, effect }: RuleLine): Omit<CompiledRule, 'rule' | 'line'> {
  if (pattern === undefined) return {}
  const door = accessKinds.get(key)
  if (door === 'command' || door === 'outside') return { command: parseCommandPattern(pattern) }
  if (door === 'url') return { host: parseHostPattern(pattern) }
  if (door === 'read' || door === 'write') return { path: compilePathPattern(pattern, { base, effect }) }
  if (door !== undefined) return {}
  // For the calls of one tool: what it touches decides how the pattern is read.
  return {
    ...tryCompile(() => ({ path: compilePathPattern(pattern, { base, effect }) })),
    ...tryCompile(() => ({ command: parseCommandPattern(pattern) })),
    ...tryCompile(() => ({ host: parseHostPattern(pattern) })),
  }
}

function tryCompile<T extends object>(make: () => T): T | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}

/** Something is not to happen, and it cannot be told what: the tool it begins with asks. */
function askInstead(line: RuleLine): CompiledRule[] {
  const tool = /^\s*([A-Za-z][\w.-]*)/.exec(line.text)?.[1]
  if (tool === undefined) return []
  return [{ rule: { text: line.text, tool, key: aliasKey(tool) }, line }]
}

function indexRules(effect: Effect, rules: readonly CompiledRule[]): EffectRules {
  const tools = new Map<string, CompiledRule>()
  const servers = new Map<string, CompiledRule>()
  const own = new Map<string, CompiledRule[]>()
  const byDoor = Map.groupBy(rules, ({ rule }) => (rule.pattern === undefined ? undefined : accessKinds.get(rule.key)))
  for (const ready of rules) {
    const { tool, key, pattern, server } = ready.rule
    if (server !== undefined && !servers.has(server)) servers.set(server, ready)
    // A tool of the person's own may have the very name that is otherwise another name for one of ours.
    for (const name of new Set([key, toolKey(tool)])) {
      if (pattern === undefined) {
        if (!tools.has(name)) tools.set(name, ready)
      } else if (!accessKinds.has(name)) {
        own.set(name, [...(own.get(name) ?? []), ready])
      }
    }
  }
  return {
    effect,
    isEmpty: rules.length === 0,
    tools,
    servers,
    own,
    read: byDoor.get('read') ?? [],
    write: byDoor.get('write') ?? [],
    url: byDoor.get('url') ?? [],
    agent: byDoor.get('agent') ?? [],
    skill: byDoor.get('skill') ?? [],
    command: indexCommandRules(byDoor.get('command') ?? []),
    outside: indexCommandRules(byDoor.get('outside') ?? []),
  }
}

function indexCommandRules(all: readonly CompiledRule[]): CommandRules {
  const byFirst = new Map<string, CompiledRule[]>()
  const others: CompiledRule[] = []
  for (const ready of all) {
    const first = ready.command?.first
    if (first === undefined) others.push(ready)
    else byFirst.set(first, [...(byFirst.get(first) ?? []), ready])
  }
  return { all, byFirst, others }
}
