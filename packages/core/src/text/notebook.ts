import { randomBytes } from 'node:crypto'
import { formatCount } from './format.ts'
import {
  type JsonStyle,
  detectJsonStyle,
  formatJson,
  withoutElement,
  withElement,
  splice,
  type JsonSpan,
  membersAt,
  elementsAt,
  rootStart,
} from './json-splice.ts'

/** Parts of a Jupyter notebook that we read and change. Everything else is preserved. */
export interface Notebook {
  cells: NotebookCell[]
  metadata?: { language_info?: { name?: string }; kernelspec?: { language?: string } }
  nbformat?: number
  nbformat_minor?: number
}

export interface NotebookCell {
  cell_type: 'code' | 'markdown' | 'raw'
  id?: string
  source: string | string[]
  metadata: Record<string, unknown>
  outputs?: NotebookOutput[]
  execution_count?: number | null
}

interface NotebookOutput {
  output_type: string
  name?: string
  text?: string | string[]
  data?: Record<string, unknown>
  ename?: string
  evalue?: string
  traceback?: string[]
}

/** Throws an Error for the model if the text is not a notebook. */
export function parseNotebook(text: string, shown: string): Notebook {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new Error(`"${shown}" is not valid JSON, so it is not a notebook: ${(error as Error).message}`, {
      cause: error,
    })
  }
  const { cells } = (value ?? {}) as { cells?: unknown }
  if (!Array.isArray(cells)) throw new Error(`"${shown}" has no list of cells, so it is not a version 4 notebook.`)
  return value as Notebook
}

export function cellSource(cell: Pick<NotebookCell, 'source'>): string {
  return joinLines(cell.source)
}

export function notebookLanguage({ metadata }: Notebook): string {
  return metadata?.language_info?.name ?? metadata?.kernelspec?.language ?? 'python'
}

const maxOutput = 2000

/** Renders a cell for the model: number (from 0), ID, type, source, start of its outputs. */
export function formatCell(cell: NotebookCell, number: number): string {
  const id = cell.id === undefined ? '' : ` id="${cell.id}"`
  const outputs = (cell.outputs ?? []).map(formatOutput).filter((text) => text !== '')
  return [
    `<cell number="${number}"${id} type="${cell.cell_type}">`,
    cellSource(cell),
    ...outputs.map((text) => `<output>\n${truncateOutput(text)}\n</output>`),
    '</cell>',
  ].join('\n')
}

function formatOutput(output: NotebookOutput): string {
  if (output.text !== undefined) return joinLines(output.text)
  // eslint-disable-next-line no-control-regex
  const colours = /\u001b\[[0-9;]*m/g
  if (output.output_type === 'error') {
    return `${output.ename ?? 'Error'}: ${output.evalue ?? ''}\n${(output.traceback ?? []).join('\n').replace(colours, '')}`
  }
  const data = output.data ?? {}
  const plain = data['text/plain'] ?? data['text/markdown']
  const others = Object.keys(data).filter((type) => !type.startsWith('text/'))
  return [plain === undefined ? '' : joinLines(plain as string | string[]), ...others.map((type) => `[${type}]`)]
    .filter((text) => text !== '')
    .join('\n')
}

function truncateOutput(text: string): string {
  const trimmed = text.trimEnd()
  if (trimmed.length <= maxOutput) return trimmed
  return `${trimmed.slice(0, maxOutput)}\n[truncated: the output has ${trimmed.length} characters]`
}

function joinLines(text: string | string[]): string {
  return Array.isArray(text) ? text.join('') : text
}

interface CellEdit {
  mode: 'replace' | 'insert' | 'delete'
  cellId?: string | undefined
  cellNumber?: number | undefined
  source: string
  type?: 'code' | 'markdown' | undefined
}

export interface CellEditResult {
  text: string
  /** 0-based. */
  number: number
  id: string | undefined
  before: string
  after: string
  /** True if outdated outputs were removed. */
  clearedOutputs: boolean
}

/** Changes one cell. Everything else keeps its exact text: numbers, escapes, whitespace. */
export function editNotebook(text: string, edit: CellEdit, shown: string): CellEditResult {
  const notebook = parseNotebook(text, shown)
  const spans = cellSpans(text)
  const style = detectJsonStyle(text)
  if (edit.mode === 'insert') return insertCell(text, notebook, spans, edit, style, shown)
  const number = findCell(notebook, edit, shown)
  const cell = notebook.cells[number]!
  const { id } = cell
  const before = cellSource(cell)
  if (edit.mode === 'delete') {
    return { text: withoutElement(text, spans, number), number, id, before, after: '', clearedOutputs: false }
  }
  const changed = changedCell(cell, edit)
  const isSameType = changed.cell_type === cell.cell_type
  const span = spans[number]!
  const replaced = isSameType
    ? replaceMembers(text, span, pickMembers(changed, ['source', 'outputs', 'execution_count'], cell), style)
    : splice(text, span, formatJson(changed, style, 2))
  return { text: replaced, number, id, before, after: edit.source, clearedOutputs: (cell.outputs?.length ?? 0) > 0 }
}

function insertCell(
  text: string,
  notebook: Notebook,
  spans: readonly JsonSpan[],
  edit: CellEdit,
  style: JsonStyle,
  shown: string,
): CellEditResult {
  // After the cell with this ID, at the given number, or first.
  const number = edit.cellId !== undefined ? findCell(notebook, edit, shown) + 1 : (edit.cellNumber ?? 0)
  if (number > spans.length) throw new Error(outOfRangeMessage(number, spans.length, shown))
  const hasIds = (notebook.nbformat ?? 4) * 100 + (notebook.nbformat_minor ?? 0) >= 405
  const asList = notebook.cells.every(({ source }) => Array.isArray(source))
  const isCode = (edit.type ?? 'code') === 'code'
  const id = hasIds ? randomBytes(4).toString('hex') : undefined
  const cell: NotebookCell = {
    cell_type: edit.type ?? 'code',
    ...(isCode && { execution_count: null }),
    id,
    metadata: {},
    ...(isCode && { outputs: [] }),
    source: asList ? sourceLines(edit.source) : edit.source,
  }
  const inserted = withElement(text, spans, number, formatJson(cell, style, 2), style)
  return { text: inserted, number, id, before: '', after: edit.source, clearedOutputs: false }
}

function findCell({ cells }: Notebook, { cellId, cellNumber }: CellEdit, shown: string): number {
  if (cellId === undefined && cellNumber === undefined) throw new Error('Give the cell as cell_id or cell_number.')
  if (cellId !== undefined) {
    const found = cells.findIndex(({ id }) => id === cellId)
    if (found !== -1) return found
    // Cells without IDs are referred to as "cell-3", or by number.
    const number = /^(?:cell-)?(\d+)$/.exec(cellId)?.[1]
    if (number !== undefined && Number(number) < cells.length) return Number(number)
    const ids = cells.flatMap(({ id }) => id ?? []).slice(0, 20)
    throw new Error(
      `${shown} has no cell with the id "${cellId}". ${ids.length > 0 ? `Its ids are ${ids.join(', ')}.` : 'Its cells have no ids: use cell_number.'}`,
    )
  }
  const number = cellNumber ?? 0
  if (number >= cells.length) throw new Error(outOfRangeMessage(number, cells.length, shown))
  return number
}

function outOfRangeMessage(number: number, count: number, shown: string): string {
  return `${shown} has ${formatCount(count, 'cell')}, numbered from 0; there is no position ${number}.`
}

function changedCell(cell: NotebookCell, { source, type }: CellEdit): NotebookCell {
  const { outputs: _, execution_count: __, ...rest } = cell
  const cellType = type ?? cell.cell_type
  return {
    ...rest,
    cell_type: cellType,
    ...(cellType === 'code' && { outputs: [], execution_count: null }),
    source: Array.isArray(cell.source) ? sourceLines(source) : source,
  }
}

/** Splits into lines with their endings, as notebooks store them. */
function sourceLines(source: string): string[] {
  return source === '' ? [] : source.split(/(?<=\n)/)
}

function cellSpans(text: string): JsonSpan[] {
  const cells = membersAt(text, rootStart(text)).findLast(({ key }) => key === 'cells')
  return cells === undefined ? [] : elementsAt(text, cells.value.start)
}

function replaceMembers(text: string, span: JsonSpan, values: readonly [string, unknown][], style: JsonStyle): string {
  const members = membersAt(text, span.start)
  const edits = values.flatMap(([key, value]) => {
    const member = members.findLast((one) => one.key === key)
    return member === undefined ? [] : [{ span: member.value, text: formatJson(value, style, 3) }]
  })
  return edits
    .toSorted((a, b) => b.span.start - a.span.start)
    .reduce((all, one) => splice(all, one.span, one.text), text)
}

function pickMembers(changed: NotebookCell, keys: (keyof NotebookCell)[], cell: NotebookCell): [string, unknown][] {
  return keys.filter((key) => key in cell && key in changed).map((key) => [key, changed[key]])
}
