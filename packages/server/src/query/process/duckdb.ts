import { availableParallelism } from 'node:os'
import path from 'node:path'
import { type DuckDBConnection, type DuckDBDataChunk, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api'
import { checkDuckdb } from './duckdb-check.ts'
import { type Cell, changedFile, type Column, type EngineRequest } from './messages.ts'
import type { Batch, Rows } from './rows.ts'

/**
 * Runs one statement over files. Each statement gets a new instance: no setting, table or secret outlives it. Only the
 * given files can be opened, nothing can be loaded, and settings are locked before the statement is read.
 */
export async function queryFiles(request: EngineRequest<'duckdb'>): Promise<Rows> {
  const connection = await openConfined(request)
  await checkDuckdb(connection, request.sql)
  const result = await connection.stream(request.sql)
  const types = result.columnTypes()
  const columns = result.deduplicatedColumnNames().map((name, index): Column => {
    const type = String(types[index])
    return { name, type: type.length > 200 ? `${type.slice(0, 200)}…` : type, kind: kindOf(type) }
  })
  const isFloat = columns.map(({ type }) => type === 'FLOAT')
  return { columns, batches: chunks() }

  async function* chunks(): AsyncGenerator<Batch> {
    for (let chunk = await result.fetchChunk(); (chunk?.rowCount ?? 0) > 0; chunk = await result.fetchChunk()) {
      const current = chunk as DuckDBDataChunk
      yield {
        count: current.rowCount,
        rows: () => current.getRows().map((row) => row.map((value, at) => cellOf(value, isFloat[at] === true))),
      }
    }
  }
}

/** `load` runs before the settings are locked. */
export async function openConfined(
  {
    files,
    cwd,
    temporary,
    limits,
    target,
  }: Pick<EngineRequest<'duckdb'>, 'files' | 'cwd' | 'temporary' | 'limits' | 'target'>,
  load?: (connection: DuckDBConnection) => Promise<void>,
): Promise<DuckDBConnection> {
  const instance = await DuckDBInstance.create(':memory:', { threads: String(availableParallelism()) })
  const connection = await instance.connect()
  // Functions take names relative to the working directory. It may not exist in the sandbox: then nothing is in it.
  try {
    process.chdir(cwd)
  } catch {
    process.chdir('/')
  }
  const paths = [
    ...files.flatMap((file) => file.paths),
    ...(target === undefined ? [] : [target.path, path.join(temporary, changedFile)]),
  ]
  for (const setting of [
    'autoinstall_known_extensions = false',
    'autoload_known_extensions = false',
    'allow_community_extensions = false',
    'allow_unsigned_extensions = false',
    `memory_limit = '${limits.memoryMb}MB'`,
    `temp_directory = ${quotedText(temporary)}`,
    "max_temp_directory_size = '4GB'",
    'enable_progress_bar = false',
    `allowed_paths = [${paths.map(quotedText).join(', ')}]`,
  ])
    await connection.run(`set ${setting}`).catch((error: unknown) => {
      // Some settings can only be given when an instance is created, and have this value already.
      if (!/allow_unsigned_extensions/.test(setting)) throw error
    })
  for (const { name, paths: own, sheet } of files) {
    const [first = ''] = own
    if (/\.xlsx$/i.test(first))
      await (await import('./load-sheet.ts')).loadSheet(connection, { table: name, file: first, sheet })
    else await connection.run(`create view ${quotedName(name)} as select * from ${reader(own)}`)
  }
  await load?.(connection)
  await connection.run('set enable_external_access = false')
  await connection.run('set lock_configuration = true')
  return connection
}

/** The function that reads files of this kind. */
export function reader(paths: readonly string[]): string {
  const list = `[${paths.map(quotedText).join(', ')}]`
  const name = (paths[0] ?? '').toLowerCase().replace(/\.(gz|zst)$/, '')
  const union = paths.length > 1 ? ', union_by_name = true' : ''
  if (name.endsWith('.parquet')) return `read_parquet(${list}${union})`
  if (/\.(json|jsonl|ndjson)$/.test(name)) return `read_json(${list}${union})`
  return `read_csv(${list}${union})`
}

export function quotedText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

function kindOf(type: string): Column['kind'] {
  if (/^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|BIGNUM|FLOAT|DOUBLE|DECIMAL\(.*)$/.test(type)) return 'number'
  if (type === 'BOOLEAN') return 'boolean'
  if (/^(DATE|TIME|TIMESTAMP)/.test(type)) return 'time'
  return type === 'VARCHAR' || type === 'UUID' || type.startsWith('ENUM') ? 'text' : 'other'
}

function cellOf(value: DuckDBValue, isFloat: boolean): Cell {
  if (value === null) return null
  if (typeof value === 'number') return isFloat ? floatText(value) : String(value)
  return typeof value === 'string' ? value : String(value)
}

/** The shortest text for a number of single precision. */
function floatText(value: number): string {
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === value) return String(short)
  }
  return String(value)
}
