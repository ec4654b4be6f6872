import { SqliteAdapter, sql } from 'kysely'
import type { AnyDb } from '../sql/context.ts'

/** The audit log, secrets, settings and rate limits of a team, and usage by person. */
export async function up(db: AnyDb): Promise<void> {
  await createAudit(db)
  await db.schema
    .createTable('secret')
    .addColumn('owner', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('value', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('secret_key', ['owner', 'name'])
    .execute()
  await db.schema
    .createTable('data_key')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('wrapped', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('team_setting')
    .addColumn('name', 'text', (c) => c.primaryKey().notNull())
    .addColumn('value', 'text', (c) => c.notNull())
    .addColumn('version', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('rate_count')
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('minute', 'bigint', (c) => c.notNull())
    .addColumn('count', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('rate_count_key', ['name', 'minute'])
    .execute()
  await addPersonToUsage(db)
}

/**
 * Entries hold no personal data, only aliases of it: entries are never changed, and an alias can be deleted.
 * `audit_term` is the index of all searches.
 */
async function createAudit(db: AnyDb): Promise<void> {
  await db.schema
    .createTable('audit_entry')
    .addColumn('id', 'bigint', (c) => c.primaryKey().notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('actor', 'text', (c) => c.notNull())
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('target_type', 'text', (c) => c.notNull())
    .addColumn('target', 'text', (c) => c.notNull())
    .addColumn('outcome', 'text', (c) => c.notNull())
    .addColumn('request_id', 'text', (c) => c.notNull())
    .addColumn('address', 'text', (c) => c.notNull())
    .addColumn('detail', 'text', (c) => c.notNull())
    .execute()
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter
  const terms = db.schema
    .createTable('audit_term')
    .addColumn('term', 'text', (c) => c.notNull())
    .addColumn('id', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('audit_term_key', ['term', 'id'])
  await (isSqlite ? terms.modifyEnd(sql`without rowid`) : terms).execute()
  await db.schema
    .createTable('audit_alias')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('person_id', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('label', 'text', (c) => c.notNull())
    .addUniqueConstraint('audit_alias_kind', ['person_id', 'kind'])
    .execute()
  for (const statement of isSqlite ? sqliteGuards : postgresGuards) await sql.raw(statement).execute(db)
}

const guarded = ['audit_entry', 'audit_term']
const refusal = 'The audit log is append-only.'

const sqliteGuards = guarded.flatMap((table) =>
  ['update', 'delete'].map(
    (change) =>
      `create trigger ${table}_no_${change} before ${change} on ${table} begin select raise(abort, '${refusal}'); end`,
  ),
)

const postgresGuards = [
  `create function audit_append_only() returns trigger language plpgsql as $$ begin raise exception '${refusal}'; end $$`,
  ...guarded.map(
    (table) =>
      `create trigger ${table}_append_only before update or delete or truncate on ${table} for each statement execute function audit_append_only()`,
  ),
]

/** The person becomes part of the key, so the table is made new. */
async function addPersonToUsage(db: AnyDb): Promise<void> {
  const numbers = ['calls', 'input_tokens', 'cached_tokens', 'output_tokens', 'cost', 'unpriced_tokens']
  let table = db.schema.createTable('usage_by_person')
  for (const name of ['day', 'model', 'folder', 'person']) table = table.addColumn(name, 'text', (c) => c.notNull())
  for (const name of numbers)
    table = table.addColumn(name, name === 'cost' ? 'double precision' : 'bigint', (c) => c.notNull())
  await table.addPrimaryKeyConstraint('usage_by_person_key', ['day', 'model', 'folder', 'person'] as never[]).execute()
  const kept = sql.raw(numbers.join(', '))
  await sql`insert into usage_by_person (day, model, folder, person, ${kept})
    select day, model, folder, '', ${kept} from usage`.execute(db)
  await db.schema.dropTable('usage').execute()
  await db.schema.alterTable('usage_by_person').renameTo('usage').execute()
  await db.schema.createIndex('usage_person').on('usage').columns(['person', 'day']).execute()
}
