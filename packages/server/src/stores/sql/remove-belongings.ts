import type { AgentRecord, Part } from '@troupe/core'
import { toAgentRecord } from './agents.ts'
import { toAsk } from './asks.ts'
import { asksStream } from '../export/stream-file.ts'
import type { StoreChange, Db } from './context.ts'
import { removeRuns } from './runs.ts'

/** What messages that are gone for good leave: their calls, and the runs that wrote them. */
export interface RemovedMessages {
  sessionId: string
  calls: Set<string>
  runIds: string[]
}

/**
 * With messages go the sub-agents that their calls started, those below them, all that these said, and what was asked in
 * their runs. Agents that still work stay. Gives the agents that went.
 */
export async function removeDependents(
  db: Db,
  { sessionId, calls: given, runIds }: RemovedMessages,
  changes: StoreChange[],
): Promise<string[]> {
  const agents = (await db.selectFrom('agent').selectAll().where('session_id', '=', sessionId).execute()).map(
    toAgentRecord,
  )
  const asks = (await db.selectFrom('ask').selectAll().where('session_id', '=', sessionId).execute()).map(toAsk)
  const named = [...agents.map(({ details }) => details?.toolCallId), ...asks.map(({ toolCallId }) => toolCallId)]
  const calls = await unreferencedCalls(db, sessionId, given.intersection(new Set(named)))
  const gone = await agentsStartedBy(db, sessionId, agents, calls)
  const runs = new Set(runIds)
  for (const agentId of gone) {
    const said = await db
      .deleteFrom('message')
      .where('session_id', '=', sessionId)
      .where('agent_id', '=', agentId)
      .returning('parts')
      .execute()
    for (const { parts } of said) for (const call of callsIn(parts)) calls.add(call)
    for (const runId of await removeRuns(db, sessionId, (run) => run.agent_id === agentId)) runs.add(runId)
    await db.deleteFrom('agent').where('session_id', '=', sessionId).where('agent_id', '=', agentId).execute()
    await db.deleteFrom('export_state').where('session_id', '=', sessionId).where('stream', '=', agentId).execute()
    changes.push({ type: 'agent-deleted', sessionId, agentId })
  }
  const asked = asks.filter(({ runId, toolCallId }) => runs.has(runId) || calls.has(toolCallId))
  await removeAsks(
    db,
    sessionId,
    asked.map(({ id }) => id),
    changes,
  )
  return gone
}

export function callsIn(parts: string): string[] {
  return (JSON.parse(parts) as Part[]).flatMap((part) => ('toolCallId' in part ? [part.toolCallId] : []))
}

/** The agents that these calls started and all below them, unless one of them works. */
async function agentsStartedBy(
  db: Db,
  sessionId: string,
  agents: AgentRecord[],
  calls: ReadonlySet<string>,
): Promise<string[]> {
  const started = agents.filter(({ details }) => details !== undefined && calls.has(details.toolCallId))
  if (started.length === 0) return []
  const working = await db
    .selectFrom('run')
    .select('agent_id')
    .where('session_id', '=', sessionId)
    .where('status', 'in', ['running', 'waiting'])
    .execute()
  const busy = new Set(working.map((run) => run.agent_id))
  const families = started.map(({ agentId }) => agentWithDescendants(agentId, agents))
  return [...new Set(families.filter((all) => !all.some((agentId) => busy.has(agentId))).flat())]
}

/** An agent and all below it. What was imported may claim to be below itself. */
function agentWithDescendants(agentId: string, agents: AgentRecord[]): string[] {
  const found = new Set([agentId])
  for (const one of found) for (const agent of agents) if (agent.parentAgentId === one) found.add(agent.agentId)
  return [...found]
}

async function removeAsks(db: Db, sessionId: string, ids: string[], changes: StoreChange[]): Promise<void> {
  if (ids.length === 0) return
  for (let i = 0; i < ids.length; i += 500)
    await db
      .deleteFrom('ask')
      .where('id', 'in', ids.slice(i, i + 500))
      .execute()
  // An ask has a line for each of its states: the file is written anew.
  changes.push({ type: 'lines', sessionId, stream: asksStream, fromSeq: 0 })
}

/** Those that no message has any longer: what was said again, or waits to be brought back, keeps what is its own. */
async function unreferencedCalls(db: Db, sessionId: string, calls: Set<string>): Promise<Set<string>> {
  if (calls.size === 0) return calls
  const rows = await db
    .selectFrom('message')
    .select('parts')
    .where('session_id', '=', sessionId)
    .where('parts', 'like', '%"toolCallId"%')
    .execute()
  for (const { parts } of rows) for (const call of callsIn(parts)) calls.delete(call)
  return calls
}
