import { setImmediate } from 'node:timers/promises'
import {
  newRuleSchema,
  placeContext,
  ruleExplainSchema,
  ruleListSchema,
  rulePatchSchema,
  ruleTestSchema,
  ruleWarning,
  type Session,
  type SessionRule,
  type Store,
  type Tool,
} from '@troupe/core'
import { z } from 'zod'
import type { ConfigFile } from '../config.ts'
import { findSession } from '../find-session.ts'
import type { AskAnswers } from '../permission/answers.ts'
import { ruleLines, type Permissions } from '../permission/permissions.ts'
import type { RuleLayers, RememberScope } from '../permission/rule-layers.ts'
import { checkRule, type ListedRule, type RuleRegistry, type RuleTarget } from '../permission/rule-book.ts'
import {
  callsPerSlice,
  shownDecision,
  tryRules,
  type ShownDecision,
  type RuleTrialResult,
} from '../permission/try-rules.ts'
import { answer, route, type Route } from '../route.ts'

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

/** So many calls of the past tell what a rule would change. */
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
        // First the new one: what is forbidden stays so in between.
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
          ...(session !== undefined && { session }),
          rules: ruleLines(flags, 'flag', place.path),
          ...(mode !== undefined && { mode: permissions.checkMode(mode) }),
          ...(sandbox !== undefined && { sandbox }),
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
    return { place, ...(session !== undefined && { session }) }
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
