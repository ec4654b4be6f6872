import { DatabaseSync } from 'node:sqlite'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { startPostgres } from '../../query/testing/database-servers.ts'
import { up as usage } from '../../stores/migrations/008-usage.ts'
import { up as governance } from '../../stores/migrations/012-governance.ts'
import type { Db } from '../../stores/sql/context.ts'
import type { Tables } from '../../stores/sql/tables.ts'
import { nodeSqliteDialect } from '../../stores/sqlite.ts'

export interface TestDatabase {
  db: Db
  close(): Promise<void>
}

/** A database in memory, or in a file, with the tables of governance only. */
export async function openTestSqlite(file = ':memory:'): Promise<TestDatabase> {
  const database = new DatabaseSync(file)
  database.exec('pragma journal_mode = wal')
  const db = new Kysely<Tables>({ dialect: nodeSqliteDialect(database) })
  await createTables(db)
  return { db, close: () => db.destroy() }
}

/** The same tables on a Postgres server of its own, empty for each `open`. Undefined if it is not installed. */
export async function startTestPostgres(): Promise<
  { open(): Promise<TestDatabase>; stop(): Promise<void> } | undefined
> {
  const server = await startPostgres('select 1')
  if (server === undefined) return undefined
  const { default: pg } = await import('pg')
  const { host, port, user, password } = server.connection
  let count = 0
  return {
    async open() {
      // A schema is made in a tenth of the time of a database.
      const schema = `test_${++count}`
      const options = `-c search_path=${schema}`
      const pool = new pg.Pool({ host, port, user, password, database: 'postgres', options, max: 4 })
      const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
      await db.schema.createSchema(schema).execute()
      await createTables(db)
      return { db, close: () => db.destroy() }
    },
    stop: () => server.stop(),
  }
}

async function createTables(db: Db): Promise<void> {
  await usage(db)
  await sql`insert into usage values ('2026-01-01', 'shop/large', '/work', 1, 2, 3, 4, 0.5, 6)`.execute(db)
  await governance(db)
}
