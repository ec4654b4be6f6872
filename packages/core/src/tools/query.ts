import type { TableDisplay } from '@troupe/protocol'
import { z } from 'zod'
import { isDatabasePath, queriedPaths, resolveQueryFiles } from '../search/query-files.ts'
import { resolvePath } from '../files/resolve-path.ts'
import { formatCount, formatNumber } from '../text/format.ts'
import { sqlString } from '../text/sql-tokens.ts'
import type { Queries, QueryResult, QuerySource } from '../tool/queries.ts'
import { defineTool, type ToolContext } from '../tool/tool.ts'

const inputSchema = z.object({
  sql: z.string().min(1).max(100_000).describe('One statement that only reads').optional(),
  connection: z
    .string()
    .min(1)
    .max(4096)
    .describe('A connection of the config, "troupe", or the path of a SQLite file. Default: files')
    .optional(),
  table: z.string().min(1).max(4096).describe('Instead of "sql": shows columns and first rows').optional(),
  limit: z.int().min(1).max(1000).describe('Most rows to return. All are counted. Default: 100').optional(),
})
type QueryInput = z.infer<typeof inputSchema>

const rowsAtFirst = 100
const sampleRows = 5
/** Characters of the table that the model reads. */
const mostText = 20_000
const mostCell = 300

export default defineTool({
  description: `Runs one SQL statement that only reads. Without "connection" the engine is DuckDB: name CSV, TSV, JSON, Parquet and xlsx files in quotes, such as select * from 'sales.csv' or 'data/*.parquet', relative to the working directory ('book.xlsx#Sheet2' for a sheet). With "connection" it runs in that database, in its own dialect. Without "sql" it lists tables and columns. The connection "troupe" has your own chats, runs, tool calls and costs (usage) of this workspace. Aggregate in SQL instead of reading many rows.`,
  input: inputSchema,
  readOnly: true,
  deferred: true,
  group: 'data',
  touches: ({ sql, connection, table }) =>
    touchedPaths({ sql, connection, table }).map((one) => ({ kind: 'read', path: one })),
  title: titleOf,
  permission: ({ sql, table, connection }) => ({
    title: 'Query data',
    summary: [connection, sql ?? table].filter((one) => one !== undefined).join(': '),
  }),
  validate({ sql, table }) {
    return sql !== undefined && table !== undefined ? 'Give "sql" or "table", not both.' : undefined
  },
  async execute(input, ctx): Promise<QueryOutput> {
    const { queries } = ctx
    if (queries === undefined) throw new Error('Queries are not available here. Read the file, or use a command.')
    if (input.sql === undefined && input.table === undefined && input.connection === undefined) return overview(queries)
    const { connection } = input
    const statement = statementOf(input, queries)
    const { source, sql } = await sourceOf(connection, statement, ctx)
    const limit = input.limit ?? (input.table === undefined ? rowsAtFirst : sampleRows)
    const { isolation } = ctx.state
    const call = { signal: ctx.signal, workspace: ctx.workspace, isolation, process: ctx.process.bind(ctx) }
    const result = await queries.run({ source, sql, limit: sql === undefined ? 1000 : limit }, call)
    return { kind: 'result', connection, sql: statement, ...result }
  },
  toModel: (output) => (output.kind === 'overview' ? overviewText(output) : resultText(output)),
  display(output, input) {
    const title = titleOf(input)
    if (output.kind === 'overview') return { title, summary: formatCount(output.connections.length, 'connection') }
    const { kind: _, ms: __, ...shown } = output
    return { title, summary: countText(output), content: { kind: 'table', ...shown } satisfies TableDisplay }
  },
})

type QueryOutput =
  | ({ kind: 'result'; connection?: string | undefined; sql?: string | undefined } & QueryResult)
  | { kind: 'overview'; connections: { name: string; type: string }[] }

function touchedPaths({ sql, connection, table }: QueryInput): string[] {
  if (connection !== undefined) return isDatabasePath(connection) ? [connection] : []
  return queriedPaths(sql ?? (table === undefined ? '' : `from ${sqlString(table)}`))
}

function titleOf({ sql, table, connection }: QueryInput): string {
  if (sql !== undefined) return `Query ${connection ?? 'data'}`
  if (table !== undefined) return `Look at ${table}`
  return connection === undefined ? 'List connections' : `List tables of ${connection}`
}

/** The statement to run. Undefined lists the tables. */
function statementOf({ sql, table, connection }: QueryInput, queries: Queries): string | undefined {
  if (table === undefined) return sql
  if (connection === undefined) return `select * from ${sqlString(table)}`
  const isMysql = queries.connections().some(({ name, type }) => name === connection && type === 'mysql')
  const quote = isMysql ? '`' : '"'
  const parts = table.split('.').map((part) => quote + part.replaceAll(quote, quote + quote) + quote)
  return `select * from ${parts.join('.')}`
}

async function sourceOf(
  connection: string | undefined,
  sql: string | undefined,
  ctx: ToolContext,
): Promise<{ source: QuerySource; sql: string | undefined }> {
  if (connection === undefined) {
    const resolved = await resolveQueryFiles(sql ?? '', ctx)
    return { source: { kind: 'files', files: resolved.files, cwd: ctx.state.cwd }, sql: resolved.sql }
  }
  if (!isDatabasePath(connection)) return { source: { kind: 'connection', name: connection }, sql }
  const target = resolvePath(ctx, connection, { for: 'read' })
  if (target.stats?.isFile() !== true) throw new Error(`${target.shown} is not a database file.`)
  return { source: { kind: 'sqlite', path: target.path }, sql }
}

function overview(queries: Queries): QueryOutput {
  return { kind: 'overview', connections: queries.connections().map(({ name, type }) => ({ name, type })) }
}

function overviewText({ connections }: Extract<QueryOutput, { kind: 'overview' }>): string {
  const lines = connections.map(({ name, type }) => `- ${name} (${type})`)
  return [
    'Connections:',
    ...lines,
    'List the tables of one with "connection". For files, name them in "sql" or "table"; find them with Glob.',
  ].join('\n')
}

function countText({ rowCount, counted }: Pick<QueryResult, 'rowCount' | 'counted'>): string {
  return counted ? formatCount(rowCount, 'row') : `more than ${formatCount(rowCount, 'row')}`
}

function resultText({ columns, rows, rowCount, counted }: QueryResult): string {
  const types = columns.map(({ name, type }) => `${name} ${type}`).join(', ')
  const lines: string[] = []
  let length = 0
  for (const row of rows) {
    const line = `| ${row.map(cellText).join(' | ')} |`
    if (length + line.length > mostText) break
    length += line.length
    lines.push(line)
  }
  const all = lines.length === rowCount && counted
  const count = countText({ rowCount, counted })
  const shown = all ? count : `${count}; the first ${formatNumber(lines.length)} are shown`
  const head = [`${shown.charAt(0).toUpperCase()}${shown.slice(1)}. Columns: ${types}`]
  if (rows.length === 0) return head.join('\n')
  return [
    ...head,
    '',
    `| ${columns.map(({ name }) => cellText(name)).join(' | ')} |`,
    `|${columns.map(() => '---').join('|')}|`,
    ...lines,
  ].join('\n')
}

function cellText(value: string | null): string {
  if (value === null) return 'NULL'
  const short =
    value.length > mostCell ? `${value.slice(0, mostCell)}… (${formatNumber(value.length)} characters)` : value
  return short.replaceAll('|', '\\|').replaceAll(/\r\n|[\r\n]/g, '⏎')
}
