import { sql } from 'kysely'
import type { AnyDb } from '../sql/context.ts'

/** Adds the nodes of a cluster, and which of them has a session. Unused by a single process. */
export async function up(db: AnyDb): Promise<void> {
  await db.schema
    .createTable('node')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('url', 'text', (c) => c.notNull())
    .addColumn('place', 'text', (c) => c.notNull())
    .addColumn('labels', 'text', (c) => c.notNull())
    .addColumn('version', 'text', (c) => c.notNull())
    .addColumn('started_at', 'bigint', (c) => c.notNull())
    .addColumn('until', 'bigint', (c) => c.notNull())
    .addColumn('draining', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
  await db.schema
    .createTable('session_lease')
    .addColumn('session_id', 'text', (c) => c.primaryKey())
    .addColumn('node_id', 'text', (c) => c.notNull())
    .addColumn('fence', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('session_lease_node').on('session_lease').column('node_id').execute()
  await db.schema
    .alterTable('workspace')
    .addColumn('place', 'text', (c) => c.notNull().defaultTo(''))
    .execute()
}

/** On a database server, folders on different disks may have the same path. */
export async function upPostgres(db: AnyDb): Promise<void> {
  await sql`alter table workspace drop constraint workspace_path_key`.execute(db)
  await sql`alter table workspace add constraint workspace_place_path unique (place, path)`.execute(db)
}
