import type { AnyDb } from '../sql/context.ts'

/** Adds each sub-agent's origin, setup and usage. */
export async function up(db: AnyDb): Promise<void> {
  await db.schema.alterTable('agent').addColumn('details', 'text').execute()
}
