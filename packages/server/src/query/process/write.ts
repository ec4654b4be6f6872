import { constants, copyFileSync, existsSync, statSync } from 'node:fs'
import type { Duplex } from 'node:stream'
import path from 'node:path'
import { constants as sqlite, DatabaseSync } from 'node:sqlite'
import type { EngineRequest, QueryMessage } from './messages.ts'

type ServerRequest = EngineRequest<'postgres' | 'mysql'>

/** Largest database that is copied for a dry run. */
const mostCopied = 2 ** 29

/**
 * Runs one statement that changes a SQLite file. A dry run changes a copy. Otherwise `confirm` is awaited while the
 * database is locked, so that its bytes can be kept. Resolves with the number of changed rows.
 */
export async function writeSqlite(
  { path: file, sql, write, temporary }: EngineRequest<'sqlite'>,
  confirm: () => Promise<void>,
): Promise<number> {
  const isDry = write === 'dry'
  const database = new DatabaseSync(isDry ? copyOf(file, temporary) : file, { allowExtension: false, timeout: 5000 })
  database.prepare('pragma wal_checkpoint(truncate)').all()
  database.exec('begin immediate')
  if (!isDry) await confirm()
  database.setAuthorizer((action, first, second) =>
    isAllowed(action, first, second) ? sqlite.SQLITE_OK : sqlite.SQLITE_DENY,
  )
  const { changes } = database.prepare(sql).run()
  database.setAuthorizer(null)
  database.exec(isDry ? 'rollback' : 'commit')
  // Changes in the log would not be part of the file that an undo compares.
  database.prepare('pragma wal_checkpoint(truncate)').all()
  database.close()
  return Number(changes)
}

const refusedActions = new Set([
  sqlite.SQLITE_ATTACH,
  sqlite.SQLITE_DETACH,
  sqlite.SQLITE_PRAGMA,
  sqlite.SQLITE_TRANSACTION,
  sqlite.SQLITE_SAVEPOINT,
  sqlite.SQLITE_CREATE_VTABLE,
])

function isAllowed(action: number, _first: string | null, second: string | null): boolean {
  if (refusedActions.has(action)) return false
  return (
    action !== sqlite.SQLITE_FUNCTION ||
    !/^(load_extension|readfile|writefile|edit|fts3_tokenizer)$/i.test(second ?? '')
  )
}

function copyOf(file: string, temporary: string): string {
  if (statSync(file).size > mostCopied) throw new Error('The database is too large for a dry run.')
  const copy = path.join(temporary, 'copy.db')
  for (const end of ['', '-wal', '-journal'])
    if (existsSync(file + end)) copyFileSync(file + end, copy + end, constants.COPYFILE_FICLONE)
  return copy
}

/** Runs one statement that changes data in a transaction, and takes it back in a dry run. */
export async function writePostgres(
  { sql, server, limits, write }: ServerRequest,
  socket: Duplex,
  send: (message: QueryMessage) => void,
): Promise<number> {
  const { connectPostgres } = await import('./postgres.ts')
  const client = await connectPostgres({ server, limits }, socket, send)
  await client.query('begin')
  const given = { text: sql, rowMode: 'array' as const, queryMode: 'extended' }
  const { rowCount } = await client.query(given)
  await client.query(write === 'dry' ? 'rollback' : 'commit')
  return rowCount ?? 0
}

export async function writeMysql(
  { sql, server, limits, write }: ServerRequest,
  socket: Duplex,
  send: (message: QueryMessage) => void,
): Promise<number> {
  const { command, connectMysql } = await import('./mysql.ts')
  const connection = await connectMysql({ server, limits }, socket, send)
  if (write === 'dry') {
    if (!/^\s*(insert|update|delete|replace|with)\b/i.test(sql))
      throw new Error('MySQL cannot take back this statement, so there is no dry run.')
    const [counted] = rowsOf(await command(connection, keptTables))
    if (Number(counted?.['kept']) > 0) throw new Error('Some tables cannot take back changes, so there is no dry run.')
  }
  await command(connection, 'start transaction')
  const result = (await command(connection, sql)) as { affectedRows?: number }
  await command(connection, write === 'dry' ? 'rollback' : 'commit')
  return result.affectedRows ?? 0
}

/** Tables whose engine has no transactions. */
const keptTables = `select count(*) as kept from information_schema.tables where table_type = 'BASE TABLE' and engine <> 'InnoDB' and table_schema not in ('mysql', 'sys', 'information_schema', 'performance_schema')`

function rowsOf(result: unknown): Record<string, unknown>[] {
  return Array.isArray(result) ? (result as Record<string, unknown>[]) : []
}
