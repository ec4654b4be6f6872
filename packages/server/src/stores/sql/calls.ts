import type { Store, StoredMessage } from '@troupe/core'
import type { AnyDb, Context } from './context.ts'

export function calls(context: Context): Store['calls'] {
  return {
    async ids(sessionId) {
      const rows = await context.db
        .selectFrom('call')
        .select('tool_call_id')
        .where('session_id', '=', sessionId)
        .execute()
      return rows.map((row) => row.tool_call_id)
    },
  }
}

/** Remembers the ids of a message's calls; they stay taken when the message is gone. */
export async function noteCalls(db: AnyDb, sessionId: string, parts: StoredMessage['parts']): Promise<void> {
  const ids = new Set(parts.flatMap((part) => ('toolCallId' in part ? [part.toolCallId] : [])))
  if (ids.size === 0) return
  await db
    .insertInto('call')
    .values([...ids].map((id) => ({ session_id: sessionId, tool_call_id: id })))
    .onConflict((conflict) => conflict.columns(['session_id', 'tool_call_id']).doNothing())
    .execute()
}
