import { isUtf8 } from 'node:buffer'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type DuckDBConnection, StatementType } from '@duckdb/node-api'
import { z } from 'zod'
import { csvRecords } from './csv-records.ts'
import { openConfined, quotedName, quotedText, reader } from './duckdb.ts'
import { checkFunctions } from './duckdb-check.ts'
import { jsonRecords } from './json-records.ts'
import type { EngineRequest } from './messages.ts'
import type { RawRecords, RecordChanges } from './record-changes.ts'

/** Holds the rows of the file, with the number of each in `rowNumber`. The statement changes it. */
const table = 'troupe_target'
const rowNumber = 'troupe_row'
/** Stands for the columns of the file in an INSERT that lists none. */
const columnList = 'troupe_columns'

const changes = new Set<StatementType>([StatementType.INSERT, StatementType.UPDATE, StatementType.DELETE])

/**
 * Runs one statement that changes the rows of a file, and writes the changed file to `output`. A dry run only counts.
 * Rows and values that do not change keep every character in CSV and JSON files. Resolves with the number of changed
 * rows.
 */
export async function changeFile(request: EngineRequest<'duckdb'>, output: string): Promise<number> {
  const { target, write } = request
  if (target === undefined) throw new Error('The statement names no file to change.')
  const file = openTarget(target.path)
  const connection = await openConfined(request, async (loading) => {
    await loading.run(`create table original as select * from ${reader([target.path])}`)
    await loading.run(`create table ${table} as select rowid as ${rowNumber}, * from original`)
    await file.load(loading)
  })
  const columns = await columnsOf(connection)
  const sql = request.sql.replace(columnList, () => columns.map(({ name }) => quotedName(name)).join(', '))
  await checkChange(connection, sql)
  const { rowsChanged } = await connection.run(sql)
  if (write === 'commit') await file.save(connection, columns, output)
  return rowsChanged
}

interface FileColumn {
  name: string
  type: string
}

interface TargetFile {
  /** Reads what is needed to write the file again. */
  load(connection: DuckDBConnection): Promise<void>
  save(connection: DuckDBConnection, columns: readonly FileColumn[], output: string): Promise<void>
}

function openTarget(file: string): TargetFile {
  const extension = path.extname(file).toLowerCase()
  if (extension === '.parquet') return parquetFile(file)
  if (/^\.(json|jsonl|ndjson)$/.test(extension)) return jsonFile(file)
  return csvFile(file)
}

const columnsSchema = z.array(z.tuple([z.string(), z.string()]))

async function columnsOf(connection: DuckDBConnection): Promise<FileColumn[]> {
  const answer = await connection.runAndReadAll(
    "select column_name, data_type from duckdb_columns() where table_name = 'original' order by column_index",
  )
  return columnsSchema.parse(answer.getRows()).map(([name, type]) => ({ name, type }))
}

async function checkChange(connection: DuckDBConnection, sql: string): Promise<void> {
  const statements = await connection.extractStatements(sql)
  if (statements.count !== 1) throw new Error('Give exactly one statement.')
  const { statementType } = await statements.prepare(0)
  if (!changes.has(statementType)) throw new Error('Only INSERT, UPDATE and DELETE can change a file.')
  await checkFunctions(connection, sql)
}

const sniffedSchema = z.object({
  Delimiter: z.string(),
  Quote: z.string(),
  Escape: z.string(),
  Comment: z.string(),
  SkipRows: z.coerce.number(),
  HasHeader: z.boolean(),
  DateFormat: z.string().nullable(),
  TimestampFormat: z.string().nullable(),
})
type Sniffed = z.infer<typeof sniffedSchema>

function csvFile(file: string): TargetFile {
  let dialect: Sniffed | undefined
  return {
    async load(connection) {
      const answer = await connection.runAndReadAll(`select * from sniff_csv(${quotedText(file)})`)
      dialect = sniffedSchema.parse(answer.getRowObjectsJson()[0])
    },
    async save(connection, columns, output) {
      if (dialect === undefined) throw new Error('The file was not read.')
      const { Delimiter, Quote, Escape, Comment, SkipRows, HasHeader, DateFormat, TimestampFormat } = dialect
      const given = (text: string): string => (text === '(empty)' ? '' : text)
      const records = csvRecords(textOf(file), {
        delimiter: given(Delimiter),
        quote: given(Quote),
        escape: given(Escape),
        comment: given(Comment),
        skipRows: SkipRows,
        hasHeader: HasHeader,
        columns: columns.length,
      })
      const text = (expression: string, type: string): string => {
        const format = type === 'DATE' ? DateFormat : type === 'TIMESTAMP' ? TimestampFormat : null
        return format ? `strftime(${expression}, ${quotedText(format)})` : `cast(${expression} as varchar)`
      }
      await saveText(connection, columns, records, { text, output })
    },
  }
}

function jsonFile(file: string): TargetFile {
  return {
    load: async () => undefined,
    async save(connection, columns, output) {
      const records = jsonRecords(
        textOf(file),
        columns.map(({ name }) => name),
        !/\.json$/i.test(file),
      )
      const text = (expression: string): string => `cast(to_json(${expression}) as varchar)`
      await saveText(connection, columns, records, { text, output })
    },
  }
}

function parquetFile(file: string): TargetFile {
  let codec = 'snappy'
  let metadata: [string, string][] = []
  return {
    async load(connection) {
      const found = await connection.runAndReadAll(
        `select distinct lower(compression) from parquet_metadata(${quotedText(file)})`,
      )
      const named = z.array(z.tuple([z.string()])).parse(found.getRows())
      if (named.length === 1 && named[0] !== undefined) [codec] = named[0]
      const kept = await connection.runAndReadAll(
        `select decode(key), decode(value) from parquet_kv_metadata(${quotedText(file)})`,
      )
      metadata = z.array(z.tuple([z.string(), z.string()])).parse(kept.getRows())
    },
    async save(connection, columns, output) {
      const list = columns.map(({ name }) => quotedName(name)).join(', ')
      const rows = `select ${list} from ${table} order by ${rowNumber} nulls last, rowid`
      const pairs = metadata.map(([key, value]) => `${quotedName(key)}: ${quotedText(value)}`).join(', ')
      const options = [
        'format parquet',
        `compression ${/^(snappy|zstd|gzip|lz4|brotli|uncompressed)$/.test(codec) ? codec : 'snappy'}`,
        ...(pairs === '' ? [] : [`kv_metadata {${pairs}}`]),
      ]
      await connection.run(`copy (${rows}) to ${quotedText(output)} (${options.join(', ')})`)
    },
  }
}

function textOf(file: string): string {
  const bytes = readFileSync(file)
  if (!isUtf8(bytes)) throw new Error('The file is not UTF-8, so it cannot be changed in place.')
  return bytes.toString('utf8')
}

/** Writes the changed records and copies all others. `text` is the SQL for the text of a value. */
async function saveText(
  connection: DuckDBConnection,
  columns: readonly FileColumn[],
  records: RawRecords,
  { text, output }: { text: (expression: string, type: string) => string; output: string },
): Promise<void> {
  const [counted] = (await connection.runAndReadAll('select count(*) from original')).getRows()
  if (Number(counted?.[0]) !== records.count)
    throw new Error(
      'The rows of this file cannot be told apart in its text, so it cannot be changed in place. Save the rows of a query to a new file with "output".',
    )
  writeFileSync(output, records.apply(await readChanges(connection, columns, text)))
}

async function readChanges(
  connection: DuckDBConnection,
  columns: readonly FileColumn[],
  text: (expression: string, type: string) => string,
): Promise<RecordChanges> {
  const rows = async (sql: string) => (await connection.runAndReadAll(sql)).getRows()
  const gone = await rows(
    `select rowid from original o where not exists (select 1 from ${table} t where t.${rowNumber} = o.rowid)`,
  )
  const texts = columns.map(({ name, type }) => text(`t.${quotedName(name)}`, type))
  const isChanged = columns.map(({ name }) => `t.${quotedName(name)} is distinct from o.${quotedName(name)}`)
  const edited = await rows(
    `select t.${rowNumber}, ${[...texts, ...isChanged].join(', ')} from ${table} t join original o on t.${rowNumber} = o.rowid where ${isChanged.join(' or ')}`,
  )
  const added = await rows(`select ${texts.join(', ')} from ${table} t where ${rowNumber} is null order by t.rowid`)
  return {
    deleted: new Set(gone.map(([row]) => Number(row))),
    changed: new Map(
      edited.map(([row, ...values]) => [
        Number(row),
        new Map(
          columns.flatMap((_, column): [number, string | null][] =>
            values[columns.length + column] === true ? [[column, values[column] as string | null]] : [],
          ),
        ),
      ]),
    ),
    added: added.map((cells) => cells as (string | null)[]),
  }
}
