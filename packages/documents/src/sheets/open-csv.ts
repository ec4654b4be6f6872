import path from 'node:path'
import type { DocumentSource } from '../reader.ts'
import { type CellRange, columnName, maxColumn } from './address.ts'
import { type CsvFormat, detectCsv } from './csv-format.ts'
import {
  reachesOutside,
  type SheetCell,
  type SheetInfo,
  type SheetRow,
  type SheetWindow,
  type Workbook,
} from './workbook.ts'

const headBytes = 2 ** 16
const chunkBytes = 2 ** 20
/** A quote that is not closed within this many characters is taken as text. */
const maxRecordLength = 2 ** 20
/** Longer files are not counted to their end. */
const countedBytes = 2 ** 29

/** Opens separated values. The file is read in pieces, and only as far as needed. */
export async function openCsv(source: DocumentSource): Promise<Workbook> {
  const name = path.parse(source.name).name
  const format = detectCsv(await source.bytesAt(0, headBytes), path.extname(source.name).slice(1).toLowerCase())
  const sheet: SheetInfo = { name: name === '' ? 'rows' : name, state: 'visible' }
  let measured: Promise<{ range: CellRange; doubt?: string } | undefined> | undefined
  const delimiter = format.delimiter === '\t' ? 'tabs' : `"${format.delimiter}"`
  return {
    sheets: [sheet],
    names: [],
    notes: format.encoding === 'utf-8' ? [] : [`The text was decoded as ${format.encoding}.`],
    outline: '',
    facts: `values separated by ${delimiter}${format.hasHeader ? ', the first row has names of columns' : ''}`,
    used: () => (measured ??= measure(source, format)),
    window: (_, range, most) => windowOf(source, format, range, most),
  }
}

async function windowOf(
  source: DocumentSource,
  format: CsvFormat,
  range: CellRange,
  most: number,
): Promise<SheetWindow> {
  const rows: SheetRow[] = []
  const active: string[] = []
  let count = 0
  let nextRow: number | undefined
  await forEachRecord(source, format, range.top, (number, fields) => {
    if (number > range.bottom) return false
    if (count >= most) {
      nextRow = number
      return false
    }
    const cells: SheetCell[] = []
    for (const [index, text] of fields.entries()) {
      const column = index + 1
      if (text === '' || column < range.left || column > Math.min(range.right, maxColumn)) continue
      if (/^[=+\-@]/.test(text) && reachesOutside(text)) active.push(`${columnName(column)}${number}`)
      cells.push({ column, text, isNumber: /^[-+]?[\d.,]*\d%?$/.test(text) })
    }
    if (cells.length > 0) rows.push({ number, cells })
    count += cells.length
    return true
  })
  const warning = `A spreadsheet program would run these cells as formulas that reach outside: ${active.slice(0, 20).join(', ')}.`
  return { rows, nextRow, hiddenColumns: [], merged: [], details: active.length === 0 ? [] : ['', warning] }
}

async function measure(
  source: DocumentSource,
  format: CsvFormat,
): Promise<{ range: CellRange; doubt?: string } | undefined> {
  let columns = 0
  await forEachRecord(source, format, 1, (number, fields) => {
    columns = Math.max(columns, fields.length)
    return number < 1000
  })
  if (columns === 0) return undefined
  let rows = 0
  let bytes = 0
  const isAll = await forEachRecord(
    source,
    format,
    Infinity,
    () => true,
    (last, position) => {
      rows = last
      bytes = position
      return position < countedBytes && !source.isLate()
    },
  )
  if (isAll) return { range: { top: 1, left: 1, bottom: rows, right: columns } }
  const estimate = Math.round((rows / Math.max(1, bytes)) * source.size)
  return {
    range: { top: 1, left: 1, bottom: estimate, right: columns },
    doubt: 'an estimate, because the file is long',
  }
}

/**
 * Calls `visit` with each record from row `first` until it returns false, and `progress` after each piece. True if the
 * end was reached.
 */
async function forEachRecord(
  source: DocumentSource,
  { encoding, skip, delimiter }: CsvFormat,
  first: number,
  visit: (number: number, fields: string[]) => boolean,
  progress: (rows: number, position: number) => boolean = () => true,
): Promise<boolean> {
  const decoder = new TextDecoder(encoding)
  let text = ''
  let number = 0
  let isStart = true
  for (let position = skip; ; position += chunkBytes) {
    const isLast = position + chunkBytes >= source.size
    text += decoder.decode(await source.bytesAt(position, chunkBytes), { stream: !isLast })
    let at = 0
    if (isStart) at = /^sep=.\r?\n/i.exec(text)?.[0].length ?? 0
    isStart = false
    const find = { quote: finder(text, '"'), newline: finder(text, '\n'), carriage: finder(text, '\r') }
    while (at < text.length) {
      const isWanted = number + 1 >= first
      const record = takeRecord(text, at, { delimiter, isLast, isWanted, find })
      if (record === undefined) break
      number++
      at = record.end
      if (isWanted && !visit(number, record.fields)) return false
    }
    text = text.slice(at)
    if (isLast) {
      progress(number, source.size)
      return true
    }
    if (!progress(number, position)) return false
  }
}

/** Finds a character from places that only grow, so it looks at each part of the text once. */
type Finder = (from: number) => number

function finder(text: string, character: string): Finder {
  let found = -2
  return (from) => {
    if (found !== -1 && found < from) found = text.indexOf(character, from)
    return found
  }
}

interface TakeOptions {
  delimiter: string
  find: { quote: Finder; newline: Finder; carriage: Finder }
  /** No text follows. */
  isLast: boolean
  isWanted: boolean
}

/** One record from `at`. Undefined if more text is needed. */
function takeRecord(text: string, at: number, options: TakeOptions): { fields: string[]; end: number } | undefined {
  const { delimiter, isWanted, isLast, find } = options
  const newline = lineEnd(text, at, options)
  if (newline === undefined && !isLast) return undefined
  const stop = newline?.at ?? text.length
  const quote = find.quote(at)
  if (quote === -1 || quote >= stop)
    return { fields: isWanted ? text.slice(at, stop).split(delimiter) : [], end: newline?.next ?? text.length }
  return takeQuoted(text, at, options) ?? undefined
}

function takeQuoted(text: string, start: number, options: TakeOptions): { fields: string[]; end: number } | undefined {
  const { delimiter, isLast, isWanted } = options
  const fields: string[] = []
  let at = start
  for (;;) {
    let field = ''
    if (text[at] === '"') {
      const close = closingQuote(text, at + 1)
      if (close === -1 && text.length - at < maxRecordLength && !isLast) return undefined
      if (close !== -1) {
        if (isWanted) field = text.slice(at + 1, close).replaceAll('""', '"')
        at = close + 1
      }
    }
    const line = lineEnd(text, at, options)
    if (line === undefined && !isLast) return undefined
    const stop = line?.at ?? text.length
    const next = text.indexOf(delimiter, at)
    const end = next === -1 || next > stop ? stop : next
    fields.push(field + text.slice(at, end))
    at = end
    if (end === stop) return { fields, end: line?.next ?? text.length }
    at += delimiter.length
  }
}

function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 2)) if (text[at + 1] !== '"') return at
  return -1
}

function lineEnd(text: string, from: number, { find, isLast }: TakeOptions): { at: number; next: number } | undefined {
  const newline = find.newline(from)
  if (newline !== -1) {
    const at = newline > from && text.charCodeAt(newline - 1) === 13 ? newline - 1 : newline
    return { at, next: newline + 1 }
  }
  // Old Mac files end lines with a carriage return alone.
  const carriage = find.carriage(from)
  if (carriage === -1 || (carriage === text.length - 1 && !isLast)) return undefined
  return { at: carriage, next: carriage + 1 }
}
