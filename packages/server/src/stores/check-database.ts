import { DatabaseSync } from 'node:sqlite'

/** What a look at the whole of a database tells. */
export interface DatabaseCheck {
  /** Why it cannot be used; undefined where it is sound. */
  damage?: string
  /** The folders that the person trusts. */
  trusted: string[]
}

/** Reads the whole file and changes nothing. Takes as long as the file is large, and lets nobody else have a turn. */
export function checkDatabase(path: string): DatabaseCheck {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5000 })
  try {
    const found = String(database.prepare('pragma quick_check(1)').get()?.['quick_check'])
    if (found !== 'ok') return { damage: found, trusted: [] }
    const known = database.prepare("select 1 from sqlite_schema where name = 'workspace'").get()
    const rows = known === undefined ? [] : database.prepare('select path from workspace where trusted = 1').all()
    return { trusted: rows.map((row) => String(row['path'])) }
  } catch (error) {
    if (!isDamage(error)) throw error
    return { damage: error.message, trusted: [] }
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
