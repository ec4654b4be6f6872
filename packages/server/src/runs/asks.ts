import path from 'node:path'
import {
  type AgentState,
  type Answer,
  type Ask,
  checkInput,
  findTool,
  inDialect,
  type RunRecord,
  type Session,
  type SessionRule,
  type Store,
  type Tool,
  explainCall,
} from '@troupe/core'
import { askEndpoints, NamedError, toolAckEndpoints } from '@troupe/protocol'
import { implement, type Route } from '../http/route.ts'
import { findSession } from '../http/scope.ts'
import { isJoinedId } from '../util/joined-folder.ts'
import type { Permissions } from '../permission/permissions.ts'
import type { PolicyWorkspace, RememberScope, RuleLayers, SessionGrants } from '../permission/rule-layers.ts'
import type { RuleRegistry, RuleTarget } from '../permission/rule-registry.ts'
import type { Inbox } from './inbox.ts'
import { runRequestOf } from './prepare-run.ts'
import type { RunManager } from './run-types.ts'

export interface AskAnswers {
  /**
   * Submits the user's answer to an ask. Rules to remember are written in the same commit, then settle other asks they
   * cover. Throws `NothingToRemember`, `WrongInput` (422) and the errors of `Inbox.answer`, and changes nothing then.
   */
  answer(ask: Ask, answer: Answer, client?: string): Promise<{ ask: Ask; settled: string[] }>
  /** Adds rules and settles the asks they cover. */
  add(
    target: RuleTarget & { own?: boolean },
    scope: RememberScope,
    rules: readonly SessionRule[],
  ): Promise<{ settled: string[] }>
  /** Answers open asks of chats here that rules now allow. Called when rules were changed elsewhere. */
  settleAll(): Promise<void>
}

interface AskAnswersOptions {
  store: Store
  inbox: Inbox
  runs: RunManager
  permissions: Permissions
  rules: RuleRegistry
  layers: Pick<RuleLayers, 'isShared'>
  grants: SessionGrants
  tools(session: Session): readonly Tool[]
  states: { of(session: Session, workspace: PolicyWorkspace, agentId?: string): AgentState }
}

export function createAskAnswers(options: AskAnswersOptions): AskAnswers {
  const { store, inbox, runs, permissions, rules, grants } = options

  return {
    async answer(ask, answer, client) {
      const given = client === undefined ? {} : { client }
      const session = await store.sessions.get(ask.sessionId)
      if (session === undefined || ask.closedAt !== null || answer.type !== 'approve')
        return { ask: await runs.answer(ask.id, answer, given), settled: [] }
      checkHunks(ask, answer)
      if (answer.input !== undefined) await checkEdit(ask, answer.input, session)
      if (answer.remember === undefined) return { ask: await runs.answer(ask.id, answer, given), settled: [] }
      const scope = answer.remember
      const person = session.ownerId ?? undefined
      const target = { place: permissions.placeOf(session), session, person, own: person !== undefined }
      const wanted = await rulesToRemember(ask)
      // Rules that nodes share have a separate commit. If a crash comes first, the person is asked again.
      const isShared = options.layers.isShared && scope !== 'session'
      const also = isShared ? undefined : (inside: Store) => rules.add(target, scope, wanted, inside)
      const answered = await runs.answer(ask.id, answer, { ...given, ...(also !== undefined && { also }) })
      if (isShared) await rules.add(target, scope, wanted)
      await grants.refresh(session.id)
      return { ask: answered, settled: await settle(session, scope) }
    },
    async add(target, scope, added) {
      await rules.add(target, scope, added)
      if (!added.some(({ effect }) => effect === 'allow')) return { settled: [] }
      return { settled: await settle(target.session, scope, target.place.path) }
    },
    async settleAll() {
      if (runs.live().some(({ status }) => status === 'waiting')) await settle(undefined, 'always')
    },
  }

  /**
   * Returns only rules offered with the ask, and only for a known run: anyone can write an ask into a sessions folder.
   */
  async function rulesToRemember(ask: Ask): Promise<SessionRule[]> {
    const { remember = [] } = ask
    if (remember.length === 0 || (await store.runs.get(ask.runId)) === undefined)
      throw new NamedError(
        'NothingToRemember',
        'There is no safe rule to remember for this. Approve it once instead.',
        {
          status: 422,
        },
      )
    return remember.map((text) => ({ text, effect: 'allow' }))
  }

  async function checkEdit(ask: Ask, input: unknown, session: Session): Promise<void> {
    const tool = findTool(ask.toolName, toolsOf(session, await store.runs.get(ask.runId)))
    if (tool === undefined) return
    const checked = checkInput(tool, input)
    if ('complaint' in checked)
      throw new NamedError('WrongInput', `The edited input is invalid: ${checked.complaint}`, { status: 422 })
  }

  /** Answers open asks that the rules now allow. Skips asks that offered no rule, since no rule may settle them. */
  async function settle(of: Session | undefined, scope: RememberScope, path?: string): Promise<string[]> {
    const open = await inbox.list(scope === 'session' && of !== undefined ? { sessionId: of.id } : {})
    const settled: string[] = []
    for (const ask of open) {
      if (ask.kind !== 'approval' || (ask.remember ?? []).length === 0) continue
      const session = await store.sessions.get(ask.sessionId)
      if (session === undefined) continue
      const place = permissions.placeOf(session)
      // Only the computer with the folder can tell what a call would do.
      if (isJoinedId(session.workspaceId)) continue
      // Another node settles the asks of its chats, where their folders are loaded.
      if (options.layers.isShared && runs.all(session.id).length === 0) continue
      if (scope === 'project' && place.path !== (path ?? permissions.placeOf(of ?? session).path)) continue
      const rule = await ruleFor(ask, session)
      if (rule !== undefined && (await giveRule(ask.id, rule))) settled.push(ask.id)
    }
    return settled
  }

  async function ruleFor(ask: Ask, session: Session): Promise<string | undefined> {
    const run = await store.runs.get(ask.runId)
    const rules = run === undefined ? undefined : runRequestOf(run).rules
    const { decision, rule } = await explainCall(
      { tool: ask.toolName, input: ask.input },
      toolsOf(session, run),
      { state: options.states.of(session, permissions.placeOf(session), run?.agentId ?? undefined) },
      permissions.sessionPolicy(session, rules),
    )
    return decision === 'allow' ? (rule ?? ask.remember?.join(', ')) : undefined
  }

  /** Named as the run's model knows them. */
  function toolsOf(session: Session, run: RunRecord | undefined): readonly Tool[] {
    const model = run === undefined ? '' : runRequestOf(run).model
    return inDialect(options.tools(session), model)
  }

  /** Returns false if the ask was already answered. */
  async function giveRule(id: string, rule: string): Promise<boolean> {
    try {
      await runs.answer(id, { type: 'approve', rule })
      return true
    } catch (error) {
      if (error instanceof NamedError && error.name === 'AskClosed') return false
      throw error
    }
  }
}

/** The run checks that the hunks are those of the change as it would be made now. */
function checkHunks(ask: Ask, { hunks, input, remember }: Extract<Answer, { type: 'approve' }>): void {
  if (hunks === undefined) return
  const { kind, hunks: own, files } = (ask.content ?? {}) as { kind?: unknown; hunks?: unknown; files?: unknown }
  const isOffered = ask.kind === 'approval' && (Array.isArray(own) || (kind === 'patch' && Array.isArray(files)))
  const problem = !isOffered
    ? 'This request has no hunks to choose from.'
    : input !== undefined || remember !== undefined
      ? 'Answer with "hunks" or with "input" or "remember", not both.'
      : undefined
  if (problem !== undefined) throw new NamedError('WrongAnswer', problem, { status: 422 })
}

export function askRoutes({ store, inbox, answers }: { store: Store; inbox: Inbox; answers: AskAnswers }): Route[] {
  return implement(askEndpoints, {
    'GET /ai/asks': async ({ rights, query: { sessionId, folders }, workspaceId }) => {
      if (sessionId !== undefined) await findSession(store, sessionId, workspaceId)
      const others = folders === 'all' ? await store.workspaces.list() : []
      const open = new Map(others.filter(({ listed }) => listed !== false).map((one) => [one.id, one]))
      const asks = await inbox.list({ sessionId })
      const placed = await Promise.all(
        asks.map(async (ask) => {
          const session = await store.sessions.get(ask.sessionId)
          const at = session === undefined ? undefined : open.get(session.workspaceId)
          if (session === undefined || (at === undefined && session.workspaceId !== workspaceId)) return []
          const right = await rights.session(session)
          // The inbox has what the caller can answer. A chat shows what it waits for to everyone.
          if (right === undefined || (sessionId === undefined && right !== 'approve' && right !== 'manage')) return []
          const isHere = at === undefined || at.id === workspaceId
          const folder = isHere ? null : { id: at.id, name: path.basename(at.path) || at.path, path: at.path }
          return { ...ask, sessionTitle: session.title, folder }
        }),
      )
      return { asks: placed.flat() }
    },
    'POST /ai/asks/:id': async ({ params, body: { answer, clientId }, workspaceId }) => {
      const ask = await inbox.find(params.id)
      if (ask === undefined || !(await isIn(workspaceId, ask.sessionId)))
        throw new NamedError('AskNotFound', 'This request does not exist.', { status: 404 })
      return answers.answer(ask, answer, clientId)
    },
  })

  async function isIn(workspaceId: string, sessionId: string): Promise<boolean> {
    return (await store.sessions.get(sessionId))?.workspaceId === workspaceId
  }
}

export function toolAckRoutes({ store, runs }: { store: Store; runs: RunManager }): Route[] {
  return implement(toolAckEndpoints, {
    'POST /ai/tools/ack': async ({ body, workspaceId }) => {
      const { sessionId, toolCallId, clientId } = body
      await findSession(store, sessionId, workspaceId)
      const answer = ackAnswer(body)
      return { result: await runs.acknowledge({ sessionId, toolCallId, client: clientId, answer }) }
    },
  })
}

/** The answer that a page's report about a call is stored as. */
export function ackAnswer(report: { status: string; output?: unknown; errorText?: string | undefined }): Answer {
  const { status, output, errorText } = report
  return { type: 'answers', answers: { status, output, errorText } }
}
