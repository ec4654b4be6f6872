import { sql } from 'kysely'
import { newerDatabase, type schemaVersion } from './database-state.ts'
import { up as first } from './migrations/001-first.ts'
import { up as call } from './migrations/002-call.ts'
import { up as mode } from './migrations/003-mode.ts'
import { up as agentDetails } from './migrations/004-agent-details.ts'
import { up as params } from './migrations/005-params.ts'
import { up as foldersAndTrash } from './migrations/006-folders-and-trash.ts'
import { up as textOfCalls } from './migrations/007-text-of-calls.ts'
import { up as usage } from './migrations/008-usage.ts'
import { up as folders } from './migrations/009-folders.ts'
import { up as people } from './migrations/011-people.ts'
import { up as governance } from './migrations/012-governance.ts'
import { up as cluster } from './migrations/013-cluster.ts'
import type { AnyDb } from './sql/context.ts'

type Step = (db: AnyDb) => Promise<void>

/** No common changes. */
const reserved: Step = () => Promise.resolve()

/** In order. The position is the version, and the last one is `schemaVersion`. */
export const allSteps: Step[] & { length: typeof schemaVersion } = [
  first,
  call,
  mode,
  agentDetails,
  params,
  foldersAndTrash,
  textOfCalls,
  usage,
  folders,
  reserved,
  people,
  governance,
  cluster,
]

export interface MigrateOptions {
  clock: () => number
  /** Dialect-specific tables by version, created after the common ones of the same version. */
  dialectSteps: Record<number, Step>
  /** Creates the tables of the last version in an empty database, in place of all steps. */
  create?: () => void
  /** Called before an older database is changed. */
  backup?: (version: number) => Promise<void> | void
  steps?: Step[]
}

/** Migrates a database to this program's version in one commit. Throws `NewerDatabase` and changes nothing. */
export async function migrate(db: AnyDb, { backup, ...options }: MigrateOptions): Promise<void> {
  await sql`create table if not exists schema_version (version integer primary key, migrated_at bigint not null)`.execute(
    db,
  )
  const { steps = allSteps } = options
  const version = await versionOf(db)
  if (version === steps.length) return
  if (version > steps.length) throw newerDatabase(version, steps.length)
  if (version > 0) await backup?.(version)
  await db
    .transaction()
    .execute((transaction) =>
      migrateFrom(transaction, version, options, (next) =>
        sql`insert into schema_version (version, migrated_at) values (${next}, ${options.clock()})`.execute(
          transaction,
        ),
      ),
    )
}

export async function versionOf(db: AnyDb): Promise<number> {
  const { rows } = await sql<{ version: number | null }>`select max(version) as version from schema_version`.execute(db)
  return rows[0]?.version ?? 0
}

/** Runs the steps after this version, and records each. */
export async function migrateFrom(
  transaction: AnyDb,
  version: number,
  { steps = allSteps, dialectSteps, create }: MigrateOptions,
  record: (version: number) => Promise<unknown>,
): Promise<void> {
  const isCreated = version === 0 && create !== undefined
  if (isCreated) create()
  for (const [index, step] of steps.entries()) {
    const next = index + 1
    if (next <= version) continue
    if (!isCreated) {
      await step(transaction)
      await dialectSteps[next]?.(transaction)
    }
    await record(next)
  }
}
