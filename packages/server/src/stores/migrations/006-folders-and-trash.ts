import type { AnyDb } from '../sql/context.ts'

export async function up(db: AnyDb): Promise<void> {
  await db.schema
    .createTable('folder')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('workspace_id', 'text', (c) => c.notNull().references('workspace.id').onDelete('cascade'))
    .addColumn('parent_id', 'text')
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('folder_workspace').on('folder').column('workspace_id').execute()
  await db.schema.alterTable('session').addColumn('folder_id', 'text').execute()
  await db.schema.alterTable('session').addColumn('trashed_at', 'bigint').execute()
  await db.schema.createIndex('session_folder').on('session').column('folder_id').execute()
  await db.schema.createIndex('session_trashed').on('session').column('trashed_at').execute()
  await db.schema
    .createIndex('session_pinned_newest')
    .on('session')
    .columns(['workspace_id', 'pinned', 'updated_at', 'id'])
    .execute()
}
