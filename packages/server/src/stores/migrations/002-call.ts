import type { StoredMessage } from '@troupe/protocol'
import { recordCalls } from '../sql/calls.ts'
import type { AnyDb } from '../sql/context.ts'

export async function up(db: AnyDb): Promise<void> {
  await db.schema
    .createTable('call')
    .addColumn('session_id', 'text', (c) => c.notNull().references('session.id').onDelete('cascade'))
    .addColumn('tool_call_id', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('call_key', ['session_id', 'tool_call_id'])
    .execute()
  for (const session of await db.selectFrom('session').select('id').execute()) {
    const sessionId = session['id'] as string
    const rows = await db
      .selectFrom('message')
      .select('parts')
      .where('session_id', '=', sessionId)
      .where('parts', 'like', '%"toolCallId"%')
      .execute()
    for (const row of rows)
      await recordCalls(db, sessionId, JSON.parse(row['parts'] as string) as StoredMessage['parts'])
  }
}
