import { allowsCommand, type FoundCommand } from '@troupe/command-policy'
import { type CallFacts, isSandboxed } from './call-facts.ts'
import { type CommandFact, commandPath, needsGrant, type PathFact } from './path-facts.ts'
import type { CompiledRule, EffectRules, Policy } from './policy.ts'
import { suggestCommandRules } from './suggest-rules.ts'

export interface Check {
  /** Reason approval is still missing. Absent once approved. */
  why?: string
  rule?: CompiledRule
  /** No allow rule can approve it. */
  firm?: true
  remember?: readonly string[]
}

/** The tool's own answer on approval. Undefined if it has none. */
export type ToolApprovalNeed = boolean | undefined | { failed: string }

export interface CheckContext {
  facts: CallFacts
  policy: Policy
  allow: EffectRules
  /** Allow rule for every call of the tool. */
  byTool: CompiledRule | undefined
  /** Allow rules with a pattern that apply only to this tool. */
  ofTool: readonly CompiledRule[]
  own: ToolApprovalNeed
  leaves: Map<CommandFact, CommandPermission>
}

export type CommandPermission =
  /** Read-only, or confined so that it can do nothing else. */
  | { by: 'nature' }
  /** A rule for all commands, or rules for each part. */
  | { by: 'tool-rule' | 'rules'; rule: CompiledRule }
  | { by: 'mode' }
  | { by: 'nobody'; check: Check }

export function checkCommand(fact: CommandFact, scene: CheckContext): CommandPermission {
  const { policy, allow, byTool } = scene
  const { access, analysis, unknownFiles } = fact
  if (wantsOutside(fact, scene)) return checkOutsideCommand(fact, scene)
  // Typed input may go to a program that is not a shell.
  const isTyped = access.typed === true
  if (analysis.harmless && !isTyped) return { by: 'nature' }
  const everything = unknownFiles === undefined ? (byTool ?? allow.tools.get('bash')) : undefined
  if (everything !== undefined) return { by: 'tool-rule', rule: everything }
  const named = isSandboxed(fact, policy) ? () => false : namesOutsideFile(fact)
  const ruleOf = (found: FoundCommand): CompiledRule | undefined =>
    commandRule(found, scene, named(found) ? isExact : undefined)
  const covering = isTyped || unknownFiles !== undefined ? undefined : coveringRule(fact, ruleOf, scene)
  if (covering !== undefined) return { by: 'rules', rule: covering }
  if (isAllowedByMode(fact, policy)) return { by: 'mode' }
  if (isTyped) return needsApproval('Input typed into a running program can do anything there.')
  if (unknownFiles !== undefined) return needsApproval(unknownFiles)
  if (policy.sandbox && isContained(fact)) return { by: 'nature' }
  const why = (policy.sandbox ? analysis.whyNotContained : undefined) ?? analysis.why ?? 'It may make changes.'
  return needsApproval(
    why,
    suggestCommandRules('Bash', fact, (found) => ruleOf(found) !== undefined),
  )
}

/** Finds parts of unknown programs with an argument that is a secret or a file outside the workspace. */
function namesOutsideFile(fact: CommandFact): (found: FoundCommand) => boolean {
  return (found) =>
    !found.known &&
    !found.harmless &&
    fact
      .wordFiles()
      .some(
        ({ file, found: by }) => by === found && 'kind' in file && needsGrant(file as PathFact) && !isSystem(file.real),
      )
}

/** Matches programs and their support files. */
function isSystem(real: string): boolean {
  return /^\/(usr|bin|sbin|lib|lib64|opt|dev(?!\/shm\/))(\/|$)/.test(real)
}

function isExact(ready: CompiledRule): boolean {
  return ready.command?.exact === true
}

export function wantsOutside({ access }: CommandFact, { policy }: Pick<CheckContext, 'policy'>): boolean {
  return access.outside === true && policy.sandbox
}

/** True if the mode alone allows it: `bypass` allows everything, `accept-edits` everything the sandbox can hold. */
function isAllowedByMode({ access }: CommandFact, { mode, sandbox }: Policy): boolean {
  if (mode !== 'accept-edits') return mode === 'bypass'
  return sandbox && access.outside !== true && access.typed !== true
}

/** True if it may run without approval where it cannot write. */
export function isContained({ access, analysis }: CommandFact): boolean {
  return analysis.contained && access.writes !== true && access.typed !== true
}

function checkOutsideCommand(fact: CommandFact, scene: CheckContext): CommandPermission {
  const { policy, allow } = scene
  const everything = allow.tools.get('outside')
  if (everything !== undefined) return { by: 'tool-rule', rule: everything }
  const ruleOf = (found: FoundCommand): CompiledRule | undefined => findCommandRule(allow.outside.all, found)
  const covering = coveringRule(fact, ruleOf, scene)
  if (covering !== undefined) return { by: 'rules', rule: covering }
  if (policy.mode === 'bypass') return { by: 'mode' }
  const leave = needsApproval(
    'It wants to run outside the sandbox, with access to the network and your files.',
    suggestCommandRules('Outside', fact, (found) => ruleOf(found) !== undefined),
  )
  return { ...leave, check: { ...leave.check, firm: true } }
}

function needsApproval(why: string, remember: readonly string[] = []): { by: 'nobody'; check: Check } {
  return { by: 'nobody', check: { why, remember: remember.length > 0 ? remember : undefined } }
}

/**
 * Finds the rule that allows a part's exact words, and thereby the files it names. Applies only if no other part could
 * use these files.
 */
export function exactRule({ by, part }: PathFact, scene: CheckContext): CompiledRule | undefined {
  if (by === undefined || part === undefined || scene.allow.command.all.length + scene.ofTool.length === 0)
    return undefined
  if (by.analysis.overLimit !== undefined || by.analysis.unseen !== undefined) return undefined
  const others = by.analysis.commands.filter((found) => found.text !== part.text)
  const canUse = (found: FoundCommand): boolean => {
    if (found.harmless || found.transparent === true) return false
    return !found.writes.some(({ meant }) => meant === true) || commandRule(found, scene, isExact) === undefined
  }
  return others.some(canUse) ? undefined : commandRule(part, scene, isExact)
}

function commandRule(
  found: FoundCommand,
  { allow, ofTool }: CheckContext,
  counts: (ready: CompiledRule) => boolean = () => true,
): CompiledRule | undefined {
  const first = (found.argv ?? found.literalPrefix)[0]
  const named = first === undefined ? [] : (allow.command.byFirst.get(first) ?? [])
  return findCommandRule([...named, ...allow.command.others, ...ofTool].filter(counts), found)
}

/** Returns one of the rules if every part matches one or needs none. Undefined if a part is unmatched or unknown. */
function coveringRule(
  fact: CommandFact,
  ruleOf: (found: FoundCommand) => CompiledRule | undefined,
  { policy, facts }: CheckContext,
): CompiledRule | undefined {
  const { analysis, parts } = fact
  if (analysis.overLimit !== undefined || analysis.unseen !== undefined) return undefined
  const held = isSandboxed(fact, policy)
  let rule: CompiledRule | undefined
  for (const found of parts) {
    // A rule for these words does not permit files that they resolve to later. In the sandbox they cannot be opened.
    if (found.late === true && !held) return undefined
    const own = ruleOf(found)
    rule ??= own
    if (found.harmless || found.transparent === true) continue
    if (own === undefined || !isAtHome(found)) return undefined
  }
  return rule

  /** The same words can run something else in another folder. */
  function isAtHome({ cwds }: FoundCommand): boolean {
    if (cwds === null) return held
    return cwds.every((folder) => commandPath('read', folder, facts.view).inside)
  }
}

function findCommandRule(rules: readonly CompiledRule[], found: FoundCommand): CompiledRule | undefined {
  if (rules.length === 0 || !found.assignments.every(({ safe }) => safe)) return undefined
  const given = { words: found.argv ?? found.literalPrefix, complete: found.argv !== null }
  return rules.find(({ command }) => command !== undefined && allowsCommand(command, given))
}
