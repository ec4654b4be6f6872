import { createHash, type Hash } from 'node:crypto'
import { NamedError } from '@troupe/protocol'
import { sql } from 'kysely'
import { indexedPairs } from '../postgres/search.ts'
import { type AnyDb, hasOtherWriters } from '../sql/context.ts'
import { createSqliteSearch } from '../sqlite-search.ts'

/** A table that both databases have, with its columns and the order of its rows. */
export interface MovedTable {
  name: string
  columns: string[]
  key: string[]
}

export interface TableReport {
  name: string
  rows: number
  sha256: string
}

export type OnProgress = (progress: { what: string; done: number; total: number }) => void

/** Tables that belong to one database, or to the servers that are running. */
const local =
  /^(sqlite_.*|schema_version|export_state|export_dirty|deleted_session|message_(search|pairs).*|node|session_lease|presence|rate_limit)$/

/**
 * Describes the tables to move, referenced ones first. SQLite has all of them. Also returns the tables
 * with rows that only the source has.
 */
export async function tablesOf(
  sqlite: AnyDb,
  postgres: AnyDb,
  source: AnyDb,
): Promise<{ tables: MovedTable[]; missing: { name: string; rows: number }[] }> {
  const { rows: own } = await sql<{ name: string }>`select name from sqlite_schema where type = 'table'`.execute(sqlite)
  const { rows: theirs } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = current_schema()`.execute(postgres)
  const [inSqlite, inPostgres] = [own, theirs].map((rows) => rows.map(({ name }) => name)) as [string[], string[]]
  const tables: MovedTable[] = []
  const add = async (name: string): Promise<void> => {
    if (local.test(name) || !inPostgres.includes(name) || tables.some((table) => table.name === name)) return
    const { rows: references } = await sql<{
      table: string
    }>`select "table" from pragma_foreign_key_list(${name})`.execute(sqlite)
    for (const { table } of references) if (table !== name) await add(table)
    const { rows } = await sql<{ name: string; pk: number }>`
      select name, pk from pragma_table_info(${name})`.execute(sqlite)
    const key = rows.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk)
    const columns = rows.map((row) => row.name)
    tables.push({ name, columns, key: key.map((row) => row.name) })
  }
  for (const name of inSqlite) await add(name)
  const others = source === sqlite ? inSqlite : inPostgres
  const missing: { name: string; rows: number }[] = []
  for (const name of others.filter((name) => !local.test(name) && !tables.some((table) => table.name === name))) {
    const rows = await countRows(source, name)
    if (rows > 0) missing.push({ name, rows })
  }
  return { tables, missing }
}

/** Throws `TargetNotEmpty`. */
export async function assertEmpty(target: AnyDb, tables: MovedTable[], place: string): Promise<void> {
  for (const { name } of tables) {
    const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(target)
    if (rows.length > 0)
      throw new NamedError('TargetNotEmpty', `${place} already has data (table ${name}). Choose an empty one.`, {
        status: 409,
      })
  }
}

/** Copies all rows, then compares both sides. Throws `MoveFailed` if a row differs. */
export async function copyTables(
  source: AnyDb,
  target: AnyDb,
  tables: MovedTable[],
  onProgress: OnProgress,
): Promise<TableReport[]> {
  const reports: TableReport[] = []
  for (const table of tables) {
    const total = await countRows(source, table.name)
    const copied = startReport(table)
    for await (const rows of pagesOf(source, table)) {
      await insertRows(target, table, rows)
      copied.add(rows)
      onProgress({ what: table.name, done: copied.rows(), total })
    }
    const stored = startReport(table)
    for await (const rows of pagesOf(target, table)) stored.add(rows)
    const [wanted, found] = [copied.end(), stored.end()]
    if (wanted.rows !== total || found.rows !== wanted.rows || found.sha256 !== wanted.sha256)
      throw new NamedError(
        'MoveFailed',
        `The table ${table.name} has ${wanted.rows} rows, but ${found.rows} arrived, or some differ. Nothing was changed.`,
        { status: 500, data: { table: table.name } },
      )
    reports.push(wanted)
  }
  return reports
}

async function countRows(db: AnyDb, name: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(name)}`.execute(db)
  return Number(rows[0]?.count)
}

type Row = Record<string, unknown>

/** Some rows have megabytes. */
const rowsPerPage = 50

/** Row numbers of the text index differ. Only their order is kept. */
const textIndex = 'message_text'

async function* pagesOf(db: AnyDb, { name, columns, key }: MovedTable): AsyncGenerator<Row[]> {
  const order = sql.join(key.map((column) => sql.ref(column)))
  let after = sql``
  for (;;) {
    const { rows } = await sql<Row>`
      select ${sql.join(columns.map((column) => sql.ref(column)))} from ${sql.table(name)}
      ${after} order by ${order} limit ${rowsPerPage}`.execute(db)
    if (rows.length > 0) yield rows
    if (rows.length < rowsPerPage) return
    const last = rows.at(-1)!
    after = sql`where (${order}) > (${sql.join(key.map((column) => last[column]))})`
  }
}

async function insertRows(db: AnyDb, { name }: MovedTable, rows: Row[]): Promise<void> {
  if (name !== textIndex) {
    await db.insertInto(name).values(rows).execute()
    return
  }
  const texts = rows as { session_id: string; message_id: string; text: string }[]
  if (hasOtherWriters(db)) {
    const values = texts.map(({ session_id, message_id, text }) => ({
      session_id,
      message_id,
      text,
      pairs: indexedPairs(text),
    }))
    await db.insertInto(name).values(values).execute()
    return
  }
  const search = createSqliteSearch()
  for (const { session_id: sessionId, message_id: messageId, text } of texts)
    await search.index(db, { sessionId, messageId }, text)
}

function startReport({ name, columns }: MovedTable): {
  add(rows: Row[]): void
  rows(): number
  end(): TableReport
} {
  const hash: Hash = createHash('sha256')
  const compared = columns.filter((column) => name !== textIndex || column !== 'id')
  let count = 0
  return {
    add(rows) {
      count += rows.length
      for (const row of rows) hash.update(`${JSON.stringify(compared.map((column) => comparable(row[column])))}\n`)
    },
    rows: () => count,
    end: () => ({ name, rows: count, sha256: hash.digest('hex') }),
  }
}

/** Postgres has no U+0000. */
function comparable(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value
}
