import { readFile, stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type CodeAnswer, type CodeQuestion, isInside, shownPath } from '@troupe/core'
import type { LanguageServer } from './language-server.ts'
import { problemLine } from './problems-text.ts'

interface AnswerContext {
  workspace: string
  signal: AbortSignal
  hides?: ((real: string) => boolean) | undefined
}

const answerMs = 20_000
const maxPlaces = 100
const maxSymbols = 300
const maxHoverLength = 6000
const maxLineLength = 200
const maxFileBytes = 2 << 20

/** Asks the server and writes the answer for a model. */
export async function answerQuestion(
  server: LanguageServer,
  question: CodeQuestion,
  context: AnswerContext,
): Promise<CodeAnswer> {
  const call = { ms: answerMs, signal: context.signal }
  const { action, path: file } = question
  if (file === undefined) {
    if (action !== 'symbols' || question.symbol === undefined)
      throw new Error('Name a file. Only "symbols" with a "symbol" searches the whole project.')
    const found = await server.askAll('workspace/symbol', { query: question.symbol }, call)
    return places(toSymbols(found, undefined), context)
  }
  if (action === 'diagnostics') {
    const problems = (await server.problems(file, call)) ?? []
    const shown = shownPath(file, context.workspace)
    const text = problems.slice(0, maxPlaces).map((problem) => problemLine(shown, problem))
    return {
      text: text.length === 0 ? `No problems in ${shown}.` : text.join('\n'),
      places: [],
      total: problems.length,
    }
  }
  if (action === 'symbols')
    return places(toSymbols(await server.ask(file, 'textDocument/documentSymbol', {}, call), file), context)
  const extra = action === 'references' ? { context: { includeDeclaration: true } } : {}
  const positions = await positionsOf(file, question)
  let problem: Error | undefined
  for (const position of positions) {
    try {
      const found = await server.ask(file, `textDocument/${action}`, { position, ...extra }, call)
      if (action !== 'hover' && toLocations(found).length > 0) return await places(toLocations(found), context)
      const text = action === 'hover' ? hoverText((found as { contents?: unknown } | null)?.contents) : ''
      if (text !== '') return { text: text.slice(0, maxHoverLength), places: [], total: 0 }
    } catch (error) {
      // Some servers answer with an error where there is nothing, for example in a comment.
      problem ??= error as Error
      if (positions.length === 1 || call.signal.aborted) throw error
    }
  }
  if (problem !== undefined) throw problem
  return action === 'hover'
    ? { text: 'The language server knows nothing about it.', places: [], total: 0 }
    : places([], context)
}

interface Position {
  line: number
  character: number
}

/** A name may be in comments and strings first. */
const maxTries = 8

/** Models know names better than columns, so a name on a line or in the file is enough. Returns the first places of it. */
async function positionsOf(file: string, { line, column, symbol }: CodeQuestion): Promise<Position[]> {
  const lines = (await readLines(file)) ?? []
  if (line !== undefined && (line < 1 || line > lines.length))
    throw new Error(`Line ${line} does not exist. The file has ${lines.length} lines.`)
  if (line !== undefined && column !== undefined) return [{ line: line - 1, character: column - 1 }]
  if (symbol === undefined) throw new Error('Give "symbol", or "line" and "column".')
  const word = new RegExp(`(?<![\\p{L}\\p{N}_$])${RegExp.escape(symbol)}(?![\\p{L}\\p{N}_$])`, 'gu')
  const from = line === undefined ? 0 : line - 1
  const until = line === undefined ? lines.length : line
  const found: Position[] = []
  for (let at = from; at < until && found.length < maxTries; at++)
    for (const { index } of (lines[at] ?? '').matchAll(word)) found.push({ line: at, character: index })
  if (found.length > 0) return found.slice(0, maxTries)
  throw new Error(`"${symbol}" is not ${line === undefined ? 'in the file' : `on line ${line}`}.`)
}

function hoverText(contents: unknown): string {
  if (typeof contents === 'string') return contents
  if (Array.isArray(contents)) return contents.map(hoverText).join('\n')
  const { value } = (contents ?? {}) as { value?: unknown }
  return typeof value === 'string' ? value : ''
}

interface Place {
  path: string
  /** 1-based. */
  line: number
  /** Replaces the text of the line. */
  text?: string
}

interface Location {
  uri?: string
  range?: { start?: { line?: number } }
  targetUri?: string
  targetSelectionRange?: { start?: { line?: number } }
}

function toLocations(found: unknown): Place[] {
  const list = (Array.isArray(found) ? found : [found]) as (Location | null)[]
  return list.flatMap((location) => {
    const file = pathOf(location?.targetUri ?? location?.uri)
    const line = (location?.targetSelectionRange ?? location?.range)?.start?.line ?? 0
    return file === undefined ? [] : [{ path: file, line: line + 1 }]
  })
}

interface SymbolInfo {
  name?: string
  kind?: number
  detail?: string
  containerName?: string
  range?: { start?: { line?: number } }
  selectionRange?: { start?: { line?: number } }
  location?: Location
  children?: SymbolInfo[]
}

/** Both forms of the protocol: a tree of a file, and a flat list with locations. */
function toSymbols(found: unknown, file: string | undefined, depth = 0): Place[] {
  if (!Array.isArray(found) || depth > 20) return []
  return (found as (SymbolInfo | null)[]).slice(0, 5000).flatMap((symbol) => {
    const { name = '', kind = 0, containerName, location, children } = symbol ?? {}
    const place = file ?? pathOf(location?.uri)
    if (place === undefined) return []
    const line = (symbol?.selectionRange ?? symbol?.range ?? location?.range)?.start?.line ?? 0
    const within = containerName === undefined || containerName === '' ? '' : ` in ${containerName}`
    const text = `${'  '.repeat(depth)}${symbolKinds[kind] ?? 'symbol'} ${name}${within}`
    return [{ path: place, line: line + 1, text }, ...toSymbols(children, file, depth + 1)]
  })
}

const symbolKinds: Readonly<Record<number, string>> = {
  1: 'file',
  2: 'module',
  3: 'namespace',
  4: 'package',
  5: 'class',
  6: 'method',
  7: 'property',
  8: 'field',
  9: 'constructor',
  10: 'enum',
  11: 'interface',
  12: 'function',
  13: 'variable',
  14: 'constant',
  22: 'enum member',
  23: 'struct',
  24: 'event',
  26: 'type parameter',
}

/** Leaves out files that rules hide. Adds the line's text for files of the workspace. */
async function places(found: readonly Place[], { workspace, hides }: AnswerContext): Promise<CodeAnswer> {
  const visible = found.filter(({ path: file }) => hides?.(file) !== true)
  const limit = visible.some(({ text }) => text !== undefined) ? maxSymbols : maxPlaces
  const read = new Map<string, Promise<string[] | undefined>>()
  const shown = await Promise.all(
    visible.slice(0, limit).map(async ({ path: file, line, text }) => {
      if (text === undefined && isInside(file, workspace) && !read.has(file)) read.set(file, readLines(file))
      const lines = await read.get(file)
      const own = text ?? lines?.[line - 1]?.trim() ?? ''
      return { path: shownPath(file, workspace), line, text: own.slice(0, maxLineLength) }
    }),
  )
  const left = visible.length - shown.length
  const text = shown.map((one) => `${one.path}:${one.line}${one.text === '' ? '' : `: ${one.text}`}`)
  if (left > 0) text.push(`(${left} more)`)
  return { text: text.length === 0 ? 'Nothing was found.' : text.join('\n'), places: shown, total: visible.length }
}

async function readLines(file: string): Promise<string[] | undefined> {
  try {
    const stats = await stat(file)
    if (!stats.isFile() || stats.size > maxFileBytes) return undefined
    return (await readFile(file, 'utf8')).split('\n')
  } catch {
    return undefined
  }
}

function pathOf(uri: string | undefined): string | undefined {
  try {
    return uri?.startsWith('file:') === true ? fileURLToPath(uri) : undefined
  } catch {
    return undefined
  }
}
