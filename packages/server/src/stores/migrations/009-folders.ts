import type { AnyDb } from '../sql/context.ts'

export async function up(db: AnyDb): Promise<void> {
  await db.schema.alterTable('workspace').addColumn('identity', 'text').execute()
  await db.schema.alterTable('workspace').addColumn('opened_at', 'bigint').execute()
  await db.schema
    .alterTable('workspace')
    .addColumn('unlisted', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
  await db.schema.createIndex('workspace_identity').on('workspace').column('identity').execute()
  await db.schema
    .createTable('trusted_folder')
    .addColumn('identity', 'text', (c) => c.primaryKey().notNull())
    .addColumn('path', 'text', (c) => c.notNull())
    .addColumn('trusted_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.alterTable('project').addColumn('name', 'text').execute()
}
