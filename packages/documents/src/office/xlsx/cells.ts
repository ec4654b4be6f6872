import { maxColumn, maxRow } from '../../sheets/address.ts'
import type { OfficeActionOf } from '@troupe/core'
import {
  append,
  child,
  contentOf,
  type Element,
  fragment,
  remove,
  setAttribute,
  setText,
  valueOf,
} from '../../xml/edit-xml.ts'
import { escapeXml } from '../../xml/parse-xml.ts'
import { nearestNote } from '../shared/nearest.ts'
import { moveFormula } from './formulas.ts'
import { cellName, parseCell, parseRange, type Range } from './references.ts'
import { cellsOf, parsed, type Sheet } from './sheet.ts'
import { allSheets, cellText, noteCell, openSheet, type Xlsx } from './workbook.ts'

type Value = string | number | boolean | null

export function setCells(xlsx: Xlsx, { sheet: name, cell, values }: OfficeActionOf<'set_cells'>): void {
  const sheet = openSheet(xlsx, name)
  const first = parseCell(cell)
  const right = first.column + Math.max(...values.map((row) => row.length)) - 1
  const bottom = first.row + values.length - 1
  if (bottom > maxRow || right > maxColumn) throw new Error('The values do not fit on the sheet.')
  for (const [down, row] of values.entries()) {
    for (const [across, value] of row.entries()) {
      const place = { row: first.row + down, column: first.column + across }
      noteCell(xlsx, sheet, place.row, place.column, () => writeCell(xlsx, sheet, place.row, place.column, value))
    }
  }
  xlsx.changed.push({ sheet: sheet.name, range: { top: first.row, left: first.column, bottom, right } })
  growDimension(sheet, { row: bottom, column: right }, first)
}

export function writeCell(xlsx: Xlsx, sheet: Sheet, row: number, column: number, value: Value): void {
  if (value === null && sheet.cell(row, column) === undefined) return
  const cell = sheet.ensureCell(row, column)
  releaseFormula(sheet, cell, row, column)
  for (const node of cell.children.slice()) remove(node)
  for (const name of ['t', 'cm', 'vm']) setAttribute(cell, name, undefined)
  const { prefix } = sheet
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new Error(`${cellName({ row, column })} must be a finite number.`)
    append(cell, ...fragment(`<${prefix}v>${value}</${prefix}v>`))
  } else if (typeof value === 'boolean') {
    setAttribute(cell, 't', 'b')
    append(cell, ...fragment(`<${prefix}v>${value ? 1 : 0}</${prefix}v>`))
  } else if (typeof value === 'string' && value.startsWith('=') && value.length > 1) {
    append(cell, ...fragment(`<${prefix}f>${escapeXml(value.slice(1))}</${prefix}f>`))
    xlsx.hasNewFormulas = true
  } else if (typeof value === 'string') writeText(cell, prefix, value.startsWith("'=") ? value.slice(1) : value)
}

function writeText(cell: Element, prefix: string, text: string): void {
  setAttribute(cell, 't', 'inlineStr')
  append(
    cell,
    ...fragment(`<${prefix}is><${prefix}t xml:space="preserve">${escapeXml(text)}</${prefix}t></${prefix}is>`),
  )
}

/** Other cells may get their formula from this one. They get it written out before it goes. */
function releaseFormula(sheet: Sheet, cell: Element, row: number, column: number): void {
  const formula = child(cell, 'f')
  const arrays = arrayRanges(sheet)
  const array = arrays.find(
    ({ top, left, bottom, right }) => row >= top && row <= bottom && column >= left && column <= right,
  )
  if (array !== undefined && (array.top !== array.bottom || array.left !== array.right))
    throw new Error(`${cellName({ row, column })} is part of an array formula, which cannot be changed in part.`)
  if (formula === undefined || valueOf(formula, 't') !== 'shared' || contentOf(formula) === '') return
  expandShared(sheet, valueOf(formula, 'si') ?? '', { row, column, text: contentOf(formula) })
}

function arrayRanges(sheet: Sheet): readonly Range[] {
  if (sheet.arrays !== undefined) return sheet.arrays
  const found: Range[] = []
  sheet.arrays = found
  for (const row of sheet.rows) {
    if (row.element === undefined && !row.xml.includes('array')) continue
    for (const { element } of cellsOf(parsed(row))) {
      const formula = child(element, 'f')
      if (valueOf(formula, 't') === 'array')
        found.push(parseRange(valueOf(formula, 'ref') ?? valueOf(element, 'r') ?? 'A1'))
    }
  }
  return found
}

/** Writes a shared formula into each cell that uses it. */
function expandShared(sheet: Sheet, index: string, master: { row: number; column: number; text: string }): void {
  for (const { row, formula, column } of sheet.formulas()) {
    if (valueOf(formula, 't') !== 'shared' || valueOf(formula, 'si') !== index) continue
    for (const name of ['t', 'ref', 'si']) setAttribute(formula, name, undefined)
    setText(formula, moveFormula(master.text, row.number - master.row, column - master.column))
    sheet.isChanged = true
  }
}

/** Writes out every shared formula, before rows or columns move. */
export function expandAllShared(sheet: Sheet): void {
  const masters = new Map<string, { row: number; column: number; text: string }>()
  for (const { row, formula, column } of sheet.formulas()) {
    const text = contentOf(formula)
    const index = valueOf(formula, 'si')
    if (valueOf(formula, 't') === 'shared' && text !== '' && index !== undefined && !masters.has(index))
      masters.set(index, { row: row.number, column, text })
  }
  for (const [index, master] of masters) expandShared(sheet, index, master)
}

function growDimension(
  sheet: Sheet,
  last: { row: number; column: number },
  first: { row: number; column: number },
): void {
  const dimension = child(sheet.root, 'dimension')
  const old = valueOf(dimension, 'ref')
  if (dimension === undefined || old === undefined) return
  const range = parseRange(old)
  const top = Math.min(range.top, first.row)
  const left = Math.min(range.left, first.column)
  const bottom = Math.max(range.bottom, last.row)
  const right = Math.max(range.right, last.column)
  const from = cellName({ row: top, column: left })
  setAttribute(
    dimension,
    'ref',
    top === bottom && left === right ? from : `${from}:${cellName({ row: bottom, column: right })}`,
  )
}

const maxSearched = 3_000_000

export function replaceInCells(xlsx: Xlsx, action: OfficeActionOf<'replace_text'>): void {
  const { find, replace, all = false, ignore_case = false } = action
  if (action.tracked === true) throw new Error('workbooks have no tracked changes.')
  const pattern = new RegExp(RegExp.escape(find), ignore_case ? 'giu' : 'gu')
  const hits: { sheet: Sheet; row: number; column: number; text: string; count: number }[] = []
  const texts: string[] = []
  let searched = 0
  for (const sheet of allSheets(xlsx)) {
    for (const row of sheet.rows) {
      for (const { element, column } of cellsOf(parsed(row))) {
        if (++searched > maxSearched) throw new Error('The workbook is too large to search. Use set_cells.')
        const type = valueOf(element, 't')
        if ((type !== 's' && type !== 'inlineStr') || child(element, 'f') !== undefined) continue
        const text = cellText(xlsx, element)
        const count = text.match(pattern)?.length ?? 0
        if (count > 0) hits.push({ sheet, row: row.number, column, text, count })
        else if (texts.length < 20_000) texts.push(text)
      }
    }
  }
  const total = hits.reduce((sum, { count }) => sum + count, 0)
  if (total === 0) throw new Error(`${JSON.stringify(find)} was not found in any text cell.${nearestNote(find, texts)}`)
  if (total > 1 && !all)
    throw new Error(`${JSON.stringify(find)} occurs ${total} times. Set "all" to replace every one, or use set_cells.`)
  for (const { sheet, row, column, text } of hits) {
    noteCell(xlsx, sheet, row, column, () => {
      const cell = sheet.ensureCell(row, column)
      for (const node of cell.children.slice()) remove(node)
      writeText(
        cell,
        sheet.prefix,
        text.replace(pattern, () => replace),
      )
    })
    xlsx.changed.push({ sheet: sheet.name, range: { top: row, bottom: row, left: column, right: column } })
  }
}
