import type { AnyDb } from '../sql/context.ts'

export async function up(db: AnyDb): Promise<void> {
  await db.schema
    .alterTable('session')
    .addColumn('params', 'text', (c) => c.notNull().defaultTo('{}'))
    .execute()
}
