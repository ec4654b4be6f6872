import path from 'node:path'
import {
  type CommandMatch,
  type CommandPattern,
  type FoundCommand,
  isQuietGit,
  matchWidely,
  mayShowGitHistory,
  mayUseUnnamed,
  programNames,
} from '@troupe/command-policy'
import { type Tool, toolKey } from '../tool/tool.ts'
import type { CallFacts } from './call-facts.ts'
import { mcpKey } from './parse-rule.ts'
import { type CommandFact, pathExists, type PathFact } from './path-facts.ts'
import type { CommandRules, CompiledRule, EffectRules } from './policy.ts'
import { matchHost } from './rule-patterns.ts'

export interface MatchedRule {
  ready: CompiledRule
  what: string
  /** False if only running the call could tell. */
  sure: boolean
}

/**
 * Finds a rule that matches any part of the call. Certain matches take precedence over possible ones. `isMasked`: the
 * sandbox hides the denied files from the command, so only files it names count.
 */
export function findRule(
  rules: EffectRules,
  facts: CallFacts,
  isMasked: (fact: CommandFact) => boolean = () => false,
): MatchedRule | undefined {
  let doubtful: MatchedRule | undefined
  for (const met of matchingRules(rules, facts, isMasked)) {
    if (met.sure) return met
    doubtful ??= met
  }
  return doubtful
}

/** Finds the rule for every call of a tool, under any of its names. */
export function toolRule(rules: EffectRules, tool: Tool): CompiledRule | undefined {
  if (!/^mcp__/i.test(tool.name)) return rules.tools.get(toolKey(tool.name))
  const key = mcpKey(tool.name)
  const known = rules.tools.get(key)
  if (known !== undefined || rules.servers.size === 0) return known
  const server = /^mcp:(.+)$/.exec(tool.group)?.[1] ?? /^mcp__(.+?)__./i.exec(tool.name)?.[1]
  if (server !== undefined) return rules.servers.get(mcpKey(server))
  return rules.servers.entries().find(([name]) => key.startsWith(`mcp_${name}_`))?.[1]
}

/** True if the rule matches the path as spelled or as resolved. */
export function ruleMatchesPath(
  ready: CompiledRule,
  fact: Pick<PathFact, 'spelled' | 'real'>,
  { view }: Pick<CallFacts, 'view'>,
): boolean {
  const { path: pattern } = ready
  if (pattern === undefined) return false
  return pattern.matches(fact.real, view) || (fact.spelled !== fact.real && pattern.matches(fact.spelled, view))
}

function* matchingRules(
  rules: EffectRules,
  facts: CallFacts,
  isMasked: (fact: CommandFact) => boolean,
): Generator<MatchedRule> {
  const { tool, paths, commands, urls, names } = facts
  const own = rules.own.get(toolKey(tool.name)) ?? []
  const byTool = toolRule(rules, tool)
  if (byTool !== undefined) yield { ready: byTool, what: tool.name, sure: true }
  for (const fact of paths) {
    yield* pathRules(rules, fact, own, facts)
    if (fact.tracked === true || (fact.by !== undefined && !isMasked(fact.by))) yield* rulesBelow(rules, fact, facts)
  }
  for (const fact of commands) {
    yield* commandRules(rules, fact, own, facts)
    yield* unnamedFileRules(rules, fact, facts, isMasked(fact))
  }
  for (const { url, host } of urls) {
    for (const ready of [...rulesWithoutPattern(rules, 'webfetch'), ...rules.url, ...own]) {
      const isMet =
        ready.rule.pattern === undefined ||
        (host !== undefined && ready.host !== undefined && matchHost(ready.host, host))
      if (isMet) yield { ready, what: url, sure: true }
    }
  }
  for (const { kind, name } of names) {
    for (const ready of [...rulesWithoutPattern(rules, kind === 'agent' ? 'task' : 'skill'), ...rules[kind], ...own]) {
      if (ready.rule.pattern === undefined || toolKey(ready.rule.pattern) === toolKey(name))
        yield { ready, what: name, sure: true }
    }
  }
}

function* pathRules(
  rules: EffectRules,
  fact: PathFact,
  own: readonly CompiledRule[],
  facts: CallFacts,
): Generator<MatchedRule> {
  for (const ready of rulesWithoutPattern(rules, fact.kind === 'read' ? 'read' : 'edit'))
    yield { ready, what: fact.given, sure: true }
  for (const ready of [...rules[fact.kind], ...(fact.by === undefined ? own : [])]) {
    if (ruleMatchesPath(ready, fact, facts)) yield { ready, what: fact.given, sure: true }
  }
}

/** Yields rules that match something below a folder that is used as a whole. */
function* rulesBelow(rules: EffectRules, fact: PathFact, facts: CallFacts): Generator<MatchedRule> {
  if (fact.tracked !== true && (fact.below === undefined || (fact.part?.name === 'git' && isQuietGit(fact.part))))
    return
  const candidates = rules[fact.kind].filter((ready) => reaches(ready, fact.real, facts))
  if (candidates.length === 0) return
  const { paths, cut } = fact.tracked === true ? { paths: [], cut: true } : fact.below!()
  for (const ready of candidates) {
    const isMet = cut || paths.some((name) => ruleMatchesPath(ready, entryOf(fact, name), facts))
    if (isMet) yield { ready, what: `part of "${fact.given}"`, sure: false }
  }
}

function entryOf({ spelled, real }: PathFact, name: string): Pick<PathFact, 'spelled' | 'real'> {
  return { spelled: path.join(spelled, name), real: path.join(real, name) }
}

function reaches({ path: pattern }: CompiledRule, folder: string, { view }: CallFacts): boolean {
  return pattern?.reaches(folder, view) === true
}

/**
 * Yields rules on files that a command may use without naming them. If those files are masked, only git can still read
 * them, from its object store.
 */
function* unnamedFileRules(
  rules: EffectRules,
  { analysis, parts, access }: CommandFact,
  facts: CallFacts,
  masked: boolean,
): Generator<MatchedRule> {
  const onFiles = [
    ...rules.read,
    ...rules.write,
    ...rulesWithoutPattern(rules, 'read'),
    ...rulesWithoutPattern(rules, 'edit'),
  ]
  if (rules.effect !== 'deny' || onFiles.length === 0) return
  const isUnseen = analysis.unseen !== undefined || (access.typed === true && !masked)
  const what = isUnseen ? access.command : parts.find(masked ? mayShowGitHistory : mayUseUnnamed)?.text
  if (what === undefined) return
  for (const ready of onFiles) if (mayExist(ready, facts, masked)) yield { ready, what, sure: false }
}

/** True if anything exists that the rule could match. For git, anything in the workspace. */
function mayExist({ path: pattern }: CompiledRule, { view }: CallFacts, masked: boolean): boolean {
  if (pattern === undefined) return true
  if (masked) return view.roots.some((root) => pattern.reaches(root, view))
  return pattern.starts(view).some(pathExists)
}

function* commandRules(
  rules: EffectRules,
  fact: CommandFact,
  own: readonly CompiledRule[],
  facts: CallFacts,
): Generator<MatchedRule> {
  const { access, parts } = fact
  for (const ready of rulesWithoutPattern(rules, 'bash')) yield { ready, what: access.command, sure: true }
  const sets = [rules.command, ...(access.outside === true ? [rules.outside] : [])]
  if (access.outside === true)
    for (const ready of rulesWithoutPattern(rules, 'outside')) yield { ready, what: access.command, sure: true }
  for (const found of parts) {
    for (const set of sets) yield* rulesForCommand(candidates(set, found), found)
    yield* rulesForCommand(own, found)
  }
  yield* argumentRules(rules, fact, facts)
}

function* rulesForCommand(candidates: readonly CompiledRule[], found: FoundCommand): Generator<MatchedRule> {
  for (const ready of candidates) {
    const match = ready.command === undefined ? 'no' : matchCommandRule(ready.command, found)
    if (match !== 'no') yield { ready, what: found.text, sure: match === 'yes' }
  }
}

/** Matches the command as written and as guessed. A command without any known word is covered by `unseen`. */
function matchCommandRule(pattern: CommandPattern, found: FoundCommand): CommandMatch {
  const written = { words: found.argv ?? found.literalPrefix, complete: found.argv !== null }
  const matches = [written, found.guess]
    .filter(({ words }) => words.length > 0)
    .map((words) => matchWidely(pattern, words))
  return matches.find((match) => match === 'yes') ?? matches.find((match) => match === 'maybe') ?? 'no'
}

function candidates(rules: CommandRules, { argv, literalPrefix, guess }: FoundCommand): readonly CompiledRule[] {
  if (rules.all.length === 0) return rules.all
  const programs = [(argv ?? literalPrefix)[0], guess.words[0]].filter((name) => name !== undefined)
  const names = new Set(programs.flatMap(programNames))
  return [...[...names].flatMap((name) => rules.byFirst.get(name) ?? []), ...rules.others]
}

/** An unknown program reads the files it is given. It may also write them. */
function* argumentRules(rules: EffectRules, fact: CommandFact, facts: CallFacts): Generator<MatchedRule> {
  if (rules.read.length === 0 && rules.write.length === 0) return
  for (const { file, found } of fact.wordFiles()) {
    for (const ready of rules.read)
      if (ruleMatchesPath(ready, file, facts)) yield { ready, what: found.text, sure: true }
    for (const ready of rules.write)
      if (ruleMatchesPath(ready, file, facts)) yield { ready, what: found.text, sure: false }
  }
}

function rulesWithoutPattern(rules: EffectRules, key: string): CompiledRule[] {
  const ready = rules.tools.get(key)
  return ready === undefined ? [] : [ready]
}
