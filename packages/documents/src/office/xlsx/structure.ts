import { columnName, columnNumber, maxColumn, maxRow } from '../../sheets/address.ts'
import type { OfficeActionOf } from '@troupe/core'
import {
  below,
  child,
  contentOf,
  type Element,
  elements,
  fragment,
  insertChildren,
  remove,
  setAttribute,
  setText,
  valueOf,
} from '../../xml/edit-xml.ts'
import { escapeXml, localName } from '../../xml/parse-xml.ts'
import { expandAllShared, writeCell } from './cells.ts'
import { shiftFormula } from './formulas.ts'
import { cellName, parseRange, rangeName, type Shift, shiftRange, shiftRangeList, shiftStretch } from './references.ts'
import { cellsOf, parsed, type Row, type Sheet } from './sheet.ts'
import { allSheets, definedNames, noteChange, openSheet, type Xlsx } from './workbook.ts'

export function shiftRows(
  xlsx: Xlsx,
  { action, sheet, row, count = 1 }: OfficeActionOf<'insert_rows'> | OfficeActionOf<'delete_rows'>,
): void {
  const isInsert = action === 'insert_rows'
  const own = openSheet(xlsx, sheet)
  shiftSheet(xlsx, own, { axis: 'row', at: row, count: isInsert ? count : -count })
  const rows = count === 1 ? `row ${row}` : `rows ${row} to ${row + count - 1}`
  noteChange(xlsx, `${own.name}: ${isInsert ? 'inserted' : 'deleted'} ${rows}`)
}

export function shiftColumns(
  xlsx: Xlsx,
  { action, sheet, column, count = 1 }: OfficeActionOf<'insert_columns'> | OfficeActionOf<'delete_columns'>,
): void {
  if (!/^[A-Za-z]{1,3}$/.test(column) || columnNumber(column) > maxColumn)
    throw new Error(`${JSON.stringify(column)} is not a column. Use a letter such as "C".`)
  const isInsert = action === 'insert_columns'
  const own = openSheet(xlsx, sheet)
  const at = columnNumber(column)
  shiftSheet(xlsx, own, { axis: 'column', at, count: isInsert ? count : -count })
  const columns =
    count === 1 ? `column ${columnName(at)}` : `columns ${columnName(at)} to ${columnName(at + count - 1)}`
  noteChange(xlsx, `${own.name}: ${isInsert ? 'inserted' : 'deleted'} ${columns}`)
}

/** Moves rows or columns with everything that refers to them, in this sheet and in others. */
function shiftSheet(xlsx: Xlsx, sheet: Sheet, shift: Shift): void {
  for (const each of allSheets(xlsx)) expandAllShared(each)
  refuseSplitArrays(sheet, shift)
  shiftTables(xlsx, sheet, shift)
  if (shift.axis === 'row') moveRows(sheet, shift)
  else moveColumns(sheet, shift)
  sheet.arrays = undefined
  shiftFrame(sheet, shift)
  for (const each of allSheets(xlsx)) shiftFormulas(each, sheet, shift)
  for (const name of definedNames(xlsx)) setShifted(name, '', sheet.name, shift)
  shiftRelated(xlsx, sheet, shift)
  xlsx.hasNewFormulas = true
  const { at } = shift
  xlsx.changed.push({
    sheet: sheet.name,
    range:
      shift.axis === 'row'
        ? { top: at, bottom: maxRow, left: 1, right: maxColumn }
        : { top: 1, bottom: maxRow, left: at, right: maxColumn },
  })
}

function refuseSplitArrays(sheet: Sheet, { axis, at, count }: Shift): void {
  for (const { formula } of sheet.formulas()) {
    const ref = valueOf(formula, 'ref')
    if (ref === undefined || valueOf(formula, 't') === 'shared') continue
    const range = parseRange(ref)
    const [first, last] = axis === 'row' ? [range.top, range.bottom] : [range.left, range.right]
    const end = count > 0 ? at : at - count - 1
    const isSplit =
      first !== last && at <= last && end >= first && (count > 0 ? at > first : !(at <= first && end >= last))
    if (isSplit) throw new Error(`the array formula in ${ref} would be split. Choose another place.`)
  }
}

function moveRows(sheet: Sheet, { at, count }: Shift): void {
  const kept: Row[] = []
  for (const row of sheet.rows) {
    if (row.number < at) kept.push(row)
    else if (count > 0 || row.number >= at - count) {
      const number = row.number + count
      if (number > maxRow) throw new Error('the sheet has no room for more rows.')
      kept.push(renumbered(row, number, sheet.prefix))
    }
  }
  sheet.rows = kept
  sheet.isChanged = true
}

/** Renames a row and its cells. Rows that were not parsed stay text. */
function renumbered(row: Row, number: number, prefix: string): Row {
  if (row.element === undefined) {
    const open = row.xml.indexOf('>')
    const head = row.xml.slice(0, open).replace(/(\sr\s*=\s*["'])\d+/, `$1${number}`)
    const cells = new RegExp(`(<${prefix}c\\b[^>]*?\\sr\\s*=\\s*["'][A-Za-z]+)\\d+`, 'g')
    return { number, xml: head + row.xml.slice(open).replace(cells, `$1${number}`) }
  }
  setAttribute(row.element, 'r', String(number))
  for (const { element, column } of cellsOf(row.element)) setAttribute(element, 'r', cellName({ row: number, column }))
  return { ...row, number }
}

function moveColumns(sheet: Sheet, shift: Shift): void {
  for (const row of sheet.rows) {
    const element = parsed(row)
    for (const { element: cell, column } of cellsOf(element).toReversed()) {
      const moved = shiftStretch([column, column], shift)
      if (moved === undefined) {
        if (shift.count > 0) throw new Error('the sheet has no room for more columns.')
        remove(cell)
      } else if (moved[0] !== column) setAttribute(cell, 'r', cellName({ row: row.number, column: moved[0] }))
    }
    setAttribute(element, 'spans', undefined)
  }
  sheet.isChanged = true
  const columns = child(sheet.root, 'cols')
  for (const column of elements(columns, 'col')) {
    const moved = shiftStretch([Number(valueOf(column, 'min')), Number(valueOf(column, 'max'))], shift)
    if (moved === undefined) remove(column)
    else {
      setAttribute(column, 'min', String(moved[0]))
      setAttribute(column, 'max', String(moved[1]))
    }
  }
  sheet.dropEmpty('cols')
}

const rangeLists: Record<string, string[]> = {
  mergeCell: ['ref'],
  hyperlink: ['ref'],
  autoFilter: ['ref'],
  sortState: ['ref'],
  sortCondition: ['ref'],
  dimension: ['ref'],
  conditionalFormatting: ['sqref'],
  dataValidation: ['sqref'],
  protectedRange: ['sqref'],
  ignoredError: ['sqref'],
  selection: ['sqref', 'activeCell'],
  pane: ['topLeftCell'],
  sheetView: ['topLeftCell'],
}

/** Moves everything around the rows: merged cells, filters, formats, validations, links. */
function shiftFrame(sheet: Sheet, shift: Shift): void {
  for (const element of below(sheet.root, ...Object.keys(rangeLists))) {
    const local = localName(element.name)
    for (const name of rangeLists[local] ?? []) {
      const old = valueOf(element, name)
      if (old === undefined || old === '') continue
      const moved = shiftRangeList(old, shift)
      if (moved !== undefined) setAttribute(element, name, moved)
      else if (local === 'selection' || name === 'topLeftCell' || local === 'dimension')
        setAttribute(element, name, 'A1')
      else remove(element)
    }
  }
  for (const merged of below(sheet.root, 'mergeCell')) if (!(valueOf(merged, 'ref') ?? '').includes(':')) remove(merged)
  const merges = child(sheet.root, 'mergeCells')
  if (merges !== undefined) setAttribute(merges, 'count', String(elements(merges).length))
  for (const group of ['mergeCells', 'hyperlinks', 'dataValidations', 'ignoredErrors']) sheet.dropEmpty(group)
  for (const list of below(sheet.root, 'sqref')) {
    const moved = shiftRangeList(contentOf(list), shift)
    if (moved !== undefined) setText(list, moved)
  }
  for (const line of below(sheet.root, shift.axis === 'row' ? 'rowBreaks' : 'colBreaks'))
    for (const mark of elements(line, 'brk')) {
      const moved = shiftStretch([Number(valueOf(mark, 'id')) + 1, Number(valueOf(mark, 'id')) + 1], shift)
      if (moved === undefined) remove(mark)
      else setAttribute(mark, 'id', String(moved[0] - 1))
    }
}

function shiftFormulas(sheet: Sheet, changed: Sheet, shift: Shift): void {
  for (const { formula } of sheet.formulas()) {
    if (setShifted(formula, sheet.name, changed.name, shift)) sheet.isChanged = true
    const ref = valueOf(formula, 'ref')
    if (sheet === changed && ref !== undefined) setAttribute(formula, 'ref', shiftRangeList(ref, shift) ?? ref)
  }
  for (const formula of below(sheet.root, 'formula', 'formula1', 'formula2', 'f'))
    setShifted(formula, sheet.name, changed.name, shift)
}

function setShifted(element: Element, own: string, changed: string, shift: Shift): boolean {
  const old = contentOf(element)
  const now = shiftFormula(old, own, changed, shift)
  if (now !== old) setText(element, now)
  return now !== old
}

function shiftTables(xlsx: Xlsx, sheet: Sheet, shift: Shift): void {
  for (const { kind, target } of xlsx.pkg.relationships(sheet.part)) {
    if (kind !== 'table' || !xlsx.pkg.has(target)) continue
    const table = xlsx.pkg.root(target)
    const range = parseRange(valueOf(table, 'ref') ?? 'A1')
    const { at, count, axis } = shift
    const end = count > 0 ? at : at - count - 1
    if (axis === 'row' && count < 0 && at <= range.top && end >= range.top && valueOf(table, 'headerRowCount') !== '0')
      throw new Error(
        `the rows contain the header of the table ${valueOf(table, 'displayName')}. Delete rows below it.`,
      )
    if (axis === 'column' && at <= range.right && end >= range.left) resizeTable(sheet, table, range, shift)
    const moved = shiftRange(range, shift)
    if (moved === undefined)
      throw new Error(`the whole table ${valueOf(table, 'displayName')} would be deleted. Delete it in Excel first.`)
    setAttribute(table, 'ref', rangeName(moved))
    const filter = child(table, 'autoFilter')
    const filtered = valueOf(filter, 'ref')
    if (filter !== undefined && filtered !== undefined)
      setAttribute(filter, 'ref', shiftRangeList(filtered, shift) ?? rangeName(moved))
  }
}

/** Adds or removes columns of a table, whose header cells must match their names. */
function resizeTable(sheet: Sheet, table: Element, range: ReturnType<typeof parseRange>, { at, count }: Shift): void {
  const columns = child(table, 'tableColumns')
  if (columns === undefined) return
  const all = elements(columns, 'tableColumn')
  if (count < 0) {
    for (const [index, column] of all.entries()) {
      const place = range.left + index
      if (place >= at && place < at - count) remove(column)
    }
  } else if (at > range.left) {
    const names = new Set(all.map((column) => (valueOf(column, 'name') ?? '').toLowerCase()))
    let id = Math.max(0, ...all.map((column) => Number(valueOf(column, 'id'))))
    const added = Array.from({ length: count }, (_, index) => {
      let number = all.length + index + 1
      while (names.has(`column${number}`)) number++
      names.add(`column${number}`)
      return {
        name: `Column${number}`,
        element: fragment(
          `<${table.name.replace('table', 'tableColumn')} id="${++id}" name="${escapeXml(`Column${number}`)}"/>`,
        )[0]!,
      }
    })
    const next = all[at - range.left]
    insertChildren(
      columns,
      next === undefined ? columns.children.length : columns.children.indexOf(next),
      added.map(({ element }) => element),
    )
    // Written once the cells have moved.
    if (valueOf(table, 'headerRowCount') !== '0')
      sheet.pending.push(...added.map(({ name }, index) => ({ row: range.top, column: at + index, text: name })))
  }
  setAttribute(columns, 'count', String(elements(columns, 'tableColumn').length))
}

/** Moves drawings, comments, charts and pivot tables. */
function shiftRelated(xlsx: Xlsx, sheet: Sheet, shift: Shift): void {
  for (const { row, column, text } of sheet.pending.splice(0)) writeCell(xlsx, sheet, row, column, text)
  const { pkg } = xlsx
  for (const { kind, target, isExternal } of pkg.relationships(sheet.part)) {
    if (isExternal || !pkg.has(target)) continue
    if (kind === 'drawing') shiftAnchors(pkg.root(target), shift)
    else if (kind === 'comments' || kind === 'threadedComment') {
      for (const comment of below(pkg.root(target), 'comment', 'threadedComment')) {
        const moved = shiftRangeList(valueOf(comment, 'ref') ?? 'A1', shift)
        if (moved === undefined) remove(comment)
        else setAttribute(comment, 'ref', moved)
      }
    } else if (kind === 'vmlDrawing') {
      const tag = shift.axis === 'row' ? 'Row' : 'Column'
      const old = pkg.text(target)
      const now = old.replace(
        new RegExp(`(<x:${tag}>)(\\d+)(</x:${tag}>)`, 'g'),
        (whole, open: string, digits: string, close: string) => {
          const moved = shiftStretch([Number(digits) + 1, Number(digits) + 1], shift)
          return moved === undefined ? whole : `${open}${moved[0] - 1}${close}`
        },
      )
      if (now !== old) pkg.set(target, now)
    } else if (kind === 'pivotTable') {
      const location = child(pkg.root(target), 'location')
      const ref = valueOf(location, 'ref')
      const moved = ref === undefined ? undefined : shiftRangeList(ref, shift)
      if (location !== undefined && moved !== undefined) setAttribute(location, 'ref', moved)
    }
  }
  for (const name of pkg.names()) {
    if (/(^|\/)charts\/chart[^/]*\.xml$/i.test(name)) {
      for (const formula of below(pkg.root(name), 'f')) setShifted(formula, '', sheet.name, shift)
    } else if (/pivotCacheDefinition[^/]*\.xml$/i.test(name)) {
      for (const source of below(pkg.root(name), 'worksheetSource')) {
        const ref = valueOf(source, 'ref')
        if (ref === undefined || valueOf(source, 'sheet')?.toLowerCase() !== sheet.name.toLowerCase()) continue
        setAttribute(source, 'ref', shiftRangeList(ref, shift) ?? ref)
      }
    }
  }
}

function shiftAnchors(drawing: Element, shift: Shift): void {
  const local = shift.axis === 'row' ? 'row' : 'col'
  for (const end of below(drawing, 'from', 'to')) {
    const place = child(end, local)
    if (place === undefined) continue
    const number = Number(contentOf(place)) + 1
    const moved = shiftStretch([number, number], shift)
    // A drawing on deleted cells stays at the edge.
    const now = moved?.[0] ?? shift.at
    if (now !== number) setText(place, String(now - 1))
  }
}
