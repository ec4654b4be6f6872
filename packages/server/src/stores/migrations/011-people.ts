import type { AnyDb } from '../sql/context.ts'

/** Owners and sharing of chats, members, grants. Accounts themselves are in the tables of better-auth. */
export async function up(db: AnyDb): Promise<void> {
  await db.schema.alterTable('session').addColumn('owner_id', 'text').execute()
  await db.schema
    .alterTable('session')
    .addColumn('visibility', 'text', (c) => c.notNull().defaultTo('private'))
    .execute()
  await db.schema.createIndex('session_owner').on('session').columns(['owner_id', 'updated_at']).execute()

  await db.schema
    .createTable('member')
    .addColumn('person_id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('mentions_seen_at', 'bigint', (c) => c.notNull())
    .execute()

  await db.schema
    .createTable('invitation')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('token_hash', 'text', (c) => c.notNull().unique())
    .addColumn('email', 'text', (c) => c.notNull())
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('invited_by', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute()

  await db.schema
    .createTable('workspace_grant')
    .addColumn('workspace_id', 'text', (c) => c.notNull().references('workspace.id').onDelete('cascade'))
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('right', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('workspace_grant_key', ['workspace_id', 'subject'])
    .execute()
  await db.schema.createIndex('workspace_grant_subject').on('workspace_grant').column('subject').execute()

  await db.schema
    .createTable('session_share')
    .addColumn('session_id', 'text', (c) => c.notNull().references('session.id').onDelete('cascade'))
    .addColumn('person_id', 'text', (c) => c.notNull())
    .addColumn('right', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('session_share_key', ['session_id', 'person_id'])
    .execute()
  await db.schema.createIndex('session_share_person').on('session_share').columns(['person_id', 'session_id']).execute()

  await db.schema
    .createTable('share_link')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('session_id', 'text', (c) => c.notNull().references('session.id').onDelete('cascade'))
    .addColumn('token_hash', 'text', (c) => c.notNull().unique())
    .addColumn('created_by', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('share_link_session').on('share_link').column('session_id').execute()

  await db.schema
    .createTable('comment')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('session_id', 'text', (c) => c.notNull().references('session.id').onDelete('cascade'))
    .addColumn('message_id', 'text', (c) => c.notNull())
    .addColumn('author_id', 'text', (c) => c.notNull())
    .addColumn('text', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('comment_session').on('comment').columns(['session_id', 'created_at']).execute()

  await db.schema
    .createTable('comment_mention')
    .addColumn('comment_id', 'text', (c) => c.notNull().references('comment.id').onDelete('cascade'))
    .addColumn('person_id', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('comment_mention_key', ['comment_id', 'person_id'])
    .execute()
  await db.schema.createIndex('comment_mention_person').on('comment_mention').column('person_id').execute()

  await db.schema
    .createTable('presence')
    .addColumn('session_id', 'text', (c) => c.notNull().references('session.id').onDelete('cascade'))
    .addColumn('person_id', 'text', (c) => c.notNull())
    .addColumn('since', 'bigint', (c) => c.notNull())
    .addColumn('seen_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('presence_key', ['session_id', 'person_id'])
    .execute()

  await db.schema
    .createTable('rate_limit')
    .addColumn('key', 'text', (c) => c.primaryKey().notNull())
    .addColumn('count', 'bigint', (c) => c.notNull())
    .addColumn('since', 'bigint', (c) => c.notNull())
    .execute()

  await db.schema
    .createTable('session_blob')
    .addColumn('sha256', 'text', (c) => c.notNull())
    .addColumn('session_id', 'text', (c) => c.notNull().references('session.id').onDelete('cascade'))
    .addPrimaryKeyConstraint('session_blob_key', ['sha256', 'session_id'])
    .execute()
  await db.schema.createIndex('session_blob_session').on('session_blob').column('session_id').execute()

  await db.schema
    .createTable('person_blob')
    .addColumn('sha256', 'text', (c) => c.notNull())
    .addColumn('person_id', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('person_blob_key', ['sha256', 'person_id'])
    .execute()
}
