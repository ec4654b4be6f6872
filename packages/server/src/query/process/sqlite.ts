import { randomBytes } from 'node:crypto'
import { constants, copyFileSync, existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { constants as sqlite, DatabaseSync, type StatementSync } from 'node:sqlite'
import type { Cell, Column, EngineRequest } from './messages.ts'
import type { Batch, Rows } from './rows.ts'

type Request = EngineRequest<'sqlite'>

/** Largest database that is copied because it cannot be opened in place. */
const mostCopied = 2 ** 31
const perBatch = 500

/** Runs one statement in a SQLite file. The file is opened read-only, and SQLite asks us about each thing it touches. */
export function querySqlite(request: Request): Rows {
  const database = openDatabase(request)
  confine(database, request.views)
  const statement = prepare(database, request.sql)
  const columns = statement.columns().map(({ name, type }): Column => ({ name, type: type ?? '', kind: kindOf(type) }))
  statement.setReadBigInts(true)
  statement.setReturnArrays(true)
  const rest = batches(statement, columns)
  // The values of the first rows name the types of expressions.
  const first = rest.next().value
  return { columns, batches: first === undefined ? [] : joined(first, rest) }
}

function* joined(first: Batch, rest: Generator<Batch, void>): Generator<Batch, void> {
  yield first
  yield* rest
}

function* batches(statement: StatementSync, columns: Column[]): Generator<Batch, void> {
  let rows: unknown[][] = []
  const batch = (given: unknown[][]): Batch => ({
    count: given.length,
    rows: () => given.map((row) => row.map(cellOf)),
  })
  for (const row of statement.iterate()) {
    rows.push(row as unknown as unknown[])
    if (rows.length < perBatch) continue
    nameTypes(columns, rows)
    yield batch(rows)
    rows = []
  }
  nameTypes(columns, rows)
  yield batch(rows)
}

/** Expressions have no declared type, so the first value that is not null names it. */
function nameTypes(columns: Column[], rows: readonly unknown[][]): void {
  for (const [index, column] of columns.entries()) {
    if (column.type !== '') continue
    const value = rows.find((row) => row[index] !== null)?.[index]
    if (value === undefined) continue
    column.type =
      typeof value === 'bigint'
        ? 'INTEGER'
        : typeof value === 'number'
          ? 'REAL'
          : typeof value === 'string'
            ? 'TEXT'
            : 'BLOB'
    column.kind = kindOf(column.type)
  }
}

function prepare(database: DatabaseSync, sql: string): StatementSync {
  try {
    return database.prepare(sql)
  } catch (error) {
    if (/not authorized|prohibited/i.test((error as Error).message))
      throw new Error('Only statements that read are allowed here. Use QueryWrite for changes.', { cause: error })
    throw error
  }
}

function openDatabase({ path: file, views, temporary }: Request): DatabaseSync {
  try {
    return prepared(new DatabaseSync(file, options(true)), views)
  } catch (error) {
    // A log or journal that cannot be replayed in place can be replayed in a copy.
    const isLocked = /unable to open|readonly|attempt to write/i.test((error as Error).message)
    if (!isLocked || views !== undefined || statSync(file).size > mostCopied) throw error
    const copy = path.join(temporary, 'copy.db')
    for (const end of ['', '-wal', '-journal'])
      if (existsSync(file + end)) copyFileSync(file + end, copy + end, constants.COPYFILE_FICLONE)
    new DatabaseSync(copy).exec('select count(*) from sqlite_schema')
    return prepared(new DatabaseSync(copy, options(true)), views)
  }
}

function options(readOnly: boolean) {
  return { readOnly, allowExtension: false, timeout: 5000, enableDoubleQuotedStringLiterals: false }
}

function prepared(database: DatabaseSync, views: Request['views']): DatabaseSync {
  for (const [name, select] of Object.entries(views ?? {})) {
    database.exec(`create temp view "${inner}${name}" as ${select}`)
    database.exec(`create temp view "${name}" as select * from "${inner}${name}"`)
  }
  database.exec('pragma query_only = on; pragma trusted_schema = off')
  database.prepare('select count(*) from sqlite_schema').get()
  return database
}

/**
 * SQLite names the view through which a table is read, but also any subquery. A name that nobody can guess tells our
 * views from a subquery with the same name.
 */
const inner = `own_${randomBytes(16).toString('hex')}_`

const readPragmas = new Set([
  'table_info',
  'table_xinfo',
  'table_list',
  'index_list',
  'index_info',
  'index_xinfo',
  'foreign_key_list',
])
const refusedFunctions = new Set(['load_extension', 'readfile', 'writefile', 'edit', 'fts3_tokenizer', 'sqlite_dbpage'])
const ownTables = new Set(['sqlite_temp_schema', 'sqlite_temp_master', 'json_each', 'json_tree'])

/** With views, tables can be read only through them. */
export function confine(database: DatabaseSync, views: Request['views']): void {
  const isView = (name: string): boolean => views !== undefined && Object.hasOwn(views, name)
  database.setAuthorizer((action, first, second, schema, via) => {
    switch (action) {
      case sqlite.SQLITE_SELECT:
      case sqlite.SQLITE_RECURSIVE:
        return sqlite.SQLITE_OK
      case sqlite.SQLITE_FUNCTION:
        return refusedFunctions.has(String(second).toLowerCase()) ? sqlite.SQLITE_DENY : sqlite.SQLITE_OK
      case sqlite.SQLITE_PRAGMA:
        return readPragmas.has(String(first).toLowerCase()) ? sqlite.SQLITE_OK : sqlite.SQLITE_DENY
      case sqlite.SQLITE_READ: {
        if (views === undefined || via?.startsWith(inner) === true) return sqlite.SQLITE_OK
        const name = String(first)
        if (schema === 'temp' && (isView(name) || name.startsWith(inner))) return sqlite.SQLITE_OK
        return ownTables.has(name.toLowerCase()) || name.startsWith('pragma_') ? sqlite.SQLITE_OK : sqlite.SQLITE_DENY
      }
      default:
        return sqlite.SQLITE_DENY
    }
  })
}

function kindOf(declared: string | null): Column['kind'] {
  const type = (declared ?? '').toUpperCase()
  if (/INT|REAL|FLOA|DOUB|DEC|NUM/.test(type)) return 'number'
  if (type.includes('BOOL')) return 'boolean'
  if (/DATE|TIME/.test(type)) return 'time'
  return type.includes('BLOB') ? 'other' : 'text'
}

function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return null
  if (value instanceof Uint8Array)
    return `0x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}`
  return typeof value === 'string' ? value : String(value as number | bigint)
}
