import { asksStream, type Db, type StoreChange } from './context.ts'
import type { AgentRecord } from '@troupe/core'
import type { Part } from '@troupe/protocol'
import { toAgentRecord } from './agents.ts'
import { toAsk } from './calls.ts'
import { removeRuns } from './runs.ts'

interface RemovedMessages {
  sessionId: string
  calls: Set<string>
  runIds: string[]
}

/**
 * Deletes the sub-agents started by the messages' calls, their descendants, messages and asks. Active agents stay.
 * Returns the deleted agents.
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

/** Returns the agents started by these calls and their descendants, unless one is active. */
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

/** Returns an agent and its descendants. Imported data may contain cycles. */
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
  // An ask has one line per state, so rewrite the file.
  changes.push({ type: 'lines', sessionId, stream: asksStream, fromSeq: 0 })
}

/** Returns calls that no message references. Messages added again or awaiting restore keep theirs. */
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
