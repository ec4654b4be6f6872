import type { CommandFact } from './path-fact.ts'
import { isSandboxed } from './command-fact.ts'
import type { Check, CheckContext } from './check-call.ts'
import { allowsCommand } from './command-pattern.ts'
import type { FoundCommand } from './command/command-analysis.ts'
import type { CompiledRule } from './compile-rules.ts'
import { commandPath, needsGrant, type PathFact } from './path-fact.ts'
import type { Policy } from './policy.ts'
import { suggestCommandRules } from './remember.ts'

/** Who lets a command run. */
export type CommandPermission =
  /** It only looks, or can do nothing else where it runs. */
  | { by: 'nature' }
  /** A rule for all commands, or rules for each of its parts. */
  | { by: 'tool-rule' | 'rules'; rule: CompiledRule }
  | { by: 'mode' }
  | { by: 'nobody'; check: Check }

export function checkCommand(fact: CommandFact, scene: CheckContext): CommandPermission {
  const { policy, allow, byTool } = scene
  const { access, analysis, unknownFiles } = fact
  if (wantsOutside(fact, scene)) return checkOutsideCommand(fact, scene)
  // Whatever is typed, the program that takes it need not be a shell.
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
  if (isTyped) return needsApproval('What is typed into a program that runs can do anything there.')
  if (unknownFiles !== undefined) return needsApproval(unknownFiles)
  if (policy.sandbox && isContained(fact)) return { by: 'nature' }
  const why = (policy.sandbox ? analysis.whyNotContained : undefined) ?? analysis.why ?? 'It may change things.'
  return needsApproval(
    why,
    suggestCommandRules('Bash', fact, (found) => ruleOf(found) !== undefined),
  )
}

/** Which parts have a word that is a file outside the workspace, or a secret, though nobody knows what they do with it. */
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

/** Programs and what comes with them. */
function isSystem(real: string): boolean {
  return /^\/(usr|bin|sbin|lib|lib64|opt|dev(?!\/shm\/))(\/|$)/.test(real)
}

function isExact(ready: CompiledRule): boolean {
  return ready.command?.exact === true
}

/** It wants to leave the sandbox, and there is one to leave. */
export function wantsOutside({ access }: CommandFact, { policy }: Pick<CheckContext, 'policy'>): boolean {
  return access.outside === true && policy.sandbox
}

/** The mode alone lets it run: everything does, or everything that the sandbox can hold. */
export function isAllowedByMode({ access }: CommandFact, { mode, sandbox }: Policy): boolean {
  if (mode !== 'accept-edits') return mode === 'bypass'
  return sandbox && access.outside !== true && access.typed !== true
}

/** It may run unasked where nothing can be written. */
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
    'It wants to run outside the sandbox, with the network and your files within reach.',
    suggestCommandRules('Outside', fact, (found) => ruleOf(found) !== undefined),
  )
  return { ...leave, check: { ...leave.check, firm: true } }
}

function needsApproval(why: string, remember: readonly string[] = []): { by: 'nobody'; check: Check } {
  return { by: 'nobody', check: { why, ...(remember.length > 0 && { remember }) } }
}

/**
 * The rule that allows the very words of a part, and so the files among them. Only where nothing runs beside it that
 * could make use of these files.
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

/** The allow rule that means a part of a command. */
export function commandRule(
  found: FoundCommand,
  { allow, ofTool }: CheckContext,
  counts: (ready: CompiledRule) => boolean = () => true,
): CompiledRule | undefined {
  const first = (found.argv ?? found.literalPrefix)[0]
  const named = first === undefined ? [] : (allow.command.byFirst.get(first) ?? [])
  return findCommandRule([...named, ...allow.command.others, ...ofTool].filter(counts), found)
}

/** One of the rules when every part is met by one, or needs none. Undefined when a part is not, or is not known. */
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
    // A rule for some words is no leave to open whatever file these may lead to. Where it is held it cannot.
    if (found.late === true && !held) return undefined
    const own = ruleOf(found)
    rule ??= own
    if (found.harmless || found.transparent === true) continue
    if (own === undefined || !isAtHome(found)) return undefined
  }
  return rule

  /** In another folder the same words run something else. */
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
