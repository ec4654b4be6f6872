import type { CommandFact } from './command-fact.ts'
import type { Check, Scene } from './check-call.ts'
import { matchCommand } from './command-pattern.ts'
import type { FoundCommand } from './command/command-analysis.ts'
import type { ReadyRule } from './compile-rules.ts'
import type { Policy } from './policy.ts'
import { rememberCommand } from './remember.ts'

/** Who lets a command run. */
export type CommandLeave =
  /** It only looks, or can do nothing else where it runs. */
  | { by: 'nature' }
  /** A rule for all commands, or rules for each of its parts. */
  | { by: 'tool-rule' | 'rules'; rule: ReadyRule }
  | { by: 'mode' }
  | { by: 'nobody'; check: Check }

export function commandLeave(fact: CommandFact, scene: Scene): CommandLeave {
  const { policy, allow, byTool } = scene
  const { access, analysis, unknownFiles } = fact
  if (wantsOut(fact, scene)) return outsideLeave(fact, scene)
  // Whatever is typed, the program that takes it need not be a shell.
  const isTyped = access.typed === true
  if (analysis.harmless && !isTyped) return { by: 'nature' }
  const everything = unknownFiles === undefined ? (byTool ?? allow.tools.get('bash')) : undefined
  if (everything !== undefined) return { by: 'tool-rule', rule: everything }
  const ruleOf = (found: FoundCommand): ReadyRule | undefined => commandRule(found, scene)
  const covering = isTyped || unknownFiles !== undefined ? undefined : coveringRule(fact, ruleOf)
  if (covering !== undefined) return { by: 'rules', rule: covering }
  if (runsByMode(fact, policy)) return { by: 'mode' }
  if (isTyped) return nobody('What is typed into a program that runs can do anything there.')
  if (unknownFiles !== undefined) return nobody(unknownFiles)
  if (policy.sandbox && isContained(fact)) return { by: 'nature' }
  const why = (policy.sandbox ? analysis.whyNotContained : undefined) ?? analysis.why ?? 'It may change things.'
  return nobody(
    why,
    rememberCommand('Bash', fact, (found) => ruleOf(found) !== undefined),
  )
}

/** It wants to leave the sandbox, and there is one to leave. */
export function wantsOut({ access }: CommandFact, { policy }: Pick<Scene, 'policy'>): boolean {
  return access.outside === true && policy.sandbox
}

/** The mode alone lets it run: everything does, or everything that the sandbox can hold. */
export function runsByMode({ access }: CommandFact, { mode, sandbox }: Policy): boolean {
  if (mode !== 'accept-edits') return mode === 'bypass'
  return sandbox && access.outside !== true && access.typed !== true
}

/** It may run unasked where nothing can be written. */
export function isContained({ access, analysis }: CommandFact): boolean {
  return analysis.contained && access.writes !== true && access.typed !== true
}

function outsideLeave(fact: CommandFact, { policy, allow }: Scene): CommandLeave {
  const everything = allow.tools.get('outside')
  if (everything !== undefined) return { by: 'tool-rule', rule: everything }
  const ruleOf = (found: FoundCommand): ReadyRule | undefined => find(allow.outside.all, found)
  const covering = coveringRule(fact, ruleOf)
  if (covering !== undefined) return { by: 'rules', rule: covering }
  if (policy.mode === 'bypass') return { by: 'mode' }
  const leave = nobody(
    'It wants to run outside the sandbox, with the network and your files within reach.',
    rememberCommand('Outside', fact, (found) => ruleOf(found) !== undefined),
  )
  return { ...leave, check: { ...leave.check, firm: true } }
}

function nobody(why: string, remember: readonly string[] = []): { by: 'nobody'; check: Check } {
  return { by: 'nobody', check: { why, ...(remember.length > 0 && { remember }) } }
}

/** Rules allow the very words of every part, so the files among them too. One of those rules. */
export function exactRule({ analysis, parts }: CommandFact, scene: Scene): ReadyRule | undefined {
  if (
    scene.allow.command.all.length + scene.ofTool.length === 0 ||
    analysis.overLimit !== undefined ||
    analysis.unseen !== undefined
  )
    return undefined
  let rule: ReadyRule | undefined
  for (const found of parts) {
    if (found.transparent === true) continue
    rule = commandRule(found, scene, (ready) => ready.command?.exact === true)
    if (rule === undefined) return undefined
  }
  return rule
}

function commandRule(
  found: FoundCommand,
  { allow, ofTool }: Scene,
  counts: (ready: ReadyRule) => boolean = () => true,
): ReadyRule | undefined {
  const first = (found.argv ?? found.literalPrefix)[0]
  const named = first === undefined ? [] : (allow.command.byFirst.get(first) ?? [])
  return find([...named, ...allow.command.others, ...ofTool].filter(counts), found)
}

/** One of the rules when every part is met by one, or needs none. Undefined when a part is not, or is not known. */
function coveringRule(
  { analysis, parts }: CommandFact,
  ruleOf: (found: FoundCommand) => ReadyRule | undefined,
): ReadyRule | undefined {
  if (analysis.overLimit !== undefined || analysis.unseen !== undefined) return undefined
  let rule: ReadyRule | undefined
  for (const found of parts) {
    if (found.harmless || found.transparent === true) continue
    const own = ruleOf(found)
    if (own === undefined) return undefined
    rule ??= own
  }
  return rule
}

function find(rules: readonly ReadyRule[], found: FoundCommand): ReadyRule | undefined {
  if (rules.length === 0 || !found.assignments.every(({ safe }) => safe)) return undefined
  const given = { words: found.argv ?? found.literalPrefix, complete: found.argv !== null }
  return rules.find(({ command }) => command !== undefined && matchCommand(command, given) === 'yes')
}
