import type { Compilable, CompiledQuery, QueryResult, RawBuilder } from 'kysely'
import { yieldToEventLoop } from '../../util/concurrency.ts'
import type { Db } from './context.ts'

/**
 * Declares a query that is built and compiled once and then run with different values. Use it for queries of every
 * turn: building one costs several times what running it does. `build` gets placeholders, so it must not inspect the
 * values.
 */
export function statement<Values extends object, Row>(
  build: (db: Db, values: Values) => Compilable<Row> | RawBuilder<Row>,
): (db: Db, values: Values) => Promise<QueryResult<Row>> {
  /** By adapter, since each dialect has its own SQL. */
  const queries = new WeakMap<object, CompiledQuery<Row>>()
  return async (db, values) => {
    const { adapter } = db.getExecutor()
    let query = queries.get(adapter)
    if (query === undefined) {
      const built = build(db, placeholders as Values)
      query = 'isRawBuilder' in built ? built.compile(db) : built.compile()
      queries.set(adapter, query)
    }
    const parameters = query.parameters.map((one) =>
      one instanceof Placeholder ? values[one.name as keyof Values] : one,
    )
    const compiled = { ...query, parameters }
    const direct = directDatabases.get(adapter)
    const isFree = direct !== undefined && (db.isTransaction || (!writers.has(adapter) && !direct.isInTransaction()))
    return isFree && yieldToEventLoop() === undefined ? direct.run(compiled) : db.executeQuery(compiled)
  }
}

/** A database in this process with one connection. */
interface DirectDatabase {
  run<Row>(query: CompiledQuery): QueryResult<Row>
  isInTransaction(): boolean
}

const directDatabases = new WeakMap<object, DirectDatabase>()
const writers = new WeakSet<object>()

/**
 * Runs statements without Kysely's search for a free connection, which costs more than a small query. Those outside a
 * transaction still wait for one that was begun before them.
 */
export function runDirectly(db: Db, database: DirectDatabase): void {
  directDatabases.set(db.getExecutor().adapter, database)
}

/** Tells that transactions are open or about to begin. */
export function setWriting(db: Db, isWriting: boolean): void {
  const { adapter } = db.getExecutor()
  if (isWriting) writers.add(adapter)
  else writers.delete(adapter)
}

class Placeholder {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

const placeholders = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) })
