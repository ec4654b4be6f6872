import type { Compilable, CompiledQuery, QueryResult, RawBuilder } from 'kysely'
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
  return (db, values) => {
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
    return db.executeQuery({ ...query, parameters })
  }
}

class Placeholder {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

const placeholders = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) })
