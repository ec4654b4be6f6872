import { sql } from 'kysely'
import type { Db } from './context.ts'

/** The file of asks; the other names are '' for a session's own messages and agent ids, which hold no '$'. */
export const asksFile = '$asks'

/**
 * Says, in the commit that changes a line already exported, that the file is no longer right from there on. When it is
 * the last line the file stays right up to its start, else it has to be written anew.
 */
export async function lowerExport(db: Db, sessionId: string, file: string, seq: number): Promise<void> {
  await sql`
    update export_state set
      size = case when seq = ${seq} then coalesce(line_start, 0) else 0 end,
      seq = case when seq = ${seq} and line_start is not null then ${seq - 1} else 0 end,
      line_start = null
    where session_id = ${sessionId} and file = ${file} and seq >= ${seq}`.execute(db)
}
