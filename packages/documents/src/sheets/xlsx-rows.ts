import { StringDecoder } from 'node:string_decoder'
import { type CellRange, maxColumn } from './address.ts'
import { decodeEntities, shiftFormula } from './xlsx-formulas.ts'

/** A cell as it is stored. */
export interface RawCell {
  row: number
  column: number
  /** `s` for a shared string, `b`, `e`, `str`, `inlineStr`, `d`, or empty for a number. */
  type: string
  style: number
  value: string
  formula?: string | undefined
}

export interface RawRow {
  number: number
  isHidden: boolean
  cells: RawCell[]
}

export interface SheetScan {
  rows: RawRow[]
  nextRow?: number | undefined
  /** XML before and after the rows. `tail` is undefined if the scan stopped before it. */
  head: string
  tail?: string | undefined
}

const maxRowLength = 64 * 2 ** 20
const maxTailLength = 16 * 2 ** 20
const maxSharedFormulas = 100_000

/**
 * Reads rows of a sheet part while it is unpacked, and stops after the last row of the range. `wantsTail` reads on to the
 * end, which takes no more than unpacking.
 */
export async function scanSheet(
  bytes: AsyncIterable<Uint8Array>,
  range: CellRange,
  { most, wantsTail }: { most: number; wantsTail: boolean },
): Promise<SheetScan> {
  const rows: RawRow[] = []
  const shared = new Map<string, RawCell>()
  let cells = 0
  let nextRow: number | undefined
  const { head, tail } = await forEachRow(
    bytes,
    (number, xml, tags) => {
      if (number > range.bottom) return false
      if (cells >= most) {
        nextRow = number
        return false
      }
      const isWanted = number >= range.top
      if (!isWanted && !xml.includes('shared')) return true
      const row: RawRow = { number, isHidden: isHiddenRow(xml), cells: [] }
      forEachCell(xml, tags, number, (cell, formula) => {
        if (formula !== undefined) cell.formula = resolveFormula(cell, formula, shared)
        if (!isWanted || cell.column < range.left || cell.column > range.right) return
        if (cell.value !== '' || cell.formula !== undefined) row.cells.push(cell)
      })
      if (row.cells.length > 0) {
        rows.push(row)
        cells += row.cells.length
      }
      return true
    },
    wantsTail,
  )
  return { rows, nextRow, head, tail }
}

/** The cells that a sheet part has, whatever its declared dimension says. */
export async function scanUsedRange(bytes: AsyncIterable<Uint8Array>): Promise<CellRange | undefined> {
  let used: CellRange | undefined
  await forEachRow(
    bytes,
    (number, xml, { cell }) => {
      const first = xml.indexOf(cell)
      if (first === -1) return true
      const left = columnAt(xml, first) ?? 1
      const right = columnAt(xml, xml.lastIndexOf(cell)) ?? Math.min(maxColumn, xml.split(cell).length - 1)
      used ??= { top: number, left, bottom: number, right }
      used.bottom = Math.max(used.bottom, number)
      used.left = Math.min(used.left, left)
      used.right = Math.max(used.right, right)
      return true
    },
    false,
  )
  return used
}

interface Tags {
  cell: string
  prefix: string
}

/** Calls `visit` with the XML of each row until it returns false. */
async function forEachRow(
  bytes: AsyncIterable<Uint8Array>,
  visit: (number: number, xml: string, tags: Tags) => boolean,
  wantsTail: boolean,
): Promise<{ head: string; tail?: string }> {
  const decoder = new StringDecoder('utf8')
  let text = ''
  let head: string | undefined
  let tags: Tags = { cell: '<c', prefix: '' }
  let last = 0
  let from = 0
  let state: 'head' | 'rows' | 'skip' | 'tail' = 'head'
  for await (const piece of doubling(bytes, decoder, () => text.length)) {
    text += piece
    if (state === 'head') {
      const start = /<(?:([\w.-]+):)?sheetData\s*(\/?)>/.exec(text)
      if (start === null) {
        if (text.length > maxTailLength) break
        continue
      }
      const prefix = start[1] === undefined ? '' : `${start[1]}:`
      tags = { cell: `<${prefix}c`, prefix }
      head = text.slice(0, start.index)
      text = text.slice(start.index + start[0].length)
      state = start[2] === '/' ? 'tail' : 'rows'
      from = 0
    }
    if (state === 'rows') {
      const taken = takeRows(text, from, tags, last, visit)
      last = taken.last
      text = text.slice(taken.at)
      from = taken.searched
      if (text.length > maxRowLength) throw new Error('A row of the sheet is too long to read.')
      if (taken.isDone) {
        state = taken.isEnd ? 'tail' : 'skip'
        if (!wantsTail) return { head: head ?? '' }
      }
    }
    if (state === 'skip') {
      const end = text.indexOf(`</${tags.prefix}sheetData>`)
      if (end === -1) text = text.slice(-(tags.prefix.length + 12))
      else {
        text = text.slice(end + tags.prefix.length + 12)
        state = 'tail'
      }
    }
    if (state === 'tail' && text.length > maxTailLength) return { head: head ?? '', tail: '' }
  }
  return { head: head ?? text, tail: state === 'tail' ? text : '' }
}

/** Joins pieces until they are as long as the text they are added to, so a long row is not searched for each of them. */
async function* doubling(
  bytes: AsyncIterable<Uint8Array>,
  decoder: StringDecoder,
  lengthOf: () => number,
): AsyncGenerator<string> {
  let pieces: string[] = []
  let length = 0
  for await (const chunk of bytes) {
    const piece = decoder.write(chunk as Buffer)
    pieces.push(piece)
    length += piece.length
    if (length < lengthOf() / 2) continue
    yield pieces.join('')
    pieces = []
    length = 0
  }
  if (length > 0) yield pieces.join('')
}

/** Takes the complete rows from the start of `text`. `at` is where the next one begins. */
function takeRows(
  text: string,
  from: number,
  { cell, prefix }: Tags,
  last: number,
  visit: (number: number, xml: string, tags: Tags) => boolean,
): { at: number; searched: number; last: number; isDone: boolean; isEnd: boolean } {
  const open = `<${prefix}row`
  const close = `</${prefix}row>`
  let at = 0
  let searched = from
  for (;;) {
    const start = text.indexOf(open, at)
    if (start === -1) {
      const end = text.indexOf(`</${prefix}sheetData>`, at)
      const isEnd = end !== -1
      const rest = isEnd ? end + prefix.length + 12 : Math.max(at, text.length - 20 - prefix.length)
      return { at: rest, searched: 0, last, isDone: isEnd, isEnd }
    }
    const tagEnd = text.indexOf('>', start)
    if (tagEnd === -1) return { at: start, searched: 0, last, isDone: false, isEnd: false }
    const isEmpty = text.charCodeAt(tagEnd - 1) === 47
    const end = isEmpty ? tagEnd + 1 : text.indexOf(close, Math.max(tagEnd, searched)) + close.length
    if (!isEmpty && end < close.length)
      return {
        at: start,
        searched: Math.max(0, text.length - start - close.length),
        last,
        isDone: false,
        isEnd: false,
      }
    searched = 0
    const number = numberAttribute(text.slice(start, tagEnd), 'r') ?? last + 1
    last = number
    at = end
    if (!visit(number, text.slice(start, end), { cell, prefix }))
      return { at, searched: 0, last, isDone: true, isEnd: false }
  }
}

function forEachCell(
  xml: string,
  { cell, prefix }: Tags,
  row: number,
  visit: (cell: RawCell, formula: RawFormula | undefined) => void,
): void {
  let previous = 0
  let at = xml.indexOf('>') + 1
  const close = `</${prefix}c>`
  for (;;) {
    const start = xml.indexOf(cell, at)
    if (start === -1) return
    const tagEnd = xml.indexOf('>', start)
    if (tagEnd === -1) return
    const tag = xml.slice(start, tagEnd)
    const column = columnAt(xml, start) ?? previous + 1
    previous = column
    if (xml.charCodeAt(tagEnd - 1) === 47) {
      at = tagEnd + 1
      continue
    }
    const found = xml.indexOf(close, tagEnd)
    const end = found === -1 ? xml.length : found
    const content = xml.slice(tagEnd + 1, end)
    at = end + close.length
    const type = textAttribute(tag, 't') ?? ''
    visit(
      {
        row,
        column,
        type,
        style: numberAttribute(tag, 's') ?? 0,
        value: type === 'inlineStr' ? inlineText(content) : (elementText(content, `${prefix}v`) ?? ''),
      },
      rawFormula(content, prefix),
    )
  }
}

interface RawFormula {
  tag: string
  text: string
}

function rawFormula(content: string, prefix: string): RawFormula | undefined {
  const start = content.indexOf(`<${prefix}f`)
  if (start === -1) return undefined
  const tagEnd = content.indexOf('>', start)
  if (tagEnd === -1) return undefined
  const tag = content.slice(start, tagEnd)
  if (tag.endsWith('/')) return { tag, text: '' }
  const end = content.indexOf(`</${prefix}f>`, tagEnd)
  return { tag, text: decodeEntities(content.slice(tagEnd + 1, end === -1 ? undefined : end)) }
}

/** A shared formula is stored once, at its first cell. The others shift it to their place. */
function resolveFormula(cell: RawCell, { tag, text }: RawFormula, shared: Map<string, RawCell>): string | undefined {
  const kind = textAttribute(tag, 't')
  const group = textAttribute(tag, 'si')
  if (kind === 'shared' && group !== undefined) {
    if (text !== '') {
      if (shared.size < maxSharedFormulas) shared.set(group, { ...cell, formula: `=${text}` })
    } else {
      const first = shared.get(group)
      if (first?.formula === undefined) return '=(shared formula)'
      return shiftFormula(first.formula, cell.row - first.row, cell.column - first.column)
    }
  }
  if (kind === 'dataTable') return '=(data table)'
  if (text === '') return undefined
  return kind === 'array' ? `{=${text}}` : `=${text}`
}

function columnAt(xml: string, start: number): number | undefined {
  const tag = xml.slice(start, xml.indexOf('>', start))
  const reference = textAttribute(tag, 'r')
  if (reference === undefined) return undefined
  let column = 0
  for (let at = 0; at < 4; at++) {
    const code = reference.charCodeAt(at) & ~32
    if (!(code >= 65 && code <= 90)) break
    column = column * 26 + code - 64
  }
  return column === 0 || column > maxColumn ? undefined : column
}

function isHiddenRow(xml: string): boolean {
  const hidden = textAttribute(xml.slice(0, xml.indexOf('>')), 'hidden')
  return hidden === '1' || hidden === 'true'
}

function elementText(content: string, name: string): string | undefined {
  const start = content.indexOf(`<${name}`)
  if (start === -1) return undefined
  const tagEnd = content.indexOf('>', start)
  const end = content.indexOf(`</${name}>`, tagEnd)
  return end === -1 ? undefined : decodeEntities(content.slice(tagEnd + 1, end))
}

/** The text of a string without its phonetic reading. */
export function inlineText(xml: string): string {
  let text = ''
  for (const match of xml
    .replace(/<(?:\w+:)?rPh\b[\s\S]*?<\/(?:\w+:)?rPh>/g, '')
    .matchAll(/<(?:\w+:)?t(?:\s[^>]*)?>([\s\S]*?)<\/(?:\w+:)?t>/g))
    text += decodeEntities(match[1] ?? '')
  return text
}

function textAttribute(tag: string, name: string): string | undefined {
  const at = tag.indexOf(` ${name}="`)
  if (at !== -1) {
    const start = at + name.length + 3
    const end = tag.indexOf('"', start)
    return end === -1 ? undefined : tag.slice(start, end)
  }
  // Few producers write single quotes, line breaks or spaces around `=`.
  if (!/['\s]=|='|=\s|[\n\t]/.test(tag)) return undefined
  return new RegExp(`\\s${name}\\s*=\\s*["']([^"']*)["']`).exec(tag)?.[1]
}

function numberAttribute(tag: string, name: string): number | undefined {
  const text = textAttribute(tag, name)
  if (text === undefined) return undefined
  const value = Number.parseInt(text, 10)
  return Number.isNaN(value) || value < 0 ? undefined : value
}
