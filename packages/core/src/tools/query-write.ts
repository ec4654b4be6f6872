import { createHash } from 'node:crypto'
import { createReadStream, statSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import type { DataChangeDisplay } from '@troupe/protocol'
import { z } from 'zod'
import { changeFiles, withPathLocks } from '../files/file-transaction.ts'
import { missingFileMessage } from '../files/missing-file.ts'
import { resolvePath } from '../files/resolve-path.ts'
import { recordWrite, takeSnapshot } from '../files/snapshot.ts'
import { journalFor, markOf } from '../files/undo-folder.ts'
import { replaceFile, requireFreshRead } from '../media/make-media.ts'
import { fileStatement, isDatabasePath, queriedPaths, resolveQueryFiles } from '../search/query-files.ts'
import { formatCount } from '../text/format.ts'
import type { Queries, QuerySource } from '../tool/queries.ts'
import { defineTool, type ToolContext } from '../tool/tool.ts'
import type { OpenChange } from '../tool/undo-journal.ts'

const inputSchema = z.object({
  sql: z.string().min(1).max(100_000).describe('One statement. With "output": one that reads'),
  connection: z
    .string()
    .min(1)
    .max(4096)
    .describe('A connection of the config, or the path of a SQLite file')
    .optional(),
  output: z
    .string()
    .min(1)
    .max(4096)
    .describe('Saves the rows of a SELECT to this .csv, .xlsx or .parquet file')
    .optional(),
})
type WriteInput = z.infer<typeof inputSchema>

/** Larger databases are changed without the possibility to undo. */
const mostKept = 200 * 2 ** 20
const mostSaved = 50 * 2 ** 20

export default defineTool({
  description: `Changes data with one SQL statement (INSERT, UPDATE, DELETE, CREATE, ALTER, DROP) in a SQLite file or a connection that allows changes, changes the rows of a CSV, TSV, JSON or Parquet file (update 'sales.csv' set …), or saves the rows of a query to a file ("output"). The user sees the statement and how many rows it changes. Query first, to know what you change.`,
  input: inputSchema,
  readOnly: false,
  deferred: true,
  listedAfter: { tool: 'Query' },
  group: 'data',
  /** A file is saved like any other. A change of a database is asked for, also where file edits are accepted. */
  needsApproval: ({ output }) => (output === undefined ? true : undefined),
  touches: ({ sql, connection, output }) => [
    ...(output === undefined ? [] : [{ kind: 'write' as const, path: output }]),
    ...(connection === undefined ? queriedPaths(sql).map((one) => ({ kind: 'read' as const, path: one })) : []),
    ...(connection === undefined && output === undefined ? changedPaths(sql) : []),
    ...(connection !== undefined && isDatabasePath(connection)
      ? [{ kind: output === undefined ? ('write' as const) : ('read' as const), path: connection }]
      : []),
  ],
  title: titleOf,
  permission: ({ sql, connection, output }) => ({
    title: output === undefined ? 'Change data' : 'Save a query',
    summary: output ?? connection ?? changedPaths(sql)[0]?.path ?? '',
    content: { kind: 'data-change', sql, connection, output } satisfies DataChangeDisplay,
  }),
  validate({ sql, connection, output }) {
    if (output !== undefined && formatOf(output) === undefined)
      return 'The output must end with .csv, .xlsx or .parquet.'
    if (sql.trim() === '') return 'The statement is empty.'
    return output === undefined && connection === undefined ? fileProblem(sql) : undefined
  },
  async preview({ sql, connection, output }, ctx): Promise<DataChangeDisplay> {
    if (output !== undefined) return { kind: 'data-change', sql, connection, output }
    if (connection === undefined) {
      const { request, target } = await fileChange(sql, ctx)
      const { rowCount } = await service(ctx).write({ ...request, step: 'dry' }, callOf(ctx))
      return { kind: 'data-change', sql, connection: target.shown, rowCount, canUndo: true }
    }
    const { source, file } = sourceOf(connection, ctx)
    const { rowCount } = await service(ctx).write({ source, sql, step: 'dry' }, callOf(ctx))
    const canUndo = file !== undefined && statSync(file).size <= mostKept
    return { kind: 'data-change', sql, connection, rowCount, canUndo }
  },
  async execute({ sql, connection, output }, ctx): Promise<WriteOutput> {
    if (output !== undefined) return saveQuery(sql, connection, output, ctx)
    return connection === undefined ? changeFile(sql, ctx) : changeData(sql, connection, ctx)
  },
  toModel: (result) => result.text,
  display: ({ text: _, ...change }, input) => ({
    title: titleOf(input),
    summary: formatCount(change.rowCount, 'row'),
    content: { kind: 'data-change', ...change } satisfies DataChangeDisplay,
  }),
})

interface WriteOutput {
  sql: string
  connection?: string | undefined
  output?: string | undefined
  rowCount: number
  canUndo: boolean
  text: string
}

function titleOf({ sql, connection, output }: WriteInput): string {
  return output === undefined ? `Change ${connection ?? changedPaths(sql)[0]?.path ?? 'data'}` : `Save to ${output}`
}

/** The file that a statement changes. Empty if the statement cannot be read. */
function changedPaths(sql: string): { kind: 'write'; path: string }[] {
  try {
    const found = fileStatement(sql)
    return found === undefined ? [] : [{ kind: 'write', path: found.name }]
  } catch {
    return []
  }
}

/** Returns why a statement cannot change the rows of its file. */
function fileProblem(sql: string): string | undefined {
  const found = fileStatement(sql)
  if (found === undefined)
    return `Set "connection" for a database, name a file (update 'sales.csv' set …, insert into …, delete from …), or set "output" to save the rows of a query.`
  if (/\.xlsx?$/i.test(found.name)) return 'Use OfficeExecute to change a workbook.'
  if (/[*?[{]/.test(found.name)) return 'Change one file at a time.'
  return changeable.test(found.name)
    ? undefined
    : `Files of this type are not changed by a statement. Use one of: csv, tsv, txt, json, jsonl, ndjson, parquet.`
}

const changeable = /\.(csv|tsv|txt|json|jsonl|ndjson|parquet)$/i

async function fileChange(sql: string, ctx: ToolContext) {
  const found = fileStatement(sql)
  if (found === undefined) throw new Error('The statement names no file to change.')
  const target = resolvePath(ctx, found.name, { for: 'write' })
  if (target.stats?.isFile() !== true) throw new Error(missingFileMessage(target, ctx.state))
  if (target.stats.size > mostSaved) throw new Error('Files above 50 MB are not changed in place. Use "output".')
  const resolved = await resolveQueryFiles(found.sql, ctx)
  const source: QuerySource = { kind: 'files', files: resolved.files, cwd: ctx.state.cwd }
  return { target, request: { source, sql: resolved.sql, target: target.path } }
}

/** Changes the rows of a file. Undo restores it like any other changed file. */
async function changeFile(sql: string, ctx: ToolContext): Promise<WriteOutput> {
  const { request, target } = await fileChange(sql, ctx)
  const { path: real, shown } = target
  return withPathLocks([real], async () => {
    const before = await takeSnapshot(real, { shown })
    const { rowCount, path: changed } = await service(ctx).write({ ...request, step: 'commit' }, callOf(ctx))
    if (changed === undefined) throw new Error('Files cannot be changed here.')
    try {
      const after = await readFile(changed)
      if (after.length > mostSaved) throw new Error('The file would be larger than 50 MB. Change fewer rows.')
      const [sha256] = await changeFiles([{ path: real, shown, before, after: [after] }], journalFor(ctx), {
        signal: ctx.signal,
        owner: ctx.state.isolation?.user,
      })
      // The agent's knowledge of the file is outdated now.
      recordWrite(ctx.state, real, sha256 ?? '', statSync(real, { bigint: true }), 'part')
    } finally {
      await rm(changed, { force: true })
    }
    const text = `Changed ${formatCount(rowCount, 'row')} of ${shown}. Undo can restore the file.`
    return { sql, connection: shown, rowCount, canUndo: true, text }
  })
}

function service({ queries }: ToolContext): Queries {
  if (queries === undefined) throw new Error('Queries are not available here. Read the file, or use a command.')
  return queries
}

function callOf(ctx: ToolContext): Parameters<Queries['run']>[1] {
  const { isolation } = ctx.state
  return { signal: ctx.signal, workspace: ctx.workspace, isolation, process: ctx.process.bind(ctx) }
}

function sourceOf(connection: string, ctx: ToolContext): { source: QuerySource; file?: string } {
  if (isDatabasePath(connection)) {
    const target = resolvePath(ctx, connection, { for: 'write' })
    if (target.stats?.isFile() !== true) throw new Error(`${target.shown} is not a database file.`)
    return { source: { kind: 'sqlite', path: target.path }, file: target.path }
  }
  const known = service(ctx)
    .connections()
    .find(({ name }) => name === connection)
  return { source: { kind: 'connection', name: connection }, ...(known?.file !== undefined && { file: known.file }) }
}

async function changeData(sql: string, connection: string, ctx: ToolContext): Promise<WriteOutput> {
  const { source, file } = sourceOf(connection, ctx)
  let open: OpenChange | undefined
  /** The database is locked, so its bytes are those before the change. */
  const onLocked = async (): Promise<void> => {
    if (file === undefined) return
    const bytes = await readFile(file)
    if (bytes.length > mostKept) return
    open = await ctx.state.undo.before(markOf(ctx), file, bytes, { sha256: await hashOf(file) })
  }
  try {
    const { rowCount } = await service(ctx).write({ source, sql, step: 'commit' }, { ...callOf(ctx), onLocked })
    if (file !== undefined) await open?.done(await hashOf(file))
    const undo = open === undefined ? 'It cannot be undone.' : 'Undo can restore the database.'
    const canUndo = open !== undefined
    return { sql, connection, rowCount, canUndo, text: `Changed ${formatCount(rowCount, 'row')}. ${undo}` }
  } catch (error) {
    await open?.cancel()
    throw error
  }
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

async function saveQuery(
  sql: string,
  connection: string | undefined,
  output: string,
  ctx: ToolContext,
): Promise<WriteOutput> {
  const target = resolvePath(ctx, output, { for: 'write' })
  await requireFreshRead(target, ctx)
  const resolved = connection === undefined ? await resolveQueryFiles(sql, ctx) : { sql, files: [] }
  const source: QuerySource =
    connection === undefined
      ? { kind: 'files', files: resolved.files, cwd: ctx.state.cwd }
      : isDatabasePath(connection)
        ? { kind: 'sqlite', path: resolvePath(ctx, connection, { for: 'read' }).path }
        : { kind: 'connection', name: connection }
  const format = formatOf(output)
  if (format === undefined) throw new Error('The output must end with .csv, .xlsx or .parquet.')
  const saved = await service(ctx).save({ source, sql: resolved.sql, format }, callOf(ctx))
  try {
    if (saved.size > mostSaved) throw new Error('The result is larger than 50 MB. Save fewer rows or columns.')
    await replaceFile(target, await readFile(saved.path), ctx)
  } finally {
    await rm(saved.path, { force: true })
  }
  return {
    sql,
    connection,
    output,
    canUndo: true,
    rowCount: saved.rowCount,
    text: `Saved ${formatCount(saved.rowCount, 'row')} to ${target.shown}.`,
  }
}

function formatOf(output: string): 'csv' | 'xlsx' | 'parquet' | undefined {
  const end = path.extname(output).slice(1).toLowerCase()
  return end === 'csv' || end === 'xlsx' || end === 'parquet' ? end : undefined
}
