import type { AgentDetails, AgentRecord, Store } from '@troupe/core'
import { checkId, sessionNotFound, type StoreContext } from './context.ts'
import type { Tables } from './tables.ts'

export function agents(context: StoreContext): Store['agents'] {
  return {
    async put(agent) {
      checkId(agent.agentId, 'agent id')
      const row = agentRow(agent)
      await context.write(async (db, changes) => {
        const session = await db.selectFrom('session').select('id').where('id', '=', agent.sessionId).executeTakeFirst()
        if (!session) throw sessionNotFound(agent.sessionId)
        const { session_id, agent_id, ...rest } = row
        await db
          .insertInto('agent')
          .values(row)
          .onConflict((conflict) => conflict.columns(['session_id', 'agent_id']).doUpdateSet(rest))
          .execute()
        changes.push({ type: 'agent', sessionId: session_id, agentId: agent_id })
      })
    },

    async get(sessionId, agentId) {
      const row = await context.db
        .selectFrom('agent')
        .selectAll()
        .where('session_id', '=', sessionId)
        .where('agent_id', '=', agentId)
        .executeTakeFirst()
      return row && toAgentRecord(row)
    },

    async list(sessionId) {
      const rows = await context.db
        .selectFrom('agent')
        .selectAll()
        .where('session_id', '=', sessionId)
        .orderBy('created_at')
        .orderBy('agent_id')
        .execute()
      return rows.map(toAgentRecord)
    },
  }
}

export function agentRow(agent: AgentRecord): Tables['agent'] {
  return {
    session_id: agent.sessionId,
    agent_id: agent.agentId,
    parent_agent_id: agent.parentAgentId,
    name: agent.name,
    task: agent.task,
    agent_type: agent.agentType,
    status: agent.status,
    title: agent.title,
    run_id: agent.runId,
    details: agent.details === undefined ? null : JSON.stringify(agent.details),
    created_at: agent.createdAt,
    updated_at: agent.updatedAt,
  }
}

export function toAgentRecord(row: Tables['agent']): AgentRecord {
  return {
    sessionId: row.session_id,
    agentId: row.agent_id,
    parentAgentId: row.parent_agent_id,
    name: row.name,
    task: row.task,
    agentType: row.agent_type,
    status: row.status,
    title: row.title,
    runId: row.run_id,
    details: row.details === null ? undefined : (JSON.parse(row.details) as AgentDetails),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
