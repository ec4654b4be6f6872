import type { AgentEntry, AgentRecord, RunRecord, Store, Workspace } from '@troupe/core'
import {
  agentEndpoints,
  type AgentInfo,
  agentStatusSchema,
  NamedError,
  newId,
  type SubAgentSummary,
} from '@troupe/protocol'
import { type BlobScopes, personIdOf } from '../http/principal.ts'
import { implement, resumeAfter, type Route, streamResponse } from '../http/route.ts'
import { findSession, type OpenWorkspace, sessionTrashed } from '../http/scope.ts'
import type { RunManager } from '../runs/run-types.ts'
import { createAgentFiles } from './agent-files.ts'
import type { AgentRegistry } from './agent-registry.ts'

export function agentRoutes(options: {
  store: Store
  runs: RunManager
  agents: AgentRegistry
  openWorkspace: OpenWorkspace
  blobScopes: Pick<BlobScopes, 'copy'>
}): Route[] {
  const { store, runs, agents, blobScopes } = options
  const files = createAgentFiles(agents)
  return implement(agentEndpoints, {
    'GET /ai/agents': async ({ workspaceId }) => {
      const workspace = await workspaceOf(workspaceId)
      return { agents: (await agents.list(workspace)).map(agentInfo), problems: agents.problems(workspace) }
    },
    'POST /ai/agents': async ({ body: { name, ...data }, workspaceId }) => ({
      agent: agentInfo(await agents.add(await workspaceOf(workspaceId), name, data)),
    }),
    'PATCH /ai/agents/:name': async ({ params, body, workspaceId }) => ({
      agent: agentInfo(await agents.change(await workspaceOf(workspaceId), params.name, body)),
    }),
    'DELETE /ai/agents/:name': async ({ params: { name }, workspaceId }) => {
      if (!(await agents.remove(await workspaceOf(workspaceId), name))) throw notFound(name)
      return { deleted: name }
    },
    'GET /ai/agent-files': async ({ query, workspaceId }) => files.read(await workspaceOf(workspaceId), query.path),
    'PATCH /ai/agent-files': async ({ body, workspaceId }) => files.write(await workspaceOf(workspaceId), body),
    'GET /ai/sessions/:id/agents': async ({ params, workspaceId }) => {
      const session = await findSession(store, params.id, workspaceId)
      const known = new Map((await store.runs.ofSession(session.id)).map((run) => [run.id, run]))
      const started = await store.agents.list(session.id)
      return { agents: started.map((agent) => ({ ...summary(agent), ...agentTimes(agent, known) })) }
    },
    'GET /ai/sessions/:id/agents/:agentId/messages': async ({ params, query, workspaceId }) => {
      const agent = await findAgent(params, workspaceId)
      const { sessionId, agentId } = agent
      const { before, limit: most } = query
      const page = await store.messages.branch(
        { sessionId, agentId },
        { before: before || undefined, limit: most ? Number(most) : undefined },
      )
      return { agent: summary(agent), ...page }
    },
    'GET /ai/sessions/:id/agents/:agentId/stream': async ({ params, query, workspaceId }, c) => {
      const { sessionId, agentId } = await findAgent(params, workspaceId)
      const run = runs.getAgent(sessionId, agentId)
      if (run === undefined) return undefined
      return streamResponse(c, (sink) => run.subscribe(sink, { after: resumeAfter(c, query.after) }))
    },
    'POST /ai/sessions/:id/agents/:agentId/stop': async ({ params, workspaceId }) => {
      const { sessionId, agentId } = await findAgent(params, workspaceId)
      if (!(await runs.stopAgent(sessionId, agentId)))
        throw new NamedError('NoRun', 'This agent is not running.', { status: 409 })
      return { agent: summary((await store.agents.get(sessionId, agentId)) as AgentRecord) }
    },
    'POST /ai/sessions/:id/agents/:agentId/input': async ({ principal, params, body, workspaceId }) => {
      const session = await findSession(store, params.id, workspaceId)
      const { agentId } = await findAgent(params, workspaceId)
      if (session.trashedAt !== null) throw sessionTrashed()
      const person = principal.kind === 'person' ? principal.person.id : undefined
      await runs.messageAgent(session, agentId, { ...body, person })
      return { agent: summary((await store.agents.get(session.id, agentId)) as AgentRecord) }
    },
    'POST /ai/sessions/:id/agents/:agentId/fork': async ({ principal, params, workspaceId }) => {
      const agent = await findAgent(params, workspaceId)
      const session = await findSession(store, params.id, workspaceId)
      const forked = await fork(agent, session.model, workspaceId, personIdOf(principal) ?? null)
      await blobScopes.copy(session.id, forked.id)
      return { session: forked }
    },
  })

  async function workspaceOf(workspaceId: string): Promise<Workspace> {
    return (await store.workspaces.get(workspaceId)) as Workspace
  }

  async function findAgent(at: { id: string; agentId: string }, workspaceId: string): Promise<AgentRecord> {
    const session = await findSession(store, at.id, workspaceId)
    const agent = await store.agents.get(session.id, at.agentId)
    if (agent === undefined) throw new NamedError('AgentNotFound', 'This sub-agent does not exist.', { status: 404 })
    return agent
  }

  async function fork(agent: AgentRecord, model: string | null, workspaceId: string, ownerId: string | null) {
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
        ownerId,
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
function summary({ details, ...rest }: AgentRecord): SubAgentSummary {
  // The file of an imported sub-agent may name any status.
  const record = { ...rest, status: agentStatusSchema.safeParse(rest.status).data ?? 'completed' }
  if (details === undefined) return record
  const { parentRunId, toolCallId, background, steps, tokens, cost, note, setup } = details
  const facts = { parentRunId, toolCallId, background, steps, tokens, cost, model: setup.model }
  return { ...record, ...facts, note }
}

/** Times of the newest turn. `elapsedMs` is set once the turn has ended. */
function agentTimes(
  { runId }: AgentRecord,
  runs: ReadonlyMap<string, RunRecord>,
): { startedAt?: number; elapsedMs?: number } {
  const run = runId === null ? undefined : runs.get(runId)
  if (run === undefined) return {}
  const { createdAt, endedAt } = run
  return { startedAt: createdAt, elapsedMs: endedAt === null ? undefined : endedAt - createdAt }
}

function notFound(name: string): NamedError {
  return new NamedError('AgentNotFound', `There is no stored agent "${name}" in this workspace.`, { status: 404 })
}
