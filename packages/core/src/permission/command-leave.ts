import type { CommandFact } from './call-facts.ts'
import type { Check, Scene } from './check-call.ts'
import { matchCommand } from './command-pattern.ts'
import type { FoundCommand } from './command/command-analysis.ts'
import type { ReadyRule } from './compile-rules.ts'
import { rememberCommand } from './remember.ts'

/** Who lets a command run. */
export type CommandLeave =
  /** It only looks, or can do nothing else where it runs. */
  | { by: 'nature' }
  /** A rule for all commands, or rules for each of its parts, be it letter by letter. `outside`: without the sandbox. */
  | { by: 'tool-rule' | 'rules' | 'exact-rules'; rule: ReadyRule; outside: boolean }
  | { by: 'mode' }
  | { by: 'nobody'; check: Check }

export function commandLeave(fact: CommandFact, scene: Scene): CommandLeave {
  const { policy, allow, byTool, ofTool } = scene
  const { access, analysis, unknownFiles } = fact
  if (wantsOut(fact, scene)) return outsideLeave(fact, scene)
  // Whatever is typed, the program that takes it need not be a shell.
  const isTyped = access.typed === true
  if (analysis.harmless && !isTyped) return { by: 'nature' }
  const everything = unknownFiles === undefined ? (byTool ?? allow.tools.get('bash')) : undefined
  if (everything !== undefined) return { by: 'tool-rule', rule: everything, outside: false }
  const ruleOf = (found: FoundCommand): ReadyRule | undefined => {
    const first = (found.argv ?? found.literalPrefix)[0]
    const named = first === undefined ? [] : (allow.command.byFirst.get(first) ?? [])
    return find(named, found) ?? find(allow.command.others, found) ?? find(ofTool, found)
  }
  const covered = isTyped || unknownFiles !== undefined ? undefined : coveredParts(fact, ruleOf)
  if (covered !== undefined) return { ...covered, outside: false }
  if (policy.mode === 'bypass' || (policy.mode === 'accept-edits' && policy.sandbox && !isTyped)) return { by: 'mode' }
  if (isTyped) return nobody('What is typed into a program that runs can do anything there.')
  if (unknownFiles !== undefined) return nobody(unknownFiles)
  if (policy.sandbox && isContained(fact)) return { by: 'nature' }
  const why = (policy.sandbox ? analysis.whyNotContained : undefined) ?? analysis.why ?? 'It may change things.'
  return nobody(
    why,
    rememberCommand('Bash', analysis, (found) => ruleOf(found) !== undefined),
  )
}

/** It wants to leave the sandbox, and there is one to leave. */
export function wantsOut({ access }: CommandFact, { policy }: Pick<Scene, 'policy'>): boolean {
  return access.outside === true && policy.sandbox
}

/** It may run unasked where nothing can be written. */
export function isContained({ access, analysis }: CommandFact): boolean {
  return analysis.contained && access.writes !== true && access.typed !== true
}

function outsideLeave(fact: CommandFact, { policy, allow }: Scene): CommandLeave {
  const everything = allow.tools.get('outside')
  if (everything !== undefined) return { by: 'tool-rule', rule: everything, outside: true }
  const ruleOf = (found: FoundCommand): ReadyRule | undefined => find(allow.outside.all, found)
  const covered = coveredParts(fact, ruleOf)
  if (covered !== undefined) return { ...covered, outside: true }
  if (policy.mode === 'bypass') return { by: 'mode' }
  const leave = nobody(
    'It wants to run outside the sandbox, with the network and your files within reach.',
    rememberCommand('Outside', fact.analysis, (found) => ruleOf(found) !== undefined),
  )
  return { ...leave, check: { ...leave.check, firm: true } }
}

function nobody(why: string, remember: readonly string[] = []): { by: 'nobody'; check: Check } {
  return { by: 'nobody', check: { why, ...(remember.length > 0 && { remember }) } }
}

/** Every part is met by a rule, or needs none. Undefined when one is not, or when not all parts are known. */
function coveredParts(
  { analysis }: CommandFact,
  ruleOf: (found: FoundCommand) => ReadyRule | undefined,
): { by: 'rules' | 'exact-rules'; rule: ReadyRule } | undefined {
  if (analysis.overLimit !== undefined) return undefined
  let rule: ReadyRule | undefined
  let isExact = true
  for (const found of analysis.commands) {
    if (found.harmless || found.transparent === true) continue
    const own = ruleOf(found)
    if (own === undefined) return undefined
    rule ??= own
    isExact &&= own.command?.exact === true
  }
  return rule === undefined ? undefined : { by: isExact ? 'exact-rules' : 'rules', rule }
}

function find(rules: readonly ReadyRule[], found: FoundCommand): ReadyRule | undefined {
  if (rules.length === 0 || !found.assignments.every(({ safe }) => safe)) return undefined
  const given = { words: found.argv ?? found.literalPrefix, complete: found.argv !== null }
  return rules.find(({ command }) => command !== undefined && matchCommand(command, given) === 'yes')
}
