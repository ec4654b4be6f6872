import { glob } from 'node:fs/promises'
import path from 'node:path'
import { splitGlob } from './glob-pattern.ts'
import { type SqlToken, sqlString, sqlTokens } from '../text/sql-tokens.ts'
import type { QueryFile } from '../tool/queries.ts'
import type { ToolContext } from '../tool/tool.ts'
import { missingFileMessage } from '../files/missing-file.ts'
import { resolvePath } from '../files/resolve-path.ts'

/** Most files that one pattern may name. */
const mostFiles = 1000

const dataFile = /\.(csv|tsv|txt|json|jsonl|ndjson|parquet|xlsx)(\.gz|\.zst)?$/i
const databaseFile = /\.(db|db3|sqlite|sqlite3)$/i
const isPattern = (name: string): boolean => /[*?[{]/.test(name)

type FileContext = Pick<ToolContext, 'state' | 'granted' | 'signal'>

interface NamedFile {
  name: string
  token: SqlToken
  /** An argument of a function, which takes a list of names. */
  isArgument: boolean
}

/** Returns the paths that a statement names, a folder for a pattern. Empty if the statement cannot be read. */
export function queriedPaths(sql: string): string[] {
  try {
    return namedFiles(sql).map(({ name }) => (isPattern(name) ? splitGlob(name).folder || '.' : splitSheet(name).file))
  } catch {
    return []
  }
}

/** True for a connection that is a path of a database file. Names of connections have neither. */
export function isDatabasePath(connection: string): boolean {
  return connection.includes('/') || connection.includes('.')
}

/**
 * Finds the files that a statement names. Patterns become the files that match now and are not hidden. Throws an Error
 * for the model. Returns the statement to run.
 */
export async function resolveQueryFiles(sql: string, ctx: FileContext): Promise<{ sql: string; files: QueryFile[] }> {
  const files = new Map<string, QueryFile>()
  let result = sql
  for (const { name, token, isArgument } of namedFiles(sql).toReversed()) {
    if (isPattern(name)) {
      const paths = await matchingFiles(name, ctx)
      files.set(name, { name, paths })
      if (isArgument) result = replaceToken(result, token, `[${paths.map(sqlString).join(', ')}]`)
      continue
    }
    const { file, sheet } = splitSheet(name)
    const target = resolvePath(ctx, file, { for: 'read' })
    if (target.stats === undefined && (dataFile.test(file) || databaseFile.test(file)))
      throw new Error(missingFileMessage(target, ctx.state))
    if (target.stats?.isFile() !== true) continue
    if (databaseFile.test(target.path))
      throw new Error(`${target.shown} is a database. Set "connection" to "${name}" and query its tables.`)
    files.set(name, { name, paths: [target.path], sheet })
    if (isArgument) result = replaceToken(result, token, sqlString(target.path))
  }
  return { sql: result, files: [...files.values()] }
}

/** A statement that changes the rows of a file: the name of the file, and the statement for the engine. */
export interface FileStatement {
  name: string
  /** The file is the table `troupe_target`. An INSERT without columns lists them as `troupe_columns`. */
  sql: string
}

/** Reads which file a statement changes. Undefined if it names no file there. Throws an Error for the model. */
export function fileStatement(sql: string): FileStatement | undefined {
  const tokens = sqlTokens(sql, 'duckdb')
  const at = targetIndex(tokens)
  const token = tokens[at]
  if (token === undefined || (token.kind !== 'string' && token.kind !== 'identifier') || !/[./]/.test(token.text))
    return undefined
  const returning = tokens.find(({ kind, text }) => kind === 'word' && text === 'returning')
  if (returning !== undefined) throw new Error('Leave out RETURNING, and read the rows with Query.')
  const written = tokens.map((one, index) => {
    // Comments become spaces, so that nothing can be hidden in them.
    const gap = index > 0 && one.start > (tokens[index - 1] as SqlToken).end ? ' ' : ''
    return gap + (index === at ? targetText(tokens, at) : sql.slice(one.start, one.end))
  })
  return { name: token.text, sql: written.join('') }
}

/** Place of the table in INSERT INTO, UPDATE and DELETE FROM. */
function targetIndex(tokens: readonly SqlToken[]): number {
  const verb = tokens[0]?.text
  if (verb === 'update') return 1
  const before = verb === 'insert' ? 'into' : verb === 'delete' ? 'from' : undefined
  const index = tokens.findIndex(({ kind, text }) => kind === 'word' && text === before)
  return index === -1 ? -1 : index + 1
}

function targetText(tokens: readonly SqlToken[], at: number): string {
  const name = tokens[at]?.text ?? ''
  const next = tokens[at + 1]
  if (tokens[0]?.text === 'insert') {
    const isQuery = next?.text === '(' && /^(select|with|values|from|table)$/.test(tokens[at + 2]?.text ?? '')
    const isListed = (next?.text === '(' && !isQuery) || /^(as|by|default)$/.test(next?.text ?? '')
    return isListed ? '"troupe_target"' : '"troupe_target" (troupe_columns)'
  }
  const hasAlias = next !== undefined && next.text !== ';' && !/^(set|where|using)$/.test(next.text)
  return hasAlias ? '"troupe_target"' : `"troupe_target" as "${name.replaceAll('"', '""')}"`
}

async function matchingFiles(pattern: string, ctx: FileContext): Promise<string[]> {
  const { folder, glob: rest } = splitGlob(pattern)
  const target = resolvePath(ctx, folder || '.', { for: 'read' })
  const paths: string[] = []
  for await (const name of glob(rest.replace(/^\//, ''), { cwd: target.path })) {
    ctx.signal.throwIfAborted()
    const found = resolvePath(ctx, path.join(target.path, name), { for: 'read' })
    if (found.stats?.isFile() !== true || ctx.granted?.hides?.(found.path) === true) continue
    paths.push(found.path)
    if (paths.length > mostFiles)
      throw new Error(`"${pattern}" matches more than ${mostFiles} files. Use a narrower pattern.`)
  }
  if (paths.length === 0) throw new Error(`No file matches "${pattern}". Find files with Glob.`)
  return paths.toSorted()
}

/** A statement names a file as a table, or as an argument of a function that reads files. */
function namedFiles(sql: string): NamedFile[] {
  const tokens = sqlTokens(sql, 'duckdb')
  const found: NamedFile[] = []
  for (const [index, token] of tokens.entries()) {
    if (token.kind !== 'string' && token.kind !== 'identifier') continue
    const before = tokens[index - 1]
    const name = token.text
    if (before === undefined || name === '' || name.includes('\0')) continue
    const isTable = before.kind === 'word' && tableWords.has(before.text) && /[./*]/.test(name)
    const isListed = before.kind === 'symbol' && /[,([]/.test(before.text) && dataFile.test(splitSheet(name).file)
    if (!isTable && !isListed) continue
    const isArgument = before.text === '(' && tokens[index - 2]?.kind === 'word' && token.kind === 'string'
    found.push({ name, token, isArgument: isArgument && !tableWords.has(tokens[index - 2]?.text ?? '') })
  }
  return found
}

/** `book.xlsx#Sheet2` names a sheet. */
function splitSheet(name: string): { file: string; sheet?: string } {
  const [, file, sheet] = /^(.+\.xlsx)#(.+)$/is.exec(name) ?? []
  return file === undefined || sheet === undefined ? { file: name } : { file, sheet }
}

const tableWords = new Set(['from', 'join', 'table', 'describe', 'desc', 'summarize', 'pivot', 'unpivot', 'show'])

function replaceToken(sql: string, { start, end }: SqlToken, text: string): string {
  return sql.slice(0, start) + text + sql.slice(end)
}
