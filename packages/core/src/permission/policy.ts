import { homedir } from 'node:os'
import { type CommandPattern, parseCommandPattern } from '@troupe/command-policy'
import type { Effect, Mode } from '../access/decision.ts'
import { aliasKey } from '../tool/tool-aliases.ts'
import { toolKey, type ToolContext } from '../tool/tool.ts'
import { accessKinds, parseRule, type Rule } from './parse-rule.ts'
import { compilePathPattern, type HostPattern, parseHostPattern, type PathPattern } from './rule-patterns.ts'
import { z } from 'zod'

/**
 * Everything besides the call that a decision depends on. Provided by the caller that starts runs, and read again for
 * every call.
 */
export interface Policy {
  mode: Mode
  rules: RuleSet
  sandbox: boolean
  /** The person's home folder, for `~/` in rules and for secrets in it. */
  home: string
  /** Our own home folder. Nothing in it is read or changed without approval, except `readable` of the agent's state. */
  troupeHome?: string
  /** The only file that may be written in plan mode. */
  planFile?: string
  /** URLs the person typed in this chat (`addressesIn`). Exactly these are fetched without approval. */
  addresses?: readonly string[]
  /** Reason that a rules file cannot be read. Its deny rules are unknown, so nothing runs without approval. */
  unreadable?: string
  /** The only tools and hosts that an administrator allows. Everything else is denied, in every mode. */
  only?: { tools?: RuleSet | undefined; hosts?: RuleSet | undefined }
  /** Several models answer the same message. Changes always need approval, and no rule is offered to remember. */
  compared?: boolean
}

export interface PolicyOptions extends Partial<Omit<Policy, 'rules'>> {
  /** Layer of the rules; `base` is the folder that `/` refers to. Default: user rules, from the home folder. */
  layer?: Layer
  base?: string
}

/** Creates a policy from plain lists, for programs without rule layers. */
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

export interface RuleLine {
  text: string
  effect: Effect
  layer: Layer
  /** Folder that `/` in a path rule refers to: the workspace, or the home folder for user rules. */
  base: string
}

export interface RuleProblem {
  line: RuleLine
  message: string
}

/** Rules compiled for thousands of checks per second. Created by `compileRules`. */
export interface RuleSet {
  readonly lines: readonly RuleLine[]
  /** Invalid lines. An invalid deny or ask rule makes the tool it names, if any, ask. */
  readonly problems: readonly RuleProblem[]
  readonly index: RuleIndex
}

/** Compiled rule. The pattern is compiled for every kind of access it may match. */
export interface CompiledRule {
  readonly rule: Rule
  readonly line: RuleLine
  readonly path?: PathPattern
  readonly command?: CommandPattern
  readonly host?: HostPattern
}

export interface EffectRules {
  readonly effect: Effect
  readonly isEmpty: boolean
  /** Rules without a pattern, by tool key. `servers` holds those for whole MCP servers. */
  readonly tools: ReadonlyMap<string, CompiledRule>
  readonly servers: ReadonlyMap<string, CompiledRule>
  readonly read: readonly CompiledRule[]
  readonly write: readonly CompiledRule[]
  readonly url: readonly CompiledRule[]
  readonly agent: readonly CompiledRule[]
  readonly skill: readonly CompiledRule[]
  readonly command: CommandRules
  readonly outside: CommandRules
  /** Rules with a pattern that apply to one tool only, by tool key. */
  readonly own: ReadonlyMap<string, readonly CompiledRule[]>
}

export interface CommandRules {
  readonly all: readonly CompiledRule[]
  /** By first word, if that is literal text. */
  readonly byFirst: ReadonlyMap<string, readonly CompiledRule[]>
  readonly others: readonly CompiledRule[]
}

type RuleIndex = Readonly<Record<Effect, EffectRules>>

/** Never throws. Invalid lines are reported in `problems`. */
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

/** Makes the reported rule independent of the order in which rules are written. */
function byText(one: CompiledRule, other: CompiledRule): number {
  return one.line.text < other.line.text ? -1 : one.line.text > other.line.text ? 1 : 0
}

/** Rules are recompiled whenever one is added, and nearly all are unchanged. */
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
  // For a single tool's calls, the kind of access decides how the pattern is read.
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

/** The rule forbids something unknown, so the tool it starts with asks. */
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
    // A user's own tool may have a name that is an alias of one of ours.
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

/**
 * Tools each active skill allows without asking. Includes skills of the agent's starter, of the message, and those the
 * model loaded since.
 */
export function activeSkillLimits(ctx: ToolContext): readonly (readonly string[])[] {
  const inherited = ctx.agent.skillLimits ?? []
  const own = ctx.state.skills?.limits ?? []
  const loaded = loadedSkillLimits(ctx)
  return inherited.length + loaded.length === 0 ? own : [...inherited, ...own, ...loaded]
}

const compiled = new Map<string, RuleSet>()

export function compileLimit(limit: readonly string[], base: string): RuleSet {
  const key = [base, ...limit].join('\n')
  const known = compiled.get(key)
  if (known !== undefined) return known
  const rules = compileRules(limit.map((text) => ({ text, effect: 'allow', layer: 'session', base })))
  if (compiled.size >= 100) compiled.clear()
  compiled.set(key, rules)
  return rules
}

const outputSchema = z.object({ runId: z.string(), limits: z.array(z.array(z.string())) })

/**
 * Tools that the skills loaded in this run allow without asking. Computed once: an earlier process may have loaded
 * some, and the newest Skill result lists them all.
 */
export function loadedSkillLimits(
  ctx: Pick<ToolContext, 'state' | 'run' | 'lastOutput'>,
): readonly (readonly string[])[] {
  const { skills } = ctx.state
  if (skills === undefined) return []
  if (skills.loaded?.runId !== ctx.run.id) {
    const newest = outputSchema.safeParse(ctx.lastOutput('Skill')).data
    skills.loaded = { runId: ctx.run.id, limits: newest?.runId === ctx.run.id ? newest.limits : [] }
  }
  return skills.loaded.limits
}
