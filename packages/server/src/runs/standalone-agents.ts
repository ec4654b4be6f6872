import type { AgentDetails, AgentFrame, AgentRecord, RunRecord, Session } from '@troupe/core'
import { NamedError, newId, type StoredMessage } from '@troupe/protocol'
import { prepareRun, type RecoveredState, runRequestOf } from './prepare-run.ts'
import { prepareStandaloneRun } from './prepare-agent-run.ts'
import type { RunServices } from './run-services.ts'
import type { OpenRun, RunToBegin } from './run-types.ts'

/** Runs of sub-agents that no run of their session resumes. */
export interface StandaloneAgents {
  goOn(
    session: Session,
    agent: AgentRecord & { details: AgentDetails },
    message: { id: string; text: string; person?: string | undefined },
  ): Promise<void>
  begin(record: RunRecord, session: Session, agent: AgentRecord, left?: RecoveredState): Promise<void>
  close(record: RunRecord, session: Session, left: RecoveredState): Promise<void>
}

interface StandaloneOptions {
  openChild(given: RunToBegin): OpenRun
  warn(message: string, run: { id: string; sessionId: string }, error: unknown): void
}

export function createStandaloneAgents(
  services: RunServices,
  { openChild, warn }: StandaloneOptions,
): StandaloneAgents {
  const { store } = services
  return { goOn, begin, close }

  /** Lets a sub-agent answer the user in its own run while its session has none. */
  async function goOn(
    session: Session,
    agent: AgentRecord & { details: AgentDetails },
    message: { id: string; text: string; person?: string | undefined },
  ): Promise<void> {
    const { agentId, name, details } = agent
    const at = { sessionId: session.id, agentId }
    const record: RunRecord = {
      id: newId('run_'),
      sessionId: session.id,
      agentId,
      userMessageId: message.id,
      messageId: newId('msg_'),
      status: 'running',
      request: { model: details.setup.model, agent: name, alone: true, person: message.person },
      fromNumber: await store.runs.lastNumber(session.id),
      createdAt: Date.now(),
      endedAt: null,
    }
    await store.transaction(async (inside) => {
      const parentMessageId = (await inside.messages.latestLeaf(at)) ?? null
      const parts: StoredMessage['parts'] = [{ type: 'text', text: message.text }]
      await inside.messages.add(at, { id: message.id, parentMessageId, role: 'user', parts, createdAt: Date.now() })
      await inside.runs.put(record)
      await inside.agents.put({ ...agent, status: 'running', runId: record.id, updatedAt: Date.now() })
      await services.turns?.begin(session.id, inside)
    })
    await begin(record, session, agent)
  }

  async function begin(record: RunRecord, session: Session, agent: AgentRecord, left?: RecoveredState): Promise<void> {
    const parts = await prepareStandaloneRun(
      services,
      session,
      agent,
      record.userMessageId,
      runRequestOf(record).person,
    )
    const live = openChild({ record, session, parts, recovered: left })
    void live.begin()
    void live.done
      .then(() => live.status)
      .catch(() => 'failed')
      .then(async (status) => {
        if (live.left) return
        const now = (await store.agents.get(session.id, agent.agentId)) ?? agent
        const ended = status === 'done' ? 'completed' : status === 'failed' ? 'failed' : 'stopped'
        await store.agents.put({ ...now, status: ended, updatedAt: Date.now() })
      })
      .catch((error: unknown) => warn('the state of a sub-agent was not stored', record, error))
  }

  /** Closes a sub-agent's run that nobody resumes, and keeps its output. */
  async function close(record: RunRecord, session: Session, left: RecoveredState): Promise<void> {
    const request = runRequestOf(record)
    const name = request.agent ?? 'agent'
    const agentId = record.agentId as string
    const frame: AgentFrame = { kind: 'sub', name, agentId, depth: 1, path: ['master', name] }
    const gathered = await prepareRun(services, session, request, record, left)
    const live = openChild({ record, session, parts: { ...gathered, frames: [frame] }, recovered: left })
    live.abort(new NamedError('Interrupted', 'The server stopped while writing this answer.'))
    void live.begin()
    await live.done
    const agent = await store.agents.get(session.id, agentId)
    if (agent !== undefined) await store.agents.put({ ...agent, status: 'stopped', updatedAt: Date.now() })
  }
}
