import { setImmediate } from 'node:timers/promises'
import {
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
} from '@troupe/core'
import { newRuleSchema, ruleExplainSchema, ruleListSchema, rulePatchSchema, ruleTestSchema } from '@troupe/protocol'
import { z } from 'zod'
import type { ConfigFile } from '../config/config.ts'
import { answer, route, type Route } from '../http/route.ts'
import { findSession } from '../http/scope.ts'
import { type Permissions, ruleLines } from '../permission/permissions.ts'
import type { RememberScope, RuleLayers } from '../permission/rule-layers.ts'
import { checkRule, type ListedRule, type RuleRegistry, type RuleTarget } from '../permission/rule-registry.ts'
import type { AskAnswers } from '../runs/asks.ts'

export interface RuleRoutesOptions {
  store: Store
  config: ConfigFile
  permissions: Permissions
  layers: RuleLayers
  ruleBook: RuleRegistry
  answers: AskAnswers
  tools: (workspaceId: string) => readonly Tool[]
  allowBypass: boolean
  sandbox: { available: boolean; text: string; fix?: string }
}

const maxTrialCalls = 1000

const bySession = z.object({ sessionId: z.string().max(64).optional() })

export function ruleRoutes(options: RuleRoutesOptions): Route[] {
  const { store, config, permissions, layers, ruleBook, answers } = options
  return [
    route({
      method: 'GET',
      path: '/ai/rules',
      summary: 'The rules that hold in the workspace, or in one session, and what decides besides them.',
      query: bySession,
      scoped: true,
      answers: { 200: ruleListSchema, 404: 'SessionNotFound' },
      async handle(c, { query, workspaceId }) {
        const target = await targetOf(workspaceId, query['sessionId'])
        return answer(c, ruleListSchema, {
          rules: ruleBook.list(target),
          warnings: [...config.warnings(), ...permissions.warnings(target.place)],
          mode: layers.mode(target.place),
          bypass: options.allowBypass,
          sandbox: options.sandbox,
        })
      },
    }),
    route({
      method: 'POST',
      path: '/ai/rules',
      summary: 'Adds a rule for a session, the project or always; open asks that it covers are approved.',
      body: newRuleSchema,
      scoped: true,
      answers: { 201: '{rule, settled, warnings}', 400: 'BadRequest', 404: 'SessionNotFound', 422: 'BadRule' },
      async handle(c, { body, workspaceId }) {
        const target = await targetOf(workspaceId, body.sessionId)
        const added = { text: checkRule(body.text), effect: body.effect }
        return c.json(await add(target, body.scope, added, workspaceId), 201)
      },
    }),
    route({
      method: 'PATCH',
      path: '/ai/rules/:id',
      summary: 'Changes the text, the effect or the scope of a rule.',
      body: rulePatchSchema,
      scoped: true,
      answers: {
        200: '{rule, settled, warnings}',
        403: 'RuleNotEditable',
        404: 'RuleNotFound, SessionNotFound',
        422: 'BadRule',
      },
      async handle(c, { params, body, workspaceId }) {
        const target = await targetOf(workspaceId, body.sessionId)
        const rule = ruleBook.find(target, params['id'] as string)
        const next = { text: checkRule(body.text ?? rule.text), effect: body.effect ?? rule.effect }
        const scope = body.scope ?? parseScope(rule)
        const same = next.text === rule.text && next.effect === rule.effect && scope === parseScope(rule)
        // Adds the new rule first, so a denied call stays denied in between.
        const result = same ? { rule, settled: [], warnings: [] } : await add(target, scope, next, workspaceId)
        if (!same) await ruleBook.remove(target, rule)
        return c.json(result)
      },
    }),
    route({
      method: 'DELETE',
      path: '/ai/rules/:id',
      summary: 'Takes a rule back.',
      query: bySession,
      scoped: true,
      answers: { 200: '{deleted}', 403: 'RuleNotEditable', 404: 'RuleNotFound, SessionNotFound' },
      async handle(c, { params, query, workspaceId }) {
        const target = await targetOf(workspaceId, query['sessionId'])
        const rule = ruleBook.find(target, params['id'] as string)
        await ruleBook.remove(target, rule)
        return c.json({ deleted: rule.id })
      },
    }),
    route({
      method: 'POST',
      path: '/ai/rules/test',
      summary: 'What rules would have changed for the last 1,000 calls of the workspace. Nothing is saved.',
      body: ruleTestSchema,
      scoped: true,
      answers: { 200: '{calls, before, after, changed, changes, warnings}', 404: 'SessionNotFound', 422: 'BadRule' },
      async handle(c, { body, workspaceId }) {
        const target = await targetOf(workspaceId, body.sessionId)
        const tried = [
          ...(body.rules ?? []),
          ...(body.text === undefined ? [] : [{ text: body.text, effect: body.effect }]),
        ]
        const added = tried.map(({ text, effect }) => ({ text: checkRule(text), effect }))
        const trial = await test(target, added, body.scope, workspaceId)
        return c.json({ ...trial, warnings: warningsOf(added, workspaceId) })
      },
    }),
    route({
      method: 'POST',
      path: '/ai/rules/explain',
      summary: 'What would become of calls, and why.',
      body: ruleExplainSchema,
      scoped: true,
      answers: { 200: '{decisions}', 403: 'BypassNotAllowed', 404: 'SessionNotFound', 422: 'UnknownMode, BadRule' },
      async handle(c, { body, workspaceId }) {
        const { place, session } = await targetOf(workspaceId, body.sessionId)
        const { allow = [], ask = [], deny = [], mode, sandbox } = body
        const flags = { allow: allow.map(checkRule), ask: ask.map(checkRule), deny: deny.map(checkRule) }
        const policy = permissions.policy(place, {
          session,
          rules: ruleLines(flags, 'flag', place.path),
          ...(mode !== undefined && { mode: permissions.checkMode(mode) }),
          sandbox,
        })
        const at = { place, ctx: placeContext(place.path), policy, tools: options.tools(workspaceId) }
        const decisions: ShownDecision[] = []
        for (const call of body.calls) {
          decisions.push(shownDecision(await permissions.explain(call, at)))
          if (decisions.length % callsPerSlice === 0) await setImmediate()
        }
        return c.json({ decisions })
      },
    }),
  ]

  async function targetOf(workspaceId: string, sessionId: string | undefined): Promise<RuleTarget> {
    const session: Session | undefined =
      sessionId === undefined ? undefined : await findSession(store, sessionId, workspaceId)
    const workspace = await store.workspaces.get(workspaceId)
    const place = { path: workspace?.path ?? '', trusted: workspace?.trusted ?? false }
    return { place, session }
  }

  async function add(
    target: RuleTarget,
    scope: RememberScope,
    rule: SessionRule,
    workspaceId: string,
  ): Promise<{ rule: ListedRule | undefined; settled: string[]; warnings: string[] }> {
    const { settled } = await answers.add(target, scope, [rule])
    const listed = ruleBook
      .list(target)
      .find((one) => one.text === rule.text && one.effect === rule.effect && one.editable && parseScope(one) === scope)
    return { rule: listed, settled, warnings: warningsOf([rule], workspaceId) }
  }

  async function test(
    { place, session }: RuleTarget,
    tried: SessionRule[],
    scope: RememberScope,
    workspaceId: string,
  ): Promise<RuleTrialResult> {
    const stored = await store.calls.recent({ workspaceId, limit: maxTrialCalls })
    const given = session === undefined ? {} : { session }
    const before = permissions.policy(place, given)
    const after = permissions.policy(place, {
      ...given,
      rules: tried.map((rule) => permissions.line(rule, scope, place)),
    })
    return tryRules({ before, after }, stored, { tools: options.tools(workspaceId), folder: place.path })
  }

  function warningsOf(rules: readonly SessionRule[], workspaceId: string): string[] {
    return rules.flatMap(({ text }) => ruleWarning(text, options.tools(workspaceId)) ?? [])
  }
}

function parseScope({ layer, file }: ListedRule): RememberScope {
  if (file === null) return 'session'
  return layer === 'user' ? 'always' : 'project'
}

type ShownDecision = Pick<Decision, 'decision' | 'reason' | 'rule' | 'remember' | 'commands'>

interface RuleTrialResult {
  calls: number
  before: Record<Effect, number>
  after: Record<Effect, number>
  changed: number
  /** The first changed calls, with long texts truncated. */
  changes: (StoredCall & { before: ShownDecision; after: ShownDecision })[]
}

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

function shownDecision({ decision, reason, rule, remember, commands }: Decision): ShownDecision {
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
function inDialects(tools: readonly Tool[], calls: readonly StoredCall[]): Tool[] {
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
