import { type RawBuilder, sql } from 'kysely'
import { type Db, hasOtherWriters, type StoreContext } from './context.ts'

/**
 * Workspace of sessions being imported or deleted. Nobody can open it, so no list, search or export finds them. A
 * session of any size appears or disappears with one row update, and its rows are written or removed in small commits.
 */
export const hiddenWorkspace = '~'

/** Columns of a workspace that nobody has opened. */
export const newWorkspace = { trusted: 0, identity: null, opened_at: null, unlisted: 0, place: '' }

/** Maximum deletions per commit, since other writers wait for it. The event loop runs in between. */
const statementsPerCommit = 10

export async function hideSession(db: Db, id: string): Promise<void> {
  await addHiddenWorkspace(db)
  await db.updateTable('session').set({ workspace_id: hiddenWorkspace }).where('id', '=', id).execute()
  // Prevents resuming its runs or asks after a crash.
  await db.deleteFrom('ask').where('session_id', '=', id).execute()
  await db.updateTable('run').set({ status: 'aborted' }).where('session_id', '=', id).execute()
}

export async function addHiddenWorkspace(db: Db): Promise<void> {
  await db
    .insertInto('workspace')
    .values({ ...newWorkspace, id: hiddenWorkspace, path: hiddenWorkspace, created_at: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Deletes a hidden session, some rows per commit. Call only inside the session's lock. */
export async function purgeSession(context: StoreContext, id: string): Promise<void> {
  const hidden = await context.db
    .selectFrom('session')
    .select('id')
    .where('id', '=', id)
    .where('workspace_id', '=', hiddenWorkspace)
    .executeTakeFirst()
  if (hidden === undefined) return
  const isShared = hasOtherWriters(context.db)
  const row = sql.raw(isShared ? 'ctid' : 'rowid')
  const rowsIn = (found: RawBuilder<unknown>) =>
    isShared ? sql`ctid = any(array(select ${found}))` : sql`rowid in (select ${found})`
  const rowsOf = {
    message_text: sql`id in (select id from message_text where session_id = ${id} limit 100)`,
    message: rowsIn(sql`message.${row} from message where session_id = ${id} limit 200`),
    frame: rowsIn(
      sql`frame.${row} from run join frame on frame.run_id = run.id where run.session_id = ${id} limit 200`,
    ),
    call: rowsIn(sql`call.${row} from call where session_id = ${id} limit 1000`),
    run: rowsIn(sql`run.${row} from run where session_id = ${id} limit 500`),
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
  // Foreign keys delete the rest.
  await context.write((db) => db.deleteFrom('session').where('id', '=', id).execute())
}

export async function purgeHiddenSessions(context: StoreContext): Promise<void> {
  const rows = await context.db.selectFrom('session').select('id').where('workspace_id', '=', hiddenWorkspace).execute()
  for (const { id } of rows) await context.serialize(id, () => purgeSession(context, id))
}
