import type { Confinement, Decision, Forbidden, Grant } from '../access/decision.ts'
import type { Tool, ToolContext } from '../tool/tool.ts'
import { callFacts, type CallFacts, isSandboxed } from './call-facts.ts'
import { type CallChecks, checkCall, isHiddenBySandbox } from './check-call.ts'
import { isContained, type ToolApprovalNeed, wantsOutside } from './check-command.ts'
import { findRule, type MatchedRule, ruleMatchesPath, toolRule } from './match-rules.ts'
import { accessVerb, grantKind, needsGrant, type PermissionContext, secretOf } from './path-facts.ts'
import { type CompiledRule, type Policy, activeSkillLimits, compileLimit } from './policy.ts'
import { matchHost } from './rule-patterns.ts'
import { suggestedRules } from './suggest-rules.ts'

/**
 * Decides if a call may run. Works the same for every tool and at every agent depth. Denies what must never run and
 * what a rule forbids, in every mode; in plan mode also anything that could write. Asks for what an ask rule matches.
 * Everything else the call touches needs approval: by allow rules, by the mode, or because it is harmless. The order,
 * layer, and length of rules never matter. Takes parsed input. Returns a promise only if the tool's own check does.
 */
export function decide(
  call: { tool: Tool; input: unknown },
  ctx: PermissionContext,
  policy: Policy,
): Decision | Promise<Decision> {
  const facts = callFacts(call, ctx, policy)
  const floor = facts.commands.find(({ analysis }) => analysis.floor !== undefined)?.analysis.floor
  if (floor !== undefined) return { decision: 'deny', reason: floor, rule: null, ...shownCommands(facts) }
  const excluded = policy.only === undefined ? undefined : exclusionReason(facts, policy.only)
  if (excluded !== undefined) return { decision: 'deny', reason: excluded, rule: null, ...shownCommands(facts) }
  const { deny } = policy.rules.index
  const forbidding = deny.isEmpty ? undefined : findRule(deny, facts, (fact) => isSandboxed(fact, policy))
  if (forbidding?.sure === true)
    return { decision: 'deny', ...ruleReason(forbidding, 'forbids'), ...shownCommands(facts) }
  const own = toolApprovalNeed(call, ctx)
  const settled = (word: ToolApprovalNeed): Decision =>
    askIfUnreadable(decideFromFacts(facts, policy, word, forbidding), policy)
  return own instanceof Promise ? own.then(settled) : settled(own)
}

/** A tool or host that the administrator does not allow. */
function exclusionReason({ tool, urls }: CallFacts, { tools, hosts }: NonNullable<Policy['only']>): string | undefined {
  if (tools !== undefined && toolRule(tools.index.allow, tool) === undefined)
    return `The policy of the organization does not allow the tool ${tool.name}.`
  if (hosts === undefined) return undefined
  const other = urls.find(
    ({ host }) =>
      host === undefined ||
      !hosts.index.allow.url.some((ready) => ready.host !== undefined && matchHost(ready.host, host)),
  )
  return other && `The policy of the organization does not allow requests to "${other.host ?? other.url}".`
}

function askIfUnreadable({ remember, ...decision }: Decision, { unreadable }: Policy): Decision {
  if (unreadable === undefined || decision.decision === 'deny')
    return remember === undefined ? decision : { ...decision, remember }
  const reason = `The rules of this project could not be read: ${unreadable}`
  return { ...decision, decision: 'ask', firm: true, rule: null, reason }
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
    firm: open.some(({ firm }) => firm === true) || undefined,
    remember: remember.length > 0 ? remember : undefined,
    ...around,
  }
}

const maxReasons = 20

/** Lists everything an approval covers, one per line. */
function joinReasons(sentences: readonly string[]): string {
  // A name with a line break must not look like a separate line.
  const all = [...new Set(sentences.map((sentence) => sentence.replaceAll(/[\r\n\u2028\u2029]+/g, ' ⏎ ')))].filter(
    (sentence, _, others) => !isRepeated(sentence, others),
  )
  if (all.length > maxReasons) all.splice(maxReasons - 1, Infinity, `And ${all.length - maxReasons + 1} more.`)
  return all.join('\n')
}

/** True for a redirection if a sentence about the same file says more. */
function isRepeated(sentence: string, others: readonly string[]): boolean {
  const target = /^It writes to "([^"$`*?~\\]+)"\.$/.exec(sentence)?.[1]
  if (target === undefined) return false
  const end = target.replace(/^\.\//, '')
  return others.some((other) => other !== sentence && /^It \w+ "/.test(other) && other.includes(`/${end}"`))
}

/** Includes access already granted by rules, so that the person sees everything the call can use. */
function grantedByRules({ ofPaths }: CallChecks): string[] {
  return [...ofPaths].flatMap(([fact, { rule }]) => {
    if (rule === undefined || !needsGrant(fact)) return []
    return [`It ${accessVerb(fact)} "${fact.given}", which the rule "${rule.line.text}" allows.`]
  })
}

/** An ask rule, or a deny rule that might match something not yet known. No allow rule or mode overrides these. */
function firmAskReason(
  facts: CallFacts,
  { rules }: Policy,
  forbidding: MatchedRule | undefined,
): DecisionReason | undefined {
  const { deny, ask } = rules.index
  if (forbidding !== undefined) return ruleReason(forbidding, 'forbids')
  const asking = ask.isEmpty ? undefined : findRule(ask, facts)
  if (asking !== undefined) {
    const unreadable = rules.problems.find(({ line }) => line === asking.ready.line)
    if (unreadable === undefined) return ruleReason(asking, 'requires approval for')
    return {
      reason: `${facts.tool.name} needs approval because a rule about it is invalid. ${unreadable.message}`,
      rule: unreadable.line.text,
    }
  }
  const hasRules = deny.command.all.length + ask.command.all.length > 0
  const hasPathRules = deny.read.length + deny.write.length + ask.read.length + ask.write.length > 0
  for (const { analysis, isCut, unknownFiles } of facts.commands) {
    const unnamed =
      isCut === true && hasPathRules ? (unknownFiles ?? 'It has more arguments than are checked.') : undefined
    const unseen = analysis.overLimit ?? (hasRules ? analysis.unseen : undefined) ?? unnamed
    if (unseen !== undefined) return { reason: `It is unclear whether part of it is forbidden. ${unseen}`, rule: null }
  }
  return undefined
}

function alwaysAsks({ tool }: CallFacts): DecisionReason | undefined {
  return tool.needsApproval === 'always' ? { reason: `${tool.name} always needs approval.`, rule: null } : undefined
}

function ruleReason({ ready, what, sure }: MatchedRule, verb: string): DecisionReason {
  const { text, layer } = ready.line
  const whose = { managed: 'managed ', user: '', project: "project's ", session: "session's ", flag: '' }[layer]
  const rule = `The ${whose}rule "${text}"`
  const meant = what.length > 200 ? `${what.slice(0, 200)}…` : what
  return {
    reason: sure ? `${rule} ${verb} "${meant}".` : `${rule} ${verb} something this could be: "${meant}".`,
    rule: text,
  }
}

function allowReason(facts: CallFacts, { mode, sandbox }: Policy, { checks, leaves }: CallChecks): DecisionReason {
  const { tool, commands, paths } = facts
  const rule = checks.find((check) => check.rule !== undefined)?.rule?.line.text
  if (rule !== undefined) return { reason: `The rule "${rule}" allows it.`, rule }
  const reason = (): string => {
    if (mode === 'bypass' && !tool.readOnly) return 'This mode does not ask for approval.'
    const isChange = leaves.values().some(({ by }) => by === 'mode') || paths.some(({ kind }) => kind === 'write')
    if (mode === 'accept-edits' && isChange) return 'This mode accepts changes in the workspace.'
    if (mode === 'plan' && isChange) return 'It only changes the plan.'
    if (commands.length === 0) return tool.readOnly ? `${tool.name} only reads.` : `${tool.name} needs no approval.`
    const isHarmless = !sandbox || commands.every(({ analysis }) => analysis.harmless)
    return isHarmless ? 'It only reads.' : 'It runs in a sandbox where it cannot change anything.'
  }
  return { reason: reason(), rule: null }
}

const maxShownCommands = 100

function shownCommands({ commands }: CallFacts): Pick<Decision, 'commands'> {
  const parts = commands.flatMap((fact) => fact.parts)
  if (parts.length === 0) return {}
  const shown = parts.slice(0, maxShownCommands).map(({ text, via }) => ({ text, note: via.join(' › ') || undefined }))
  return {
    commands:
      parts.length > maxShownCommands ? [...shown, { text: `and ${parts.length - maxShownCommands} more` }] : shown,
  }
}

/** If the tool's check fails, the person is asked. */
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
    return word instanceof Promise ? word.catch(failed) : word
  } catch (error) {
    return failed(error)
  }
}

/** Sandbox and grants of a call once it is allowed by a rule, the mode, or a person. */
function callGrants(
  facts: CallFacts,
  policy: Policy,
  { leaves }: CallChecks,
): Pick<Decision, 'confinement' | 'grants' | 'forbidden' | 'hides'> {
  const grants = pathGrants(facts, policy)
  const reads = facts.paths.some(({ kind, by }) => kind === 'read' && by === undefined)
  const confinement =
    facts.commands.length > 0 || facts.code ? { confinement: callConfinement(facts, policy, leaves) } : undefined
  const { read, write } = policy.rules.index.deny
  const isMasked = confinement !== undefined && confinement.confinement !== 'none' && read.length + write.length > 0
  return {
    ...confinement,
    forbidden: isMasked
      ? {
          read: read.length > 0 ? forbiddenByRules(read, facts) : undefined,
          write: write.length > 0 ? forbiddenByRules(write, facts) : undefined,
        }
      : undefined,
    grants: grants.length > 0 ? grants : undefined,
    hides: reads ? hiddenFiles(facts, policy) : undefined,
  }
}

function forbiddenByRules(rules: readonly CompiledRule[], { view }: CallFacts): Forbidden {
  return {
    rules: rules.map(({ line }) => `${line.base} ${line.text}`),
    starts: [...new Set(rules.flatMap(({ path }) => path?.starts(view) ?? []))],
    matches: (real) => rules.some(({ path }) => path?.matches(real, view) === true),
  }
}

/** One grant per path, with the highest access level. */
function pathGrants({ paths, commands }: CallFacts, policy: Policy): Grant[] {
  // A folder that is shown as it is would show the secrets in it, too.
  const isHidden = paths.some((fact) => fact.implied === true && fact.names !== true)
  const proven = !isHidden && commands.every(({ analysis }) => analysis.harmless)
  const grants = new Map<string, Grant>()
  for (const fact of paths) {
    if (!needsGrant(fact) || fact.implied === true || isHiddenBySandbox(fact, policy)) continue
    const how = grantKind(fact)
    const known = grants.get(fact.real)?.how
    if (known === undefined || grantRank[how] > grantRank[known])
      grants.set(fact.real, {
        how,
        path: fact.real,
        proven: (how === 'list' && proven) || undefined,
        tree: (how === 'list' && fact.tree) || undefined,
      })
  }
  return [...grants.values()]
}

const grantRank = { list: 0, read: 1, write: 2 }

function callConfinement(facts: CallFacts, policy: Policy, leaves: CallChecks['leaves']): Confinement {
  if (!policy.sandbox || facts.commands.some((fact) => wantsOutside(fact, { policy }))) return 'none'
  const canBeHeld = facts.commands.every((fact) => {
    const { by } = leaves.get(fact)!
    return by === 'nature' || (by === 'nobody' && isContained(fact))
  })
  return canBeHeld || policy.mode === 'plan' ? 'read-only' : 'workspace'
}

/**
 * Returns a predicate for files to hide in a searched folder or among lookalike names: secrets, and files that rules
 * deny or ask about.
 */
function hiddenFiles({ view, paths }: CallFacts, { rules, mode }: Policy): (real: string) => boolean {
  const { deny, ask, allow } = rules.index
  const named = new Set(paths.map(({ real }) => real))
  return (real) => {
    if (named.has(real)) return false
    const place = { spelled: real, real }
    if ([...deny.read, ...ask.read].some((ready) => ruleMatchesPath(ready, place, { view }))) return true
    const secret = mode === 'bypass' ? undefined : secretOf(real, view)
    if (secret === undefined) return false
    const name = secret.slice(secret.lastIndexOf('/') + 1)
    return !allow.read.some((ready) => ruleMatchesPath(ready, place, { view }) && ready.path?.names(name) === true)
  }
}

/** Reason to refuse a call in plan mode. Reading and writing the plan itself stay allowed. */
function planModeRefusal(facts: CallFacts, policy: Policy, own: ToolApprovalNeed): string | undefined {
  const { tool, paths, commands, code, view } = facts
  const rule = 'In plan mode, only the plan can be changed'
  const written = paths.find(({ kind, real }) => kind === 'write' && real !== view.planFile)
  if (written !== undefined) return `${rule}, but this would change "${written.given}".`
  for (const fact of commands) {
    const { access, analysis } = fact
    if (access.typed !== true && (analysis.harmless || (policy.sandbox && isContained(fact)))) continue
    const why = (policy.sandbox ? analysis.whyNotContained : undefined) ?? analysis.why
    return `${rule}, but this command may make changes.${why === undefined ? '' : ` ${why}`}`
  }
  if (code && !policy.sandbox) return `${rule}, but code in ${tool.name} could change anything.`
  const isSpokenFor = commands.length > 0 || code || paths.some(({ kind }) => kind === 'write')
  return tool.readOnly || isSpokenFor || own === false ? undefined : `${rule}, but ${tool.name} can make changes.`
}

/**
 * Decides about a call of a run: the policy first, then the `allowed-tools` of the skills loaded in this turn. A skill
 * only narrows what runs without asking. A call still runs without asking only if the skill's list alone would allow
 * it, in the default mode and without a sandbox. So reads in the workspace and listed tools continue, and everything
 * else asks. With several skills, each must allow the call. Agents started meanwhile get the same limits.
 */
export async function decideCall(
  call: { tool: Tool; input: unknown },
  ctx: ToolContext,
  policy: Policy,
): Promise<Decision> {
  const { remember, ...decision } = await decide(call, ctx, policy)
  if (decision.decision !== 'allow')
    // A remembered rule would also answer the asks of the other models.
    return policy.compared === true || remember === undefined ? decision : { ...decision, remember }
  for (const limit of activeSkillLimits(ctx)) {
    if (await allows(limit)) continue
    const listed = limit.length === 0 ? 'nothing' : limit.join(', ')
    return mustAsk(`A skill used in this turn only allows this without approval: ${listed}.`)
  }
  // Plan mode refuses exactly those calls that can change something.
  if (policy.compared === true && (await decide(call, ctx, { ...policy, mode: 'plan' })).decision === 'deny')
    return mustAsk('Several models are answering. Until you continue with one answer, changes need approval.')
  return decision

  /** True if the list alone would allow the call, in the default mode and without a sandbox. */
  async function allows(limit: readonly string[]): Promise<boolean> {
    const { addresses: _addresses, mode, ...rest } = policy
    const rules = compileLimit(limit, ctx.workspace.path)
    const narrow: Policy = { ...rest, mode: mode === 'plan' ? 'plan' : 'default', rules, sandbox: false }
    return (await decide(call, ctx, narrow)).decision === 'allow'
  }

  function mustAsk(reason: string): Decision {
    return { ...decision, decision: 'ask', reason, rule: null, firm: true }
  }
}
