import type { AnyDb } from '../sql/context.ts'

/** What each sub-agent was started by and with, and what it has spent. */
export async function up(db: AnyDb): Promise<void> {
  await db.schema.alterTable('agent').addColumn('details', 'text').execute()
}
