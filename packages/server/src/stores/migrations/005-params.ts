import type { AnyDb } from '../sql/context.ts'

/** What each session has chosen of its model's settings. */
export async function up(db: AnyDb): Promise<void> {
  await db.schema
    .alterTable('session')
    .addColumn('params', 'text', (c) => c.notNull().defaultTo('{}'))
    .execute()
}
