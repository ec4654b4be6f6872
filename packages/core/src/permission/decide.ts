import type { Tool, ToolContext } from '../tool.ts'
import { callFacts, type CallFacts } from './call-facts.ts'
import { isHeld } from './command-fact.ts'
import { checkCall, type CallChecks, type OwnWord } from './check-call.ts'
import type { Decision } from './decision.ts'
import { findRule, type MetRule } from './find-rule.ts'
import { isBeyond, verbOf } from './path-fact.ts'
import { grantsOf } from './grants.ts'
import type { PermissionContext } from './permission-context.ts'
import { planRefusal } from './plan-refusal.ts'
import type { Policy } from './policy.ts'
import { rememberable } from './remember.ts'

/**
 * May this call run? The same for every tool and at every depth of agents. What must never run and what a rule forbids
 * is denied, in every mode; in plan mode also whatever could write. What an ask rule meets is asked for. Everything
 * else that the call touches needs a yes: from allow rules, from the mode, or because it does no harm. Order, layer and
 * length of rules never matter. The input is a parsed one. A promise only where the tool's own word is one.
 */
export function decide(
  call: { tool: Tool; input: unknown },
  ctx: PermissionContext,
  policy: Policy,
): Decision | Promise<Decision> {
  const facts = callFacts(call, ctx, policy)
  const floor = facts.commands.find(({ analysis }) => analysis.floor !== undefined)?.analysis.floor
  if (floor !== undefined) return { decision: 'deny', reason: floor, rule: null, ...shownCommands(facts) }
  const forbidding = findRule(policy.rules.index.deny, facts, (fact) => isHeld(fact, policy))
  if (forbidding?.sure === true) return { decision: 'deny', ...because(forbidding, 'forbids'), ...shownCommands(facts) }
  const own = ownWord(call, ctx)
  const settled = (word: OwnWord): Decision => settle(facts, policy, word, forbidding)
  return own instanceof Promise ? own.then(settled) : settled(own)
}

type Because = Pick<Decision, 'reason' | 'rule'>

function settle(facts: CallFacts, policy: Policy, own: OwnWord, forbidding: MetRule | undefined): Decision {
  const planned = policy.mode === 'plan' ? planRefusal(facts, policy, own) : undefined
  if (planned !== undefined) return { decision: 'deny', reason: planned, rule: null, ...shownCommands(facts) }
  const result = checkCall(facts, policy, own)
  const around = { ...shownCommands(facts), ...grantsOf(facts, policy, result) }
  const doubt = doubtOf(facts, policy, forbidding) ?? alwaysAsks(facts)
  const open = result.checks.filter(({ why }) => why !== undefined)
  const needs = [...open.map(({ why }) => why!), ...grantedByRules(result)]
  if (doubt !== undefined)
    return { decision: 'ask', ...doubt, reason: lines([doubt.reason, ...needs]), firm: true, ...around }
  if (open.length === 0) return { decision: 'allow', ...leaveFor(facts, policy, result), ...around }
  const remember = open.every((check) => check.remember !== undefined)
    ? rememberable(open.flatMap((check) => check.remember!))
    : []
  return {
    decision: 'ask',
    reason: lines(needs),
    rule: null,
    ...(open.some(({ firm }) => firm === true) && { firm: true }),
    ...(remember.length > 0 && { remember }),
    ...around,
  }
}

const mostReasons = 20

/** Everything that a yes would be a yes to, a line each. */
function lines(sentences: readonly string[]): string {
  // A name with a line break in it must not look like a line of ours.
  const all = [...new Set(sentences.map((sentence) => sentence.replaceAll(/[\r\n\u2028\u2029]+/g, ' ⏎ ')))]
  if (all.length > mostReasons) all.splice(mostReasons - 1, Infinity, `And ${all.length - mostReasons + 1} more.`)
  return all.join('\n')
}

/** What a rule has settled goes with the rest: the person sees all that the call will be able to use. */
function grantedByRules({ ofPaths }: CallChecks): string[] {
  return [...ofPaths].flatMap(([fact, { rule }]) => {
    if (rule === undefined || !isBeyond(fact)) return []
    return [`It ${verbOf(fact)} "${fact.given}", which the rule "${rule.line.text}" allows.`]
  })
}

/** An ask rule, or a rule that may forbid something that cannot be seen yet: no allow rule settles that, nor any mode. */
function doubtOf(facts: CallFacts, { rules }: Policy, forbidding: MetRule | undefined): Because | undefined {
  const { deny, ask } = rules.index
  if (forbidding !== undefined) return because(forbidding, 'forbids')
  const asking = findRule(ask, facts)
  if (asking !== undefined) {
    const unreadable = rules.problems.find(({ line }) => line === asking.ready.line)
    if (unreadable === undefined) return because(asking, 'asks about')
    return {
      reason: `${facts.tool.name} asks, since a rule about it cannot be read. ${unreadable.message}`,
      rule: unreadable.line.text,
    }
  }
  const hasRules = deny.command.all.length + ask.command.all.length > 0
  const hasPathRules = deny.read.length + deny.write.length + ask.read.length + ask.write.length > 0
  for (const { analysis, isCut, unknownFiles } of facts.commands) {
    const unnamed =
      isCut === true && hasPathRules ? (unknownFiles ?? 'It has more words than are looked at.') : undefined
    const unseen = analysis.overLimit ?? (hasRules ? analysis.unseen : undefined) ?? unnamed
    if (unseen !== undefined)
      return { reason: `Whether a part of it is forbidden cannot be told. ${unseen}`, rule: null }
  }
  return undefined
}

function alwaysAsks({ tool }: CallFacts): Because | undefined {
  return tool.needsApproval === 'always' ? { reason: `${tool.name} always asks.`, rule: null } : undefined
}

function because({ ready, what, sure }: MetRule, verb: string): Because {
  const { text, layer } = ready.line
  const whose = { managed: 'managed ', user: '', project: "project's ", session: "session's ", flag: '' }[layer]
  const rule = `The ${whose}rule "${text}"`
  const meant = what.length > 200 ? `${what.slice(0, 200)}…` : what
  return {
    reason: sure ? `${rule} ${verb} "${meant}".` : `${rule} ${verb} something that this may be: "${meant}".`,
    rule: text,
  }
}

function leaveFor(facts: CallFacts, { mode, sandbox }: Policy, { checks, leaves }: CallChecks): Because {
  const { tool, commands, paths } = facts
  const rule = checks.find((check) => check.rule !== undefined)?.rule?.line.text
  if (rule !== undefined) return { reason: `The rule "${rule}" allows it.`, rule }
  const reason = (): string => {
    if (mode === 'bypass' && !tool.readOnly) return 'Nothing is asked for in this mode.'
    const isChange = leaves.values().some(({ by }) => by === 'mode') || paths.some(({ kind }) => kind === 'write')
    if (mode === 'accept-edits' && isChange) return 'Changes in the workspace are accepted in this mode.'
    if (mode === 'plan' && isChange) return 'It is the plan.'
    if (commands.length === 0) return tool.readOnly ? `${tool.name} only reads.` : `${tool.name} needs no approval.`
    const isHarmless = !sandbox || commands.every(({ analysis }) => analysis.harmless)
    return isHarmless ? 'It only looks.' : 'It runs where it can change nothing.'
  }
  return { reason: reason(), rule: null }
}

const mostShown = 100

function shownCommands({ commands }: CallFacts): Pick<Decision, 'commands'> {
  const parts = commands.flatMap((fact) => fact.parts)
  if (parts.length === 0) return {}
  const shown = parts
    .slice(0, mostShown)
    .map(({ text, via }) => ({ text, ...(via.length > 0 && { note: via.join(' › ') }) }))
  return { commands: parts.length > mostShown ? [...shown, { text: `and ${parts.length - mostShown} more` }] : shown }
}

/** What a tool cannot say is asked. */
function ownWord({ tool, input }: { tool: Tool; input: unknown }, ctx: PermissionContext): OwnWord | Promise<OwnWord> {
  if (typeof tool.needsApproval !== 'function') return tool.needsApproval === 'always' || tool.needsApproval
  const failed = (error: unknown): OwnWord => ({ failed: error instanceof Error ? error.message : String(error) })
  try {
    const word = tool.needsApproval(input, ctx as ToolContext)
    return typeof word === 'boolean' ? word : word.catch(failed)
  } catch (error) {
    return failed(error)
  }
}
