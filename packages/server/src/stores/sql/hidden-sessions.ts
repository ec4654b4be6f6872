import { sql } from 'kysely'
import type { StoreContext, Db } from './context.ts'

/**
 * Sessions on their way in or out belong to this workspace, which nobody can open: no list, search or export finds them.
 * A session of any size so comes or goes with the change of one row, and its rows can be written and removed in many
 * small commits.
 */
export const hiddenWorkspace = '~'

/** So many deletions in one commit, for which other writers wait; the event loop turns between them. */
const statementsPerCommit = 10

export async function hideSession(db: Db, id: string): Promise<void> {
  await addHiddenWorkspace(db)
  await db.updateTable('session').set({ workspace_id: hiddenWorkspace }).where('id', '=', id).execute()
  // Nothing of it is resumed or asked again after a crash.
  await db.deleteFrom('ask').where('session_id', '=', id).execute()
  await db.updateTable('run').set({ status: 'aborted' }).where('session_id', '=', id).execute()
}

export async function addHiddenWorkspace(db: Db): Promise<void> {
  await db
    .insertInto('workspace')
    .values({ id: hiddenWorkspace, path: hiddenWorkspace, trusted: 0, created_at: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Removes a session if it is hidden, some rows with each commit. Only in the session's turn. */
export async function purgeSession(context: StoreContext, id: string): Promise<void> {
  const hidden = await context.db
    .selectFrom('session')
    .select('id')
    .where('id', '=', id)
    .where('workspace_id', '=', hiddenWorkspace)
    .executeTakeFirst()
  if (hidden === undefined) return
  const rowsOf = {
    message_text: sql`id in (select id from message_text where session_id = ${id} limit 100)`,
    message: sql`rowid in (select rowid from message where session_id = ${id} limit 200)`,
    frame: sql`rowid in (select frame.rowid from run join frame on frame.run_id = run.id where run.session_id = ${id} limit 200)`,
    call: sql`rowid in (select rowid from call where session_id = ${id} limit 1000)`,
    run: sql`rowid in (select rowid from run where session_id = ${id} limit 500)`,
  }
  for (const [table, some] of Object.entries(rowsOf)) {
    for (let isMore = true; isMore;) {
      isMore = await context.write(async (db) => {
        for (let i = 0; i < statementsPerCommit; i++) {
          const { numAffectedRows = 0n } = await sql`delete from ${sql.table(table)} where ${some}`.execute(db)
          if (numAffectedRows === 0n) return false
        }
        return true
      })
    }
  }
  // The rest hangs on it by foreign keys.
  await context.write((db) => db.deleteFrom('session').where('id', '=', id).execute())
}

/** What an import or a deletion that was cut off has left. */
export async function purgeHiddenSessions(context: StoreContext): Promise<void> {
  const rows = await context.db.selectFrom('session').select('id').where('workspace_id', '=', hiddenWorkspace).execute()
  for (const { id } of rows) await context.inTurn(id, () => purgeSession(context, id))
}
