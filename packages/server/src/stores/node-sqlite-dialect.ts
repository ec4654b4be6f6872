import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { CompiledQuery, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import type { DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely'
import { yieldToEventLoop } from '../breathe.ts'

const cachedStatements = 300

/**
 * Kysely on `node:sqlite`. There is one connection; Kysely's own mutex hands it to one caller at a time, so whoever is
 * outside a transaction waits until it has ended.
 */
export function nodeSqliteDialect(database: DatabaseSync): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => createDriver(database),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

function createDriver(database: DatabaseSync): Driver {
  const connection = createConnection(database)
  const run = (sql: string) => connection.executeQuery(CompiledQuery.raw(sql)).then(() => undefined)
  return {
    init: async () => undefined,
    acquireConnection: async () => connection,
    releaseConnection: async () => undefined,
    // Immediate: the write lock is taken at once rather than half-way through.
    beginTransaction: () => run('begin immediate'),
    commitTransaction: () => run('commit'),
    // Some failures (a full disk) have rolled back already.
    rollbackTransaction: () => (database.isTransaction ? run('rollback') : Promise.resolve()),
    destroy: async () => database.close(),
  }
}

function createConnection(database: DatabaseSync): DatabaseConnection {
  const statements = new Map<string, { statement: StatementSync; reads: boolean }>()

  function prepare(sql: string) {
    const known = statements.get(sql)
    if (known) {
      // Moved to the end, so that the first entry is the one unused for longest.
      statements.delete(sql)
      statements.set(sql, known)
      return known
    }
    const statement = database.prepare(sql)
    const prepared = { statement, reads: statement.columns().length > 0 }
    statements.set(sql, prepared)
    if (statements.size > cachedStatements) statements.delete(statements.keys().next().value!)
    return prepared
  }

  return {
    async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
      // Queries are synchronous, and promises alone never let the event loop turn: a long row of queries would keep it.
      await yieldToEventLoop()
      const { statement, reads } = prepare(sql)
      const values = parameters as SQLInputValue[]
      if (reads) return { rows: statement.all(...values) as R[] }
      const { changes } = statement.run(...values)
      return { numAffectedRows: BigInt(changes), rows: [] }
    },
    // A statement of its own: a cached one could be asked again while this one is being read.
    async *streamQuery<R>({ sql, parameters }: CompiledQuery) {
      for (const row of database.prepare(sql).iterate(...(parameters as SQLInputValue[]))) yield { rows: [row as R] }
    },
  }
}
