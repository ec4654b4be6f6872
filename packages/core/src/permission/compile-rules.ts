import { aliasKey } from '../tool-aliases.ts'
import { toolKey } from '../tool.ts'
import { parseCommandPattern, type CommandPattern } from './command-pattern.ts'
import { parseHostPattern, type HostPattern } from './host-pattern.ts'
import { doors, parseRule, type Rule } from './parse-rule.ts'
import { compilePathPattern, type PathPattern } from './path-pattern.ts'
import type { Effect, RuleLine, RuleProblem, RuleSet } from './rule-set.ts'

/** A line made ready. The pattern is compiled for whatever kind of access it may meet. */
export interface ReadyRule {
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
  readonly tools: ReadonlyMap<string, ReadyRule>
  readonly servers: ReadonlyMap<string, ReadyRule>
  readonly read: readonly ReadyRule[]
  readonly write: readonly ReadyRule[]
  readonly url: readonly ReadyRule[]
  readonly agent: readonly ReadyRule[]
  readonly skill: readonly ReadyRule[]
  readonly command: CommandRules
  readonly outside: CommandRules
  /** Rules with a pattern for the calls of one tool alone, by its key. */
  readonly own: ReadonlyMap<string, readonly ReadyRule[]>
}

export interface CommandRules {
  readonly all: readonly ReadyRule[]
  /** By the first word, where that is a plain text. */
  readonly byFirst: ReadonlyMap<string, readonly ReadyRule[]>
  readonly others: readonly ReadyRule[]
}

export type RuleIndex = Readonly<Record<Effect, EffectRules>>

/** Never throws: what cannot be read is among the problems. */
export function compileRules(lines: readonly RuleLine[]): RuleSet {
  const problems: RuleProblem[] = []
  const ready: Record<Effect, ReadyRule[]> = { deny: [], ask: [], allow: [] }
  for (const line of lines) {
    try {
      ready[line.effect].push(readyRule(line))
    } catch (error) {
      problems.push({ line, message: (error as Error).message })
      if (line.effect !== 'allow') ready.ask.push(...insteadOf(line))
    }
  }
  const index = {
    deny: indexOf('deny', ready.deny.toSorted(byText)),
    ask: indexOf('ask', ready.ask.toSorted(byText)),
    allow: indexOf('allow', ready.allow.toSorted(byText)),
  }
  return { lines: [...lines], problems, index }
}

/** So that the same rule is named however they are written down. */
function byText(one: ReadyRule, other: ReadyRule): number {
  return one.line.text < other.line.text ? -1 : one.line.text > other.line.text ? 1 : 0
}

/** Rules are compiled anew whenever one is added; nearly all of them were there before. */
const kept = new Map<string, ReadyRule>()
const mostKept = 20_000

function readyRule(line: RuleLine): ReadyRule {
  const key = `${line.effect} ${line.layer} ${line.base}\0${line.text}`
  const known = kept.get(key)
  if (known !== undefined) return known
  const rule = parseRule(line.text)
  const made: ReadyRule = { rule, line, ...patterns(rule, line) }
  if (kept.size >= mostKept) kept.clear()
  kept.set(key, made)
  return made
}

function patterns({ key, pattern }: Rule, { base, effect }: RuleLine): Omit<ReadyRule, 'rule' | 'line'> {
  if (pattern === undefined) return {}
  const door = doors.get(key)
  if (door === 'command' || door === 'outside') return { command: parseCommandPattern(pattern) }
  if (door === 'url') return { host: parseHostPattern(pattern) }
  if (door === 'read' || door === 'write') return { path: compilePathPattern(pattern, { base, effect }) }
  if (door !== undefined) return {}
  // For the calls of one tool: what it touches decides how the pattern is read.
  return {
    ...orNothing(() => ({ path: compilePathPattern(pattern, { base, effect }) })),
    ...orNothing(() => ({ command: parseCommandPattern(pattern) })),
    ...orNothing(() => ({ host: parseHostPattern(pattern) })),
  }
}

function orNothing<T extends object>(make: () => T): T | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}

/** Something is not to happen, and it cannot be told what: the tool it begins with asks. */
function insteadOf(line: RuleLine): ReadyRule[] {
  const tool = /^\s*([A-Za-z][\w.-]*)/.exec(line.text)?.[1]
  if (tool === undefined) return []
  return [{ rule: { text: line.text, tool, key: aliasKey(tool) }, line }]
}

function indexOf(effect: Effect, rules: readonly ReadyRule[]): EffectRules {
  const tools = new Map<string, ReadyRule>()
  const servers = new Map<string, ReadyRule>()
  const own = new Map<string, ReadyRule[]>()
  const byDoor = Map.groupBy(rules, ({ rule }) => (rule.pattern === undefined ? undefined : doors.get(rule.key)))
  for (const ready of rules) {
    const { tool, key, pattern, server } = ready.rule
    if (server !== undefined && !servers.has(server)) servers.set(server, ready)
    // A tool of the person's own may have the very name that is otherwise another name for one of ours.
    for (const name of new Set([key, toolKey(tool)])) {
      if (pattern === undefined) {
        if (!tools.has(name)) tools.set(name, ready)
      } else if (!doors.has(name)) {
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
    command: commandRules(byDoor.get('command') ?? []),
    outside: commandRules(byDoor.get('outside') ?? []),
  }
}

function commandRules(all: readonly ReadyRule[]): CommandRules {
  const byFirst = new Map<string, ReadyRule[]>()
  const others: ReadyRule[] = []
  for (const ready of all) {
    const first = ready.command?.first
    if (first === undefined) others.push(ready)
    else byFirst.set(first, [...(byFirst.get(first) ?? []), ready])
  }
  return { all, byFirst, others }
}
