import { DatabaseSync } from 'node:sqlite'
import { Kysely } from 'kysely'
import { migrate } from '../migrate.ts'
import { nodeSqliteDialect, sqliteSteps } from '../sqlite.ts'

/** An empty database that all migrations made, one after the other. */
export async function migratedDatabase(): Promise<DatabaseSync> {
  const database = new DatabaseSync(':memory:')
  await migrate(new Kysely({ dialect: nodeSqliteDialect(database) }), { clock: () => 0, dialectSteps: sqliteSteps })
  return database
}
