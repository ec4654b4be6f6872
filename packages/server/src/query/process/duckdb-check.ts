import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'

/**
 * Throws an Error for the model unless the text is one statement that reads. DuckDB itself parses it: only a SELECT has
 * a serialized form. Its functions are checked by name, since some of them write.
 */
export async function checkDuckdb(connection: DuckDBConnection, sql: string): Promise<void> {
  const reader = await connection.runAndReadAll('select json_serialize_sql($1::varchar)', [sql])
  const text = z.string().parse(reader.getRows()[0]?.[0])
  const tree = treeSchema.parse(JSON.parse(text))
  if (tree.error) throw new Error(refusal(sql, tree.error_message ?? ''))
  if (tree.statements?.length !== 1) throw new Error('Give exactly one statement.')
  const problem = findProblem(tree.statements)
  if (problem !== undefined) throw new Error(problem)
}

const treeSchema = z.object({
  error: z.boolean(),
  error_message: z.string().optional(),
  statements: z.array(z.unknown()).optional(),
})

function refusal(sql: string, message: string): string {
  if (!/Only SELECT statements/i.test(message)) return `The statement could not be read. ${message}`
  if (/^\s*explain\b/i.test(sql)) return 'EXPLAIN is not available. Run the statement itself with a small limit.'
  if (/\bpivot\b/i.test(sql)) return 'List the values of PIVOT: pivot t on column in (…) using sum(x).'
  return 'Only statements that read are allowed: SELECT, FROM, VALUES, DESCRIBE, SUMMARIZE, SHOW.'
}

/** Functions in FROM. Others can turn on logs, attach files or change settings. */
const tableFunctions = new Set(
  `unnest range generate_series repeat repeat_row summary json_each json_tree read_csv read_csv_auto read_json
  read_json_auto read_json_objects read_json_objects_auto read_ndjson read_ndjson_auto read_ndjson_objects read_parquet
  parquet_scan parquet_metadata parquet_schema parquet_file_metadata parquet_kv_metadata sniff_csv read_text read_blob
  glob histogram histogram_values duckdb_columns duckdb_tables duckdb_views duckdb_functions duckdb_types
  duckdb_keywords pragma_table_info pg_timezone_names icu_calendar_names show_tables`.split(/\s+/),
)

/** Functions in expressions that run other SQL, write, or show settings of the machine. */
const refusedFunctions = new Set(
  `query query_table getenv json_execute_serialized_sql write_log nextval currval current_setting enable_logging
  disable_logging truncate_duckdb_logs enable_profiling disable_profiling set_config checkpoint force_checkpoint
  load_aws_credentials getvariable`.split(/\s+/),
)

/** Checks a statement without a serialized form by the names in front of parentheses. */
export async function checkFunctions(connection: DuckDBConnection, sql: string): Promise<void> {
  const names = [...sql.matchAll(/("(?:[^"]|"")+"|[\p{L}_][\p{L}\p{N}_]*)\s*\(/gu)].map(([, name = '']) =>
    name.replaceAll(/^"|"$/g, '').toLowerCase(),
  )
  const refused = names.find((name) => refusedFunctions.has(name))
  if (refused !== undefined) throw new Error(`The function "${refused}" is not available.`)
  const answer = await connection.runAndReadAll(
    "select lower(function_name) from duckdb_functions() where function_type in ('table', 'pragma', 'table_macro')",
  )
  const inFrom = new Set(
    z
      .array(z.tuple([z.string()]))
      .parse(answer.getRows())
      .map(([name]) => name),
  )
  const other = names.find((name) => inFrom.has(name) && !tableFunctions.has(name))
  if (other !== undefined) throw new Error(`The function "${other}" is not available in FROM.`)
}

const maxNodes = 200_000

function findProblem(root: unknown): string | undefined {
  const open: unknown[] = [root]
  for (let seen = 0; open.length > 0; seen++) {
    if (seen > maxNodes) return 'The statement is too large. Split it.'
    const node = open.pop()
    if (Array.isArray(node)) {
      for (const one of node) open.push(one)
      continue
    }
    if (typeof node !== 'object' || node === null) continue
    const { type, function: called, function_name: name } = node as Record<string, unknown>
    if (type === 'TABLE_FUNCTION') {
      const own = (called as { function_name?: unknown } | null | undefined)?.function_name
      if (typeof own !== 'string' || !tableFunctions.has(own.toLowerCase()))
        return `The function "${String(own)}" is not available in FROM.`
    }
    if (typeof name === 'string' && refusedFunctions.has(name.toLowerCase()))
      return `The function "${name}" is not available.`
    for (const one of Object.values(node)) open.push(one as unknown)
  }
  return undefined
}
