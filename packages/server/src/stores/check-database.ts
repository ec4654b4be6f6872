import { DatabaseSync } from 'node:sqlite'

/** What a look at the whole of a database tells. */
export interface DatabaseCheck {
  /** Why it cannot be used; undefined where it is sound. */
  damage?: string
  /** The version of its tables; 0 where it has none yet. */
  version: number
  /** The folders that the person trusts. */
  trusted: string[]
}

/** Reads the whole file and changes nothing. Takes as long as the file is large, and lets nobody else have a turn. */
export function checkDatabase(path: string): DatabaseCheck {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5000 })
  try {
    const found = String(database.prepare('pragma quick_check(1)').get()?.['quick_check'])
    if (found !== 'ok') return { damage: found, version: 0, trusted: [] }
    const has = (table: string): boolean =>
      database.prepare('select 1 from sqlite_schema where name = ?').get(table) !== undefined
    const version = has('schema_version')
      ? Number(database.prepare('select max(version) as version from schema_version').get()?.['version'] ?? 0)
      : 0
    const rows = has('workspace') ? database.prepare('select path from workspace where trusted = 1').all() : []
    return { version, trusted: rows.map((row) => String(row['path'])) }
  } catch (error) {
    if (!isDamage(error)) throw error
    return { damage: error.message, version: 0, trusted: [] }
  } finally {
    database.close()
  }
}

export function isDamage(error: unknown): error is Error {
  const [corrupt, notDatabase] = [11, 26]
  if (!(error instanceof Error && 'errcode' in error)) return false
  // The lower byte is the kind, the rest says more about it.
  const kind = Number(error.errcode) & 0xff
  return kind === corrupt || kind === notDatabase
}
