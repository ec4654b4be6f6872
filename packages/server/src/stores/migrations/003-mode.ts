import type { AnyDb } from '../sql/context.ts'

export async function up(db: AnyDb): Promise<void> {
  await db.schema
    .alterTable('session')
    .addColumn('mode', 'text', (c) => c.notNull().defaultTo('default'))
    .execute()
  await db.schema
    .alterTable('session')
    .addColumn('rules', 'text', (c) => c.notNull().defaultTo('[]'))
    .execute()
}
