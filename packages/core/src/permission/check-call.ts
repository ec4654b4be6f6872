import type { CommandFact } from './path-fact.ts'
import { normalizeUrl } from '../protocol/addresses.ts'
import { toolKey } from '../tool.ts'
import type { CallFacts } from './call-facts.ts'
import { checkPath } from './check-path.ts'
import { checkCommand, type CommandPermission } from './command-leave.ts'
import type { EffectRules, CompiledRule } from './compile-rules.ts'
import { toolRule } from './find-rule.ts'
import { matchHost, parseHostPattern } from './host-pattern.ts'
import type { PathFact } from './path-fact.ts'
import type { Policy } from './policy.ts'

/** One thing that a call needs a yes for. */
export interface Check {
  /** Why nobody has said yes yet; absent when somebody has. */
  why?: string
  /** The rule that said yes. */
  rule?: CompiledRule
  /** No allow rule can say yes. */
  firm?: true
  /** Rules that would say yes next time. */
  remember?: readonly string[]
}

/** The tool's own word on whether to ask; undefined when it has none. */
export type ToolApprovalNeed = boolean | undefined | { failed: string }

/** What checks go by. */
export interface CheckContext {
  facts: CallFacts
  policy: Policy
  allow: EffectRules
  /** The allow rule for every call of the tool. */
  byTool: CompiledRule | undefined
  /** Allow rules with a pattern for calls of this tool alone. */
  ofTool: readonly CompiledRule[]
  own: ToolApprovalNeed
  leaves: Map<CommandFact, CommandPermission>
}

export interface CallChecks {
  checks: readonly Check[]
  /** Those of the files and folders, which are among all of them. */
  ofPaths: ReadonlyMap<PathFact, Check>
  leaves: ReadonlyMap<CommandFact, CommandPermission>
}

/** Everything that the call needs a yes for, once no rule forbids it. */
export function checkCall(facts: CallFacts, policy: Policy, own: ToolApprovalNeed): CallChecks {
  const { allow } = policy.rules.index
  const scene: CheckContext = {
    facts,
    policy,
    allow,
    byTool: toolRule(allow, facts.tool),
    ofTool: allow.own.get(toolKey(facts.tool.name)) ?? [],
    own,
    leaves: new Map(),
  }
  const checks: Check[] = []
  for (const fact of facts.commands) {
    const leave = checkCommand(fact, scene)
    scene.leaves.set(fact, leave)
    if (leave.by === 'nobody') checks.push(leave.check)
    else if ('rule' in leave) checks.push({ rule: leave.rule })
  }
  const ofPaths = new Map(facts.paths.map((fact) => [fact, checkPath(fact, scene)]))
  checks.push(...ofPaths.values())
  // Leave to read at a host is no leave to act there: a tool that asks of itself asks for both.
  if (!asksForAction(scene)) for (const { url, host } of facts.urls) checks.push(checkUrl(url, host, scene))
  if (facts.code) checks.push(checkCode(scene))
  checks.push(checkTool(scene))
  return { checks, ofPaths, leaves: scene.leaves }
}

/** It changes things at addresses and wants to be asked about it. */
function asksForAction({ facts: { tool, urls, unknown }, own }: CheckContext): boolean {
  return own === true && !tool.readOnly && urls.length > 0 && unknown === undefined
}

function checkAction({ facts: { tool, urls }, policy, byTool, ofTool }: CheckContext): Check {
  if (byTool !== undefined) return { rule: byTool }
  const rules = urls.map(({ host }) => ofTool.find((ready) => host !== undefined && matchesHostRule(ready, host)))
  const [first] = rules
  if (first !== undefined && rules.every((rule) => rule !== undefined)) return { rule: first }
  if (policy.mode === 'bypass') return {}
  const odd = urls.find(({ host }) => host === undefined)
  if (odd !== undefined) return { why: `"${odd.url}" is not a plain address of the web.` }
  const hosts = [...new Set(urls.map(({ host }) => host!))]
  return {
    why: `${tool.name} can change things at ${hosts.join(', ')}.`,
    // A host without a dot is one of many places.
    ...(hosts.every(isWholeHost) && { remember: hosts.map((host) => `${tool.name}(domain:${host})`) }),
  }
}

function checkTool(scene: CheckContext): Check {
  const { facts, policy, allow, byTool, own } = scene
  const { tool, paths, commands, urls, code, unknown } = facts
  if (unknown !== undefined) return { why: unknown, firm: true }
  if (own === false) return {}
  if (asksForAction(scene)) return checkAction(scene)
  const isSpokenFor = commands.length > 0 || code || urls.length > 0 || paths.some(({ kind }) => kind === 'write')
  if (own === undefined && (tool.readOnly || isSpokenFor)) return {}
  const rule = byTool ?? (commands.length > 0 ? allow.tools.get('bash') : undefined)
  if (rule !== undefined) return { rule }
  if (policy.mode === 'bypass') return {}
  const remember = [tool.name]
  if (typeof own === 'object') return { why: `${tool.name} could not say whether to ask: ${own.failed}`, remember }
  return { why: tool.readOnly ? `${tool.name} asks for this input.` : `${tool.name} can change things.`, remember }
}

function checkCode({ facts: { tool }, policy, byTool }: CheckContext): Check {
  if (policy.sandbox) return {}
  if (byTool !== undefined) return { rule: byTool }
  if (policy.mode === 'bypass') return {}
  return { why: `${tool.name} runs code, and there is no sandbox here to keep it in.` }
}

function checkUrl(url: string, host: string | undefined, { policy, allow, byTool, ofTool }: CheckContext): Check {
  const rule =
    byTool ??
    allow.tools.get('webfetch') ??
    [...allow.url, ...ofTool].find((ready) => host !== undefined && matchesHostRule(ready, host))
  if (rule !== undefined) return { rule }
  if (policy.mode === 'bypass') return {}
  if (host === undefined) return { why: `"${url}" is not a plain address of the web.` }
  const address = normalizeUrl(url)
  if (address !== undefined && policy.addresses?.includes(address) === true) return {}
  return { why: `It sends a request to ${host}.`, remember: [`WebFetch(domain:${host})`] }
}

function isWholeHost(host: string): boolean {
  try {
    return parseHostPattern(`domain:${host}`).host === host
  } catch {
    return false
  }
}

function matchesHostRule({ host: pattern }: CompiledRule, host: string): boolean {
  return pattern !== undefined && matchHost(pattern, host)
}
