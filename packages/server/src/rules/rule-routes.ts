import { setImmediate } from 'node:timers/promises'
import {
  type SandboxFinding,
  type Decision,
  type Effect,
  inDialect,
  placeContext,
  type Policy,
  ruleWarning,
  type Session,
  type SessionRule,
  simulate,
  type Simulation,
  type Store,
  type StoredCall,
  type Tool,
  type Viewer,
  explainCall,
} from '@troupe/core'
import { type DecisionInfo, ruleEndpoints, type RuleInfo, type RuleTrial } from '@troupe/protocol'
import type { ConfigFile } from '../config/config.ts'
import { personIdOf, type Principal, viewerOf } from '../http/principal.ts'
import { implement, type Route } from '../http/route.ts'
import { findSession } from '../http/scope.ts'
import { type Permissions, ruleLines } from '../permission/permissions.ts'
import type { RememberScope, RuleLayers } from '../permission/rule-layers.ts'
import { checkRule, type RuleRegistry, type RuleTarget } from '../permission/rule-registry.ts'
import type { AskAnswers } from '../runs/asks.ts'

interface RuleRoutesOptions {
  store: Store
  config: ConfigFile
  permissions: Permissions
  layers: RuleLayers
  rules: RuleRegistry
  answers: AskAnswers
  tools: { list(workspaceId: string): readonly Tool[] }
  allowBypass: boolean
  sandbox: SandboxFinding
}

const maxTrialCalls = 1000

export function ruleRoutes(options: RuleRoutesOptions): Route[] {
  const { store, config, permissions, layers, rules, answers } = options
  return implement(ruleEndpoints, {
    'GET /ai/rules': async ({ principal, query, workspaceId }) => {
      const target = await targetOf(workspaceId, query.sessionId, principal)
      return {
        rules: rules.list(target),
        warnings: [...config.warnings(), ...permissions.warnings(target.place)],
        mode: layers.mode(target.place),
        bypass: options.allowBypass,
        sandbox: sandboxInfo(options.sandbox),
      }
    },
    'POST /ai/rules': async ({ principal, body, workspaceId }) => {
      const target = await targetOf(workspaceId, body.sessionId, principal)
      return add(
        { ...target, own: body.own === true },
        body.scope,
        { text: checkRule(body.text), effect: body.effect },
        workspaceId,
      )
    },
    'PATCH /ai/rules/:id': async ({ principal, params, body, workspaceId }) => {
      const target = await targetOf(workspaceId, body.sessionId, principal)
      const rule = rules.find(target, params.id)
      const next = { text: checkRule(body.text ?? rule.text), effect: body.effect ?? rule.effect }
      const scope = body.scope ?? parseScope(rule)
      const same = next.text === rule.text && next.effect === rule.effect && scope === parseScope(rule)
      // Adds the new rule first, so a denied call stays denied in between.
      const result = same
        ? { rule, settled: [], warnings: [] }
        : await add({ ...target, own: rule.own === true }, scope, next, workspaceId)
      if (!same) await rules.remove(target, rule)
      return result
    },
    'DELETE /ai/rules/:id': async ({ principal, params, query, workspaceId }) => {
      const target = await targetOf(workspaceId, query.sessionId, principal)
      const rule = rules.find(target, params.id)
      await rules.remove(target, rule)
      return { deleted: rule.id }
    },
    'POST /ai/rules/test': async ({ principal, body, workspaceId }) => {
      const target = await targetOf(workspaceId, body.sessionId, principal)
      const tried = [
        ...(body.rules ?? []),
        ...(body.text === undefined ? [] : [{ text: body.text, effect: body.effect }]),
      ]
      const added = tried.map(({ text, effect }) => ({ text: checkRule(text), effect }))
      const trial = await test(target, added, body.scope, { workspaceId, viewer: viewerOf(principal) })
      return { ...trial, warnings: warningsOf(added, workspaceId) }
    },
    'POST /ai/rules/explain': async ({ principal, body, workspaceId }) => {
      const { place, session, person } = await targetOf(workspaceId, body.sessionId, principal)
      const { allow = [], ask = [], deny = [], mode, sandbox } = body
      const flags = { allow: allow.map(checkRule), ask: ask.map(checkRule), deny: deny.map(checkRule) }
      const policy = permissions.policy(place, {
        session,
        person,
        rules: ruleLines(flags, 'flag', place.path),
        mode: mode === undefined ? undefined : permissions.checkMode(mode),
        sandbox,
      })
      const ctx = placeContext(place.path)
      const tools = options.tools.list(workspaceId)
      const decisions: DecisionInfo[] = []
      for (const call of body.calls) {
        decisions.push(shownDecision(await explainCall(call, tools, ctx, policy)))
        if (decisions.length % callsPerSlice === 0) await setImmediate()
      }
      return { decisions }
    },
  })

  async function targetOf(
    workspaceId: string,
    sessionId: string | undefined,
    principal: Principal,
  ): Promise<RuleTarget> {
    const session: Session | undefined =
      sessionId === undefined ? undefined : await findSession(store, sessionId, workspaceId)
    const workspace = await store.workspaces.get(workspaceId)
    const place = { id: workspaceId, path: workspace?.path ?? '', trusted: workspace?.trusted ?? false }
    return { place, session, person: personIdOf(principal) }
  }

  async function add(
    target: RuleTarget & { own?: boolean },
    scope: RememberScope,
    rule: SessionRule,
    workspaceId: string,
  ): Promise<{ rule: RuleInfo | undefined; settled: string[]; warnings: string[] }> {
    const { settled } = await answers.add(target, scope, [rule])
    const listed = rules
      .list(target)
      .find(
        (one) =>
          one.text === rule.text &&
          one.effect === rule.effect &&
          one.editable &&
          (one.own === true) === (target.own === true) &&
          parseScope(one) === scope,
      )
    return { rule: listed, settled, warnings: warningsOf([rule], workspaceId) }
  }

  async function test(
    { place, session, person }: RuleTarget,
    tried: SessionRule[],
    scope: RememberScope,
    at: { workspaceId: string; viewer: Viewer | undefined },
  ): Promise<RuleTrialResult> {
    const stored = await store.calls.recent({ ...at, limit: maxTrialCalls })
    const given = session === undefined ? { person } : { session }
    const before = permissions.policy(place, given)
    const after = permissions.policy(place, {
      ...given,
      rules: tried.map((rule) => permissions.line(rule, scope, place)),
    })
    return tryRules({ before, after }, stored, { tools: options.tools.list(at.workspaceId), folder: place.path })
  }

  function warningsOf(rules: readonly SessionRule[], workspaceId: string): string[] {
    return rules.flatMap(({ text }) => ruleWarning(text, options.tools.list(workspaceId)) ?? [])
  }
}

/** Scope of a rule. */
export function parseScope({ layer, file }: RuleInfo): RememberScope {
  if (file === null) return 'session'
  return layer === 'user' ? 'always' : 'project'
}

type RuleTrialResult = Omit<RuleTrial, 'warnings'>

/** Their long texts are truncated. */
const maxListedChanges = 200
/** Streams can proceed between slices. */
const callsPerSlice = 100

/** Compares two policies on past calls of a folder. Runs and saves nothing. */
async function tryRules(
  { before, after }: { before: Policy; after: Policy },
  stored: readonly StoredCall[],
  { tools, folder }: { tools: readonly Tool[]; folder: string },
): Promise<RuleTrialResult> {
  const known = inDialects(tools, stored)
  const trial: RuleTrialResult = {
    calls: stored.length,
    before: emptyCounts(),
    after: emptyCounts(),
    changed: 0,
    changes: [],
  }
  for (let from = 0; from < stored.length; from += callsPerSlice) {
    const some = stored.slice(from, from + callsPerSlice)
    const calls = some.map(({ toolName, input }) => ({ tool: toolName, input, cwd: folder }))
    const found = await simulate(before, after, calls, known)
    addOutcome(trial, found, some)
    await setImmediate()
  }
  return trial
}

function shownDecision({ decision, reason, rule, remember, commands }: Decision): DecisionInfo {
  return {
    decision,
    reason,
    rule,
    remember,
    commands,
  }
}

function addOutcome(trial: RuleTrialResult, found: Simulation, calls: readonly StoredCall[]): void {
  for (const effect of ['allow', 'ask', 'deny'] as const) {
    trial.before[effect] += found.before[effect]
    trial.after[effect] += found.after[effect]
  }
  trial.changed += found.changes.length
  for (const { index, before, after } of found.changes) {
    const call = calls[index]
    if (call === undefined || trial.changes.length >= maxListedChanges) return
    const decisions = { before: shownDecision(before), after: shownDecision(after) }
    trial.changes.push({ ...call, input: truncateJson(call.input), ...decisions })
  }
}

function emptyCounts(): Record<Effect, number> {
  return { allow: 0, ask: 0, deny: 0 }
}

/** Returns the tools under every name these calls' models know them by. */
export function inDialects(tools: readonly Tool[], calls: readonly StoredCall[]): Tool[] {
  const models = new Set(calls.flatMap(({ model }) => model ?? []))
  return [...new Set([...tools, ...[...models].flatMap((model) => inDialect(tools, model))])]
}

const maxTextLength = 500

function truncateJson(value: unknown): unknown {
  if (typeof value === 'string') return value.length <= maxTextLength ? value : `${value.slice(0, maxTextLength)}…`
  if (Array.isArray(value)) return value.slice(0, 50).map(truncateJson)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, 50)
      .map(([key, child]) => [key, truncateJson(child)]),
  )
}

function sandboxInfo({ sandbox, text, fix }: SandboxFinding): { available: boolean; text: string; fix?: string } {
  return { available: sandbox !== undefined, text, fix }
}
