import type { AgentEntry, AgentRecord, RunRecord, Store, Workspace } from '@troupe/core'
import { type AgentInfo, agentListSchema, NamedError, newId, steerRequestSchema } from '@troupe/protocol'
import { z } from 'zod'
import { answer, route, type Route } from '../http/route.ts'
import { assertNotTrashed, findSession, type OpenWorkspace } from '../http/scope.ts'
import { resumeAfter, streamResponse } from '../http/stream-response.ts'
import type { RunManager } from '../runs/run-manager.ts'
import { agentPatchSchema, type AgentRegistry, storedDefinitionSchema } from './agent-registry.ts'

const agentPageLimit = z
  .string()
  .regex(/^\d{1,3}$/, 'a whole number below 1,000')
  .optional()

const newAgentSchema = storedDefinitionSchema.extend({ name: z.string().min(1).max(200) })

export function agentRoutes(options: {
  store: Store
  live: RunManager
  agentBook: AgentRegistry
  openWorkspace: OpenWorkspace
}): Route[] {
  const { store, live, agentBook: book } = options
  return [
    route({
      method: 'GET',
      path: '/ai/agents',
      summary: 'Every agent: built-in, from the database, from files; which can be used, and why not.',
      scoped: true,
      answers: { 200: agentListSchema },
      async handle(c, { workspaceId }) {
        const workspace = await workspaceOf(workspaceId)
        return answer(c, agentListSchema, {
          agents: (await book.list(workspace)).map(agentInfo),
          problems: book.problems(workspace),
        })
      },
    }),
    route({
      method: 'POST',
      path: '/ai/agents',
      summary: 'Defines an agent of the workspace: a prompt, and which of the existing tools it has.',
      body: newAgentSchema,
      scoped: true,
      answers: { 201: '{agent}', 409: 'AgentExists', 422: 'InvalidAgent' },
      async handle(c, { body, workspaceId }) {
        const { name, ...data } = body
        return c.json({ agent: agentInfo(await book.add(await workspaceOf(workspaceId), name, data)) }, 201)
      },
    }),
    route({
      method: 'PATCH',
      path: '/ai/agents/:name',
      summary:
        'Changes an agent, or turns it off or on. Of a built-in one or one of a file this makes a version of your own. Runs under way keep the old one.',
      body: agentPatchSchema,
      scoped: true,
      answers: { 200: '{agent}', 404: 'AgentNotFound', 422: 'InvalidAgent' },
      async handle(c, { params, body, workspaceId }) {
        const workspace = await workspaceOf(workspaceId)
        return c.json({ agent: agentInfo(await book.change(workspace, params['name'] as string, body)) })
      },
    }),
    route({
      method: 'DELETE',
      path: '/ai/agents/:name',
      summary: 'Deletes an agent of the workspace; what it stood before is there again.',
      scoped: true,
      answers: { 200: '{deleted}', 404: 'AgentNotFound' },
      async handle(c, { params, workspaceId }) {
        const name = params['name'] as string
        if (!(await book.remove(await workspaceOf(workspaceId), name))) throw notFound(name)
        return c.json({ deleted: name })
      },
    }),
    route({
      method: 'GET',
      path: '/ai/sessions/:id/agents',
      summary: 'The sub-agents of a session, at every depth, in the order in which they came.',
      scoped: true,
      answers: { 200: '{agents}', 404: 'SessionNotFound' },
      async handle(c, { params, workspaceId }) {
        const session = await findSession(store, params['id'], workspaceId)
        const runs = new Map((await store.runs.ofSession(session.id)).map((run) => [run.id, run]))
        const agents = await store.agents.list(session.id)
        return c.json({ agents: agents.map((agent) => ({ ...summary(agent), ...agentTimes(agent, runs) })) })
      },
    }),
    route({
      method: 'GET',
      path: '/ai/sessions/:id/agents/:agentId/messages',
      summary: 'A page from the tail of the conversation of a sub-agent.',
      query: z.object({ before: z.string().max(64).optional(), limit: agentPageLimit }),
      scoped: true,
      answers: { 200: '{agent, leafMessageId, messages, siblings, page}', 404: 'SessionNotFound, AgentNotFound' },
      async handle(c, { params, query, workspaceId }) {
        const agent = await findAgent(params['id'], params['agentId'], workspaceId)
        const { sessionId, agentId } = agent
        const { before, limit: most } = query
        const page = await store.messages.branch(
          { sessionId, agentId },
          { ...(before && { before }), ...(most && { limit: Number(most) }) },
        )
        return c.json({ agent: summary(agent), ...page })
      },
    }),
    route({
      method: 'GET',
      path: '/ai/sessions/:id/agents/:agentId/stream',
      summary: 'Follows a sub-agent that is at work; Last-Event-ID or ?after=n; 204 when it is not.',
      query: z.object({
        after: z
          .string()
          .regex(/^\d{1,15}$/, 'a whole number')
          .optional(),
      }),
      gives: ['stream'],
      scoped: true,
      answers: { 200: 'UI message stream', 204: 'not at work', 404: 'SessionNotFound, AgentNotFound' },
      async handle(c, { params, query, workspaceId }) {
        const { sessionId, agentId } = await findAgent(params['id'], params['agentId'], workspaceId)
        const run = live.getAgent(sessionId, agentId)
        if (run === undefined) return c.body(null, 204)
        return streamResponse(c, (sink) => run.subscribe(sink, resumeAfter(c, query['after'])))
      },
    }),
    route({
      method: 'POST',
      path: '/ai/sessions/:id/agents/:agentId/stop',
      summary: 'Stops a sub-agent with everything that it started. The agent it works for reads what it had written.',
      scoped: true,
      answers: { 200: '{agent}', 404: 'SessionNotFound, AgentNotFound', 409: 'NoRun' },
      async handle(c, { params, workspaceId }) {
        const { sessionId, agentId } = await findAgent(params['id'], params['agentId'], workspaceId)
        if (!(await live.stopAgent(sessionId, agentId)))
          throw new NamedError('NoRun', 'This agent is not running.', { status: 409 })
        return c.json({ agent: summary((await store.agents.get(sessionId, agentId)) as AgentRecord) })
      },
    }),
    route({
      method: 'POST',
      path: '/ai/sessions/:id/agents/:agentId/input',
      summary: 'Tells a sub-agent more: one at work reads it at its next step, one that has ended goes on with it.',
      body: steerRequestSchema,
      scoped: true,
      answers: { 202: '{agent}', 404: 'SessionNotFound, AgentNotFound', 409: 'SessionTrashed' },
      async handle(c, { params, body, workspaceId }) {
        const session = await findSession(store, params['id'], workspaceId)
        const { agentId } = await findAgent(params['id'], params['agentId'], workspaceId)
        assertNotTrashed(session)
        await live.messageAgent(session, agentId, body)
        return c.json({ agent: summary((await store.agents.get(session.id, agentId)) as AgentRecord) }, 202)
      },
    }),
    route({
      method: 'POST',
      path: '/ai/sessions/:id/agents/:agentId/fork',
      summary: 'Makes a session of its own from the conversation of a sub-agent, to go on with it.',
      scoped: true,
      answers: { 201: '{session}', 404: 'SessionNotFound, AgentNotFound' },
      async handle(c, { params, workspaceId }) {
        const agent = await findAgent(params['id'], params['agentId'], workspaceId)
        const session = await findSession(store, params['id'], workspaceId)
        return c.json({ session: await fork(agent, session.model, workspaceId) }, 201)
      },
    }),
  ]

  async function workspaceOf(workspaceId: string): Promise<Workspace> {
    return (await store.workspaces.get(workspaceId)) as Workspace
  }

  async function findAgent(
    sessionId: string | undefined,
    agentId: string | undefined,
    workspaceId: string,
  ): Promise<AgentRecord> {
    const session = await findSession(store, sessionId, workspaceId)
    const agent = await store.agents.get(session.id, agentId ?? '')
    if (agent === undefined) throw new NamedError('AgentNotFound', 'This sub-agent does not exist.', { status: 404 })
    return agent
  }

  async function fork(agent: AgentRecord, model: string | null, workspaceId: string) {
    const from = { sessionId: agent.sessionId, agentId: agent.agentId }
    const leaf = await store.messages.latestLeaf(from)
    const messages = leaf === undefined ? [] : await store.messages.chain(from, leaf)
    return store.transaction(async (inside) => {
      const session = await inside.sessions.create({
        id: newId('ses_'),
        workspaceId,
        title: `${agent.name}: ${agent.title}`,
        model: agent.details?.setup.model ?? model,
        agent: agent.agentType === 'dynamic' ? null : agent.name,
      })
      let parentMessageId: string | null = null
      for (const message of messages) {
        const id: string = newId('msg_')
        await inside.messages.add({ sessionId: session.id }, { ...message, id, parentMessageId })
        parentMessageId = id
      }
      return (await inside.sessions.get(session.id)) ?? session
    })
  }
}

function agentInfo(entry: AgentEntry): AgentInfo {
  const { prompt, prompts, needs: _, ...rest } = entry
  return { ...rest, systemPrompt: prompt, languages: Object.keys(prompts ?? {}) }
}

/** Omits the prompt, which lists do not need. */
function summary({ details, ...record }: AgentRecord): Record<string, unknown> {
  if (details === undefined) return record
  const { parentRunId, toolCallId, background, steps, tokens, cost, note, setup } = details
  const facts = { parentRunId, toolCallId, background, steps, tokens, cost, model: setup.model }
  return { ...record, ...facts, ...(note !== undefined && { note }) }
}

/** Times of the newest turn. `elapsedMs` is set once the turn has ended. */
function agentTimes(
  { runId }: AgentRecord,
  runs: ReadonlyMap<string, RunRecord>,
): { startedAt?: number; elapsedMs?: number } {
  const run = runId === null ? undefined : runs.get(runId)
  if (run === undefined) return {}
  const { createdAt, endedAt } = run
  return { startedAt: createdAt, ...(endedAt !== null && { elapsedMs: endedAt - createdAt }) }
}

function notFound(name: string): NamedError {
  return new NamedError('AgentNotFound', `There is no stored agent "${name}" in this workspace.`, { status: 404 })
}
