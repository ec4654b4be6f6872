import type { AnyDb } from '../sql/context.ts'

/** Version 1. A migration never changes after its release. Later changes are separate files. */
export async function up(db: AnyDb): Promise<void> {
  await db.schema
    .createTable('workspace')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('path', 'text', (c) => c.notNull().unique())
    .addColumn('trusted', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()

  await db.schema
    .createTable('project')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('workspace_id', 'text', (c) => c.notNull().references('workspace.id').onDelete('cascade'))
    .addColumn('parent_id', 'text')
    .addColumn('path', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('project_path', ['workspace_id', 'path'])
    .execute()

  await db.schema
    .createTable('session')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('workspace_id', 'text', (c) => c.notNull().references('workspace.id').onDelete('cascade'))
    .addColumn('project_id', 'text')
    .addColumn('title', 'text', (c) => c.notNull())
    .addColumn('renamed', 'integer', (c) => c.notNull())
    .addColumn('untitled', 'integer', (c) => c.notNull())
    .addColumn('pinned', 'integer', (c) => c.notNull())
    .addColumn('archived', 'integer', (c) => c.notNull())
    .addColumn('model', 'text')
    .addColumn('agent', 'text')
    .addColumn('message_count', 'integer', (c) => c.notNull())
    .addColumn('seq', 'bigint', (c) => c.notNull())
    .addColumn('last_number', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('session_newest').on('session').columns(['workspace_id', 'updated_at', 'id']).execute()

  // `parts` is the last column, so walking a branch reads only the short ones.
  await db.schema
    .createTable('message')
    .addColumn('session_id', 'text', (c) => c.notNull().references('session.id').onDelete('cascade'))
    .addColumn('agent_id', 'text', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('parent_id', 'text', (c) => c.notNull())
    .addColumn('seq', 'bigint', (c) => c.notNull())
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('metadata', 'text')
    .addColumn('parts', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('message_key', ['session_id', 'agent_id', 'id'])
    .execute()
  await db.schema
    .createIndex('message_children')
    .on('message')
    .columns(['session_id', 'agent_id', 'parent_id', 'created_at', 'seq', 'id'])
    .execute()
  await db.schema.createIndex('message_order').on('message').columns(['session_id', 'agent_id', 'seq', 'id']).execute()

  await db.schema
    .createTable('agent')
    .addColumn('session_id', 'text', (c) => c.notNull().references('session.id').onDelete('cascade'))
    .addColumn('agent_id', 'text', (c) => c.notNull())
    .addColumn('parent_agent_id', 'text')
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('task', 'text', (c) => c.notNull())
    .addColumn('agent_type', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('title', 'text', (c) => c.notNull())
    .addColumn('run_id', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('agent_key', ['session_id', 'agent_id'])
    .execute()

  await db.schema
    .createTable('run')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('session_id', 'text', (c) => c.notNull().references('session.id').onDelete('cascade'))
    .addColumn('agent_id', 'text')
    .addColumn('user_message_id', 'text', (c) => c.notNull())
    .addColumn('message_id', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('request', 'text', (c) => c.notNull())
    .addColumn('from_number', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('ended_at', 'bigint')
    .execute()
  await db.schema.createIndex('run_session').on('run').columns(['session_id', 'message_id']).execute()
  await db.schema.createIndex('run_status').on('run').column('status').execute()

  // No foreign key: one flush contains frames of many runs, and a deleted run must not fail the others.
  await db.schema
    .createTable('frame')
    .addColumn('run_id', 'text', (c) => c.notNull())
    .addColumn('seq', 'bigint', (c) => c.notNull())
    .addColumn('from_number', 'bigint', (c) => c.notNull())
    .addColumn('to_number', 'bigint', (c) => c.notNull())
    .addColumn('items', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('frame_key', ['run_id', 'seq'])
    .execute()

  await db.schema
    .createTable('ask')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('session_id', 'text', (c) => c.notNull().references('session.id').onDelete('cascade'))
    .addColumn('run_id', 'text', (c) => c.notNull())
    .addColumn('seq', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('closed_at', 'bigint')
    .addColumn('answer', 'text')
    .addColumn('data', 'text', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('ask_session').on('ask').columns(['session_id', 'seq']).execute()
  await db.schema.createIndex('ask_run').on('ask').column('run_id').execute()
  await db.schema.createIndex('ask_open').on('ask').columns(['closed_at', 'created_at']).execute()

  for (const table of ['definition', 'rule']) {
    await db.schema
      .createTable(table)
      .addColumn('workspace_id', 'text', (c) => c.notNull().references('workspace.id').onDelete('cascade'))
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('data', 'text', (c) => c.notNull())
      .addPrimaryKeyConstraint(`${table}_key`, ['workspace_id', 'name'])
      .execute()
  }

  await db.schema
    .createTable('setting')
    .addColumn('key', 'text', (c) => c.primaryKey().notNull())
    .addColumn('value', 'text', (c) => c.notNull())
    .execute()

  await db.schema
    .createTable('export_state')
    .addColumn('session_id', 'text', (c) => c.notNull().references('session.id').onDelete('cascade'))
    .addColumn('stream', 'text', (c) => c.notNull())
    .addColumn('seq', 'bigint', (c) => c.notNull())
    .addColumn('line_start', 'bigint')
    .addColumn('size', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('export_state_key', ['session_id', 'stream'])
    .execute()

  await db.schema
    .createTable('export_dirty')
    .addColumn('session_id', 'text', (c) => c.primaryKey().notNull().references('session.id').onDelete('cascade'))
    .execute()

  await db.schema
    .createTable('deleted_session')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .execute()
}
