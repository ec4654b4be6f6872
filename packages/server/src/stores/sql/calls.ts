import type { Store, StoredCall } from '@troupe/core'
import type { Metadata, StoredMessage } from '@troupe/protocol'
import type { AnyDb, Db, StoreContext } from './context.ts'
import { removedMark } from './removals.ts'

export function calls(context: StoreContext): Store['calls'] {
  return {
    async ids(sessionId) {
      const rows = await context.db
        .selectFrom('call')
        .select('tool_call_id')
        .where('session_id', '=', sessionId)
        .execute()
      return rows.map((row) => row.tool_call_id)
    },

    async recent({ workspaceId, limit }) {
      const sessions = await context.db
        .selectFrom('session')
        .select('id')
        .where('workspace_id', '=', workspaceId)
        .where((eb) =>
          eb.exists(eb.selectFrom('call').select('tool_call_id').whereRef('call.session_id', '=', 'session.id')),
        )
        .orderBy('updated_at', 'desc')
        .orderBy('id', 'desc')
        .execute()
      const found: StoredCall[] = []
      for (const { id } of sessions) {
        if (found.length >= limit) break
        await addCalls(context.db, id, found, limit)
      }
      return found.slice(0, limit)
    },
  }
}

const messagesPerQuery = 50

/** Adds the calls of a session, newest message first. Reads positions first, then the long texts as needed. */
async function addCalls(db: Db, sessionId: string, found: StoredCall[], limit: number): Promise<void> {
  const places = await db
    .selectFrom('message')
    .select(['agent_id', 'seq'])
    .where('session_id', '=', sessionId)
    .where('agent_id', 'not like', `${removedMark}%`)
    .where('role', '=', 'assistant')
    .orderBy('seq', 'desc')
    .execute()
  for (let i = 0; i < places.length && found.length < limit; i += messagesPerQuery) {
    const some = places.slice(i, i + messagesPerQuery)
    const rows = await db
      .selectFrom('message')
      .select(['created_at', 'metadata', 'parts'])
      .where('session_id', '=', sessionId)
      .where('agent_id', 'in', [...new Set(some.map((place) => place.agent_id))])
      .where('seq', '<=', some[0]!.seq)
      .where('seq', '>=', some.at(-1)!.seq)
      .where('role', '=', 'assistant')
      .orderBy('seq', 'desc')
      .execute()
    for (const row of rows) {
      const { model } = JSON.parse(row.metadata ?? '{}') as Metadata
      const made = { sessionId, ...(model !== undefined && { model }), createdAt: row.created_at }
      found.push(...callsIn(row.parts).map((call) => ({ ...call, ...made })))
    }
  }
}

/** Last call first. Skips calls whose input is incomplete. */
function callsIn(text: string): Pick<StoredCall, 'toolCallId' | 'toolName' | 'input'>[] {
  if (!text.includes('"toolCallId"')) return []
  const parts = JSON.parse(text) as StoredMessage['parts']
  return parts
    .flatMap((part) => {
      if (!('toolCallId' in part) || part.state === 'input-streaming' || part.input === undefined) return []
      const toolName = part.type === 'dynamic-tool' ? part.toolName : part.type.slice('tool-'.length)
      return [{ toolCallId: part.toolCallId, toolName, input: part.input }]
    })
    .toReversed()
}

/** Records a message's call ids. They stay reserved after the message is gone. */
export async function recordCalls(db: AnyDb, sessionId: string, parts: StoredMessage['parts']): Promise<void> {
  const ids = new Set(parts.flatMap((part) => ('toolCallId' in part ? [part.toolCallId] : [])))
  if (ids.size === 0) return
  await db
    .insertInto('call')
    .values([...ids].map((id) => ({ session_id: sessionId, tool_call_id: id })))
    .onConflict((conflict) => conflict.columns(['session_id', 'tool_call_id']).doNothing())
    .execute()
}
