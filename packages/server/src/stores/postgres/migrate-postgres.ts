import { sql } from 'kysely'
import { newerDatabase, schemaVersion } from '../database-state.ts'
import { allSteps, migrateFrom, type MigrateOptions, versionOf } from '../migrate.ts'
import { upPostgres as clusterOnPostgres } from '../migrations/013-cluster.ts'
import { type AnyDb, lockKey } from '../sql/context.ts'
import { createBlobTables } from './blobs.ts'
import type { Guard } from './pool.ts'
import { postgresSearchMigrations } from './search.ts'

/** Versions that a program which knows only earlier ones can use unchanged. It keeps working until it is updated. */
const additiveVersions = new Set([10])

/** Refuses transactions once another process has migrated to a schema that this program does not know. */
export const versionGuard: Guard = {
  sql: `select version from schema_version where version > ${schemaVersion} and additive = 0 order by version desc limit 1`,
  error: ({ version }) => newerDatabase(Number(version)),
}

const dialectSteps: MigrateOptions['dialectSteps'] = {
  ...postgresSearchMigrations,
  10: createBlobTables,
  /** `real` has only 6 digits there. */
  async 8(db) {
    await sql`alter table usage alter column cost type double precision`.execute(db)
  },
  13: clusterOnPostgres,
}

/**
 * Migrates a database that several processes may open at the same time, even when it is empty. Processes of an older version may
 * be at work: their transactions end first, and new ones look at the version. Throws `NewerDatabase`.
 */
export async function migratePostgres(
  db: AnyDb,
  { clock, steps = allSteps, additive = additiveVersions }: PostgresMigrateOptions,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await lockKey(transaction, 'migration')
    await sql`create table if not exists schema_version (
      version integer primary key, migrated_at bigint not null, additive integer not null)`.execute(transaction)
    const version = await versionOf(transaction)
    if (version > steps.length) {
      const { rows } = await sql`
        select 1 from schema_version where version > ${steps.length} and additive = 0 limit 1`.execute(transaction)
      if (rows.length > 0) throw newerDatabase(version, steps.length)
    }
    if (version >= steps.length) return
    // Waits for transactions that looked at the version, and lets no other begin.
    await sql`lock table schema_version in access exclusive mode`.execute(transaction)
    await migrateFrom(transaction, version, { clock, steps, dialectSteps }, (next) =>
      sql`insert into schema_version (version, migrated_at, additive)
        values (${next}, ${clock()}, ${additive.has(next) ? 1 : 0})`.execute(transaction),
    )
    await compareBytes(transaction)
  })
}

export interface PostgresMigrateOptions extends Pick<MigrateOptions, 'clock' | 'steps'> {
  additive?: ReadonlySet<number>
}

/** Texts are compared by their bytes, as in SQLite, whatever the locale of the database. */
async function compareBytes(db: AnyDb): Promise<void> {
  const { rows } = await sql<{ table: string; column: string; type: string }>`
    select relname as "table", attname as "column", format_type(atttypid, null) as type
    from pg_attribute
      join pg_class on pg_class.oid = attrelid
      join pg_collation on pg_collation.oid = attcollation
    where relkind = 'r' and relnamespace = current_schema()::regnamespace and attnum > 0 and not attisdropped
      and collname = 'default'`.execute(db)
  for (const [table, columns] of Map.groupBy(rows, (row) => row.table)) {
    const changes = columns.map(
      ({ column, type }) => sql`alter column ${sql.id(column)} type ${sql.raw(type)} collate "C"`,
    )
    await sql`alter table ${sql.id(table)} ${sql.join(changes)}`.execute(db)
  }
}
