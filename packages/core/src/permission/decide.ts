import type { Tool, ToolContext } from '../tool.ts'
import { callFacts, type CallFacts } from './call-facts.ts'
import { isSandboxed } from './command-fact.ts'
import { checkCall, type CallChecks, type ToolApprovalNeed } from './check-call.ts'
import type { Decision } from './decision.ts'
import { findRule, type MatchedRule } from './find-rule.ts'
import { needsGrant, accessVerb } from './path-fact.ts'
import { callGrants } from './grants.ts'
import type { PermissionContext } from './permission-context.ts'
import { planModeRefusal } from './plan-refusal.ts'
import type { Policy } from './policy.ts'
import { suggestedRules } from './remember.ts'

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
  const forbidding = findRule(policy.rules.index.deny, facts, (fact) => isSandboxed(fact, policy))
  if (forbidding?.sure === true)
    return { decision: 'deny', ...ruleReason(forbidding, 'forbids'), ...shownCommands(facts) }
  const own = toolApprovalNeed(call, ctx)
  const settled = (word: ToolApprovalNeed): Decision => decideFromFacts(facts, policy, word, forbidding)
  return own instanceof Promise ? own.then(settled) : settled(own)
}

type DecisionReason = Pick<Decision, 'reason' | 'rule'>

function decideFromFacts(
  facts: CallFacts,
  policy: Policy,
  own: ToolApprovalNeed,
  forbidding: MatchedRule | undefined,
): Decision {
  const planned = policy.mode === 'plan' ? planModeRefusal(facts, policy, own) : undefined
  if (planned !== undefined) return { decision: 'deny', reason: planned, rule: null, ...shownCommands(facts) }
  const result = checkCall(facts, policy, own)
  const around = { ...shownCommands(facts), ...callGrants(facts, policy, result) }
  const doubt = firmAskReason(facts, policy, forbidding) ?? alwaysAsks(facts)
  const open = result.checks.filter(({ why }) => why !== undefined)
  const needs = [...open.map(({ why }) => why!), ...grantedByRules(result)]
  if (doubt !== undefined)
    return { decision: 'ask', ...doubt, reason: joinReasons([doubt.reason, ...needs]), firm: true, ...around }
  if (open.length === 0) return { decision: 'allow', ...allowReason(facts, policy, result), ...around }
  const remember = open.every((check) => check.remember !== undefined)
    ? suggestedRules(open.flatMap((check) => check.remember!))
    : []
  return {
    decision: 'ask',
    reason: joinReasons(needs),
    rule: null,
    ...(open.some(({ firm }) => firm === true) && { firm: true }),
    ...(remember.length > 0 && { remember }),
    ...around,
  }
}

const maxReasons = 20

/** Everything that a yes would be a yes to, a line each. */
function joinReasons(sentences: readonly string[]): string {
  // A name with a line break in it must not look like a line of ours.
  const all = [...new Set(sentences.map((sentence) => sentence.replaceAll(/[\r\n\u2028\u2029]+/g, ' ⏎ ')))]
  if (all.length > maxReasons) all.splice(maxReasons - 1, Infinity, `And ${all.length - maxReasons + 1} more.`)
  return all.join('\n')
}

/** What a rule has settled goes with the rest: the person sees all that the call will be able to use. */
function grantedByRules({ ofPaths }: CallChecks): string[] {
  return [...ofPaths].flatMap(([fact, { rule }]) => {
    if (rule === undefined || !needsGrant(fact)) return []
    return [`It ${accessVerb(fact)} "${fact.given}", which the rule "${rule.line.text}" allows.`]
  })
}

/** An ask rule, or a rule that may forbid something that cannot be seen yet: no allow rule settles that, nor any mode. */
function firmAskReason(
  facts: CallFacts,
  { rules }: Policy,
  forbidding: MatchedRule | undefined,
): DecisionReason | undefined {
  const { deny, ask } = rules.index
  if (forbidding !== undefined) return ruleReason(forbidding, 'forbids')
  const asking = findRule(ask, facts)
  if (asking !== undefined) {
    const unreadable = rules.problems.find(({ line }) => line === asking.ready.line)
    if (unreadable === undefined) return ruleReason(asking, 'asks about')
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

function alwaysAsks({ tool }: CallFacts): DecisionReason | undefined {
  return tool.needsApproval === 'always' ? { reason: `${tool.name} always asks.`, rule: null } : undefined
}

function ruleReason({ ready, what, sure }: MatchedRule, verb: string): DecisionReason {
  const { text, layer } = ready.line
  const whose = { managed: 'managed ', user: '', project: "project's ", session: "session's ", flag: '' }[layer]
  const rule = `The ${whose}rule "${text}"`
  const meant = what.length > 200 ? `${what.slice(0, 200)}…` : what
  return {
    reason: sure ? `${rule} ${verb} "${meant}".` : `${rule} ${verb} something that this may be: "${meant}".`,
    rule: text,
  }
}

function allowReason(facts: CallFacts, { mode, sandbox }: Policy, { checks, leaves }: CallChecks): DecisionReason {
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

const maxShownCommands = 100

function shownCommands({ commands }: CallFacts): Pick<Decision, 'commands'> {
  const parts = commands.flatMap((fact) => fact.parts)
  if (parts.length === 0) return {}
  const shown = parts
    .slice(0, maxShownCommands)
    .map(({ text, via }) => ({ text, ...(via.length > 0 && { note: via.join(' › ') }) }))
  return {
    commands:
      parts.length > maxShownCommands ? [...shown, { text: `and ${parts.length - maxShownCommands} more` }] : shown,
  }
}

/** What a tool cannot say is asked. */
function toolApprovalNeed(
  { tool, input }: { tool: Tool; input: unknown },
  ctx: PermissionContext,
): ToolApprovalNeed | Promise<ToolApprovalNeed> {
  if (typeof tool.needsApproval !== 'function') return tool.needsApproval === 'always' || tool.needsApproval
  const failed = (error: unknown): ToolApprovalNeed => ({
    failed: error instanceof Error ? error.message : String(error),
  })
  try {
    const word = tool.needsApproval(input, ctx as ToolContext)
    return typeof word === 'boolean' ? word : word.catch(failed)
  } catch (error) {
    return failed(error)
  }
}
