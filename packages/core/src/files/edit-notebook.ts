import { formatCount } from './show-name.ts'
import { randomBytes } from 'node:crypto'
import { elementsAt, membersAt, rootStart, type JsonSpan } from './json-spans.ts'
import { type Notebook, type NotebookCell, parseNotebook, cellSource } from './notebook.ts'

export interface CellEdit {
  mode: 'replace' | 'insert' | 'delete'
  cellId?: string | undefined
  cellNumber?: number | undefined
  source: string
  type?: 'code' | 'markdown' | undefined
}

export interface CellEditResult {
  text: string
  /** Counted from 0. */
  number: number
  id: string | undefined
  before: string
  after: string
  /** Results that no longer belong to the source are gone. */
  clearedOutputs: boolean
}

/** A notebook with one cell changed. All that is not changed keeps its very text: numbers, escapes, blanks. */
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
  // Behind the cell that an id names, at the number that is given, else in front.
  const number = edit.cellId !== undefined ? findCell(notebook, edit, shown) + 1 : (edit.cellNumber ?? 0)
  if (number > spans.length) throw new Error(outOfRangeMessage(number, spans.length, shown))
  const hasIds = (notebook.nbformat ?? 4) * 100 + (notebook.nbformat_minor ?? 0) >= 405
  const asList = notebook.cells.every(({ source }) => Array.isArray(source))
  const isCode = (edit.type ?? 'code') === 'code'
  const id = hasIds ? randomBytes(4).toString('hex') : undefined
  const cell: NotebookCell = {
    cell_type: edit.type ?? 'code',
    ...(isCode && { execution_count: null }),
    ...(id !== undefined && { id }),
    metadata: {},
    ...(isCode && { outputs: [] }),
    source: asList ? sourceLines(edit.source) : edit.source,
  }
  const inserted = withElement(text, spans, number, formatJson(cell, style, 2), style)
  return { text: inserted, number, id, before: '', after: edit.source, clearedOutputs: false }
}

function findCell({ cells }: Notebook, { cellId, cellNumber }: CellEdit, shown: string): number {
  if (cellId === undefined && cellNumber === undefined) throw new Error('Say which cell: give cell_id or cell_number.')
  if (cellId !== undefined) {
    const found = cells.findIndex(({ id }) => id === cellId)
    if (found !== -1) return found
    // Notebooks without ids are spoken of as "cell-3", or by the number alone.
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
  return `${shown} has ${formatCount(count, 'cell')}, counted from 0; there is no place ${number}.`
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

/** Lines with their endings, as notebooks keep them. */
function sourceLines(source: string): string[] {
  return source === '' ? [] : source.split(/(?<=\n)/)
}

interface JsonStyle {
  /** One level of indentation; empty when all is on one line. */
  unit: string
  newline: string
  /** What stands behind a colon and, on one line, behind a comma. */
  gap: string
}

function detectJsonStyle(text: string): JsonStyle {
  const indent = /^\s*\{\r?\n([ \t]*)"/.exec(text)?.[1]
  return {
    unit: indent ?? '',
    newline: text.includes('\r\n') ? '\r\n' : '\n',
    gap: indent === undefined && !/^\s*\{\s*"[^"]*": /.test(text) ? '' : ' ',
  }
}

function formatJson(value: unknown, { unit, newline, gap }: JsonStyle, depth: number): string {
  if (unit !== '') return JSON.stringify(value, null, unit).replaceAll('\n', newline + unit.repeat(depth))
  return gap === '' ? JSON.stringify(value) : formatJsonInline(value)
}

/** On one line, with a blank behind each comma and colon. */
function formatJsonInline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatJsonInline).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${formatJsonInline(one)}`)
  return `{${members.join(', ')}}`
}

function cellSpans(text: string): JsonSpan[] {
  const cells = membersAt(text, rootStart(text)).findLast(({ key }) => key === 'cells')
  return cells === undefined ? [] : elementsAt(text, cells.value.start)
}

function pickMembers(changed: NotebookCell, keys: (keyof NotebookCell)[], cell: NotebookCell): [string, unknown][] {
  return keys.filter((key) => key in cell && key in changed).map((key) => [key, changed[key]])
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

/** With the comma and the blanks that belong to it. */
function withoutElement(text: string, spans: readonly JsonSpan[], number: number): string {
  const { start, end } = spans[number]!
  const [before, next] = [spans[number - 1], spans[number + 1]]
  if (next !== undefined) return splice(text, { start, end: next.start }, '')
  if (before !== undefined) return splice(text, { start: before.end, end }, '')
  return splice(text, { start: text.lastIndexOf('[', start) + 1, end: text.indexOf(']', end) }, '')
}

function withElement(
  text: string,
  spans: readonly JsonSpan[],
  number: number,
  element: string,
  style: JsonStyle,
): string {
  const { unit, newline, gap } = style
  const between = unit === '' ? `,${gap}` : `,${newline}${unit.repeat(2)}`
  const next = spans[number]
  if (next !== undefined) return splice(text, { start: next.start, end: next.start }, element + between)
  const last = spans.at(-1)
  if (last !== undefined) return splice(text, { start: last.end, end: last.end }, between + element)
  const cells = membersAt(text, rootStart(text)).findLast(({ key }) => key === 'cells')!
  const inside = unit === '' ? element : `${newline}${unit.repeat(2)}${element}${newline}${unit}`
  return splice(text, cells.value, `[${inside}]`)
}

function splice(text: string, { start, end }: JsonSpan, inserted: string): string {
  return text.slice(0, start) + inserted + text.slice(end)
}
