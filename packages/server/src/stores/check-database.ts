import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/** Larger databases are read completely only on request, since that takes seconds. */
const wholeBytes = 64 * 1024 * 1024
const sampleRows = 500

export interface DatabaseCheck {
  /** False if large tables were only sampled. */
  whole: boolean
  /** The reason it cannot be used. Undefined if it is intact. */
  damage?: string
  /** Schema version, or 0 if there is none yet. */
  version: number
  trusted: string[]
}

/** Read-only. Reads the whole file if it is small or `all` is set. Blocks the thread. */
export function checkDatabase({ path, all }: { path: string; all: boolean }): DatabaseCheck {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5000 })
  const whole = all || statSync(path).size <= wholeBytes
  try {
    const found = whole ? check(database) : sample(database)
    if (found !== 'ok') return { whole, damage: found, version: 0, trusted: [] }
    const has = (table: string): boolean =>
      database.prepare('select 1 from sqlite_schema where name = ?').get(table) !== undefined
    const version = has('schema_version')
      ? Number(database.prepare('select max(version) as version from schema_version').get()?.['version'] ?? 0)
      : 0
    const rows = has('workspace') ? database.prepare('select path from workspace where trusted = 1').all() : []
    return { whole, version, trusted: rows.map((row) => String(row['path'])) }
  } catch (error) {
    if (!isDamage(error)) throw error
    return { whole, damage: error.message, version: 0, trusted: [] }
  } finally {
    database.close()
  }
}

function check(database: DatabaseSync, table?: string): string {
  const what = table === undefined ? '1' : `'${table}'`
  return String(database.prepare(`pragma quick_check(${what})`).get()?.['quick_check'])
}

/** Reads small tables completely. Of large ones, reads the first and last rows and some in between. */
function sample(database: DatabaseSync): string {
  const tables = database
    .prepare(
      "select name from sqlite_schema where type = 'table' and sql not like 'create virtual%' and sql not like '%without rowid%'",
    )
    .all()
    .map((row) => String(row['name']))
  for (const table of tables.filter((name) => /^\w+$/.test(name))) {
    const rows = Number(database.prepare(`select max(rowid) as rows from ${table}`).get()?.['rows'] ?? 0)
    if (rows <= sampleRows * 10) {
      const found = check(database, table)
      if (found !== 'ok') return found
      continue
    }
    const read = database.prepare(`select * from ${table} where rowid >= ? order by rowid limit 1`)
    for (let i = 0; i <= sampleRows; i++) read.get(Math.floor((rows * i) / sampleRows))
    database.prepare(`select * from ${table} order by rowid desc limit ${sampleRows}`).all()
  }
  return 'ok'
}

export function isDamage(error: unknown): error is Error {
  const [corrupt, notDatabase] = [11, 26]
  if (!(error instanceof Error && 'errcode' in error)) return false
  // The low byte is the error type, the rest is detail.
  const kind = Number(error.errcode) & 0xff
  return kind === corrupt || kind === notDatabase
}
