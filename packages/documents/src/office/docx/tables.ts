import type { OfficeActionOf } from '@troupe/core'
import {
  append,
  below,
  child,
  copyOf,
  type Element,
  elements,
  fragment,
  insertAfter,
  insertBefore,
  remove,
  valueOf,
} from '../../xml/edit-xml.ts'
import { localName } from '../../xml/parse-xml.ts'
import { nearestNote } from '../shared/nearest.ts'
import type { Docx } from './document.ts'
import { fieldRuns, replaceStretch, replaceTracked, textElements, textOfParagraph } from './paragraph-text.ts'
import { marks } from './paragraphs.ts'

export function findTable(docx: Docx, wanted: number | string): Element {
  const tables = below(docx.body, 'tbl')
  if (tables.length === 0) throw new Error('The document has no tables.')
  if (typeof wanted === 'number') {
    const table = tables[wanted - 1]
    if (table === undefined) throw new Error(`There is no table ${wanted}; the document has ${tables.length}.`)
    return table
  }
  const texts = tables.map((table) => cellTexts(table).flat().join(' | '))
  const hits = tables.filter((_, index) => texts[index]!.includes(wanted))
  if (hits.length === 1) return hits[0]!
  if (hits.length > 1)
    throw new Error(`${hits.length} tables contain ${JSON.stringify(wanted)}. Use the number of the table.`)
  throw new Error(`No table contains ${JSON.stringify(wanted)}.${nearestNote(wanted, texts)}`)
}

export function rowsOf(table: Element): Element[] {
  return [
    ...elements(table, 'tr'),
    ...elements(table, 'sdt').flatMap((sdt) => elements(child(sdt, 'sdtContent'), 'tr')),
  ]
}

function cellsOf(row: Element): Element[] {
  return elements(row).flatMap((each) => {
    const local = localName(each.name)
    if (local === 'tc') return [each]
    return local === 'sdt' ? elements(child(each, 'sdtContent'), 'tc') : []
  })
}

export function cellTexts(table: Element): string[][] {
  const fields = new Set<Element>()
  return rowsOf(table).map((row) =>
    cellsOf(row).map((cell) =>
      below(cell, 'p')
        .map((paragraph) => textOfParagraph(paragraph, fields).text)
        .join(' '),
    ),
  )
}

export function setTableCells(docx: Docx, { table: wanted, cells, tracked }: OfficeActionOf<'set_table_cells'>): void {
  const table = findTable(docx, wanted)
  const mark = tracked === true ? marks(docx) : undefined
  for (const { row, column, text } of cells) {
    const own = rowAt(table, row)
    const cell = cellsOf(own)[column - 1]
    if (cell === undefined)
      throw new Error(`Row ${row} of the table has ${cellsOf(own).length} cells; there is no column ${column}.`)
    writeCell(docx, cell, text, mark)
  }
}

/** Replaces the text of a cell. Its first paragraph and that one's first run give the look. */
function writeCell(docx: Docx, cell: Element, text: string, mark?: () => string): void {
  const [first, ...rest] = elements(cell, 'p')
  if (first === undefined) {
    append(cell, ...fragment('<w:p><w:r/></w:p>'))
    append(child(cell, 'p', 'r')!, ...textElements(text))
    return
  }
  if (mark === undefined) for (const paragraph of rest) remove(paragraph)
  const fields = fieldRuns(docx.root)
  const old = textOfParagraph(first, fields)
  if (old.segments.some(({ isField }) => isField))
    throw new Error('The cell contains a field, whose result is computed. Leave it, or delete the row.')
  if (old.text === '') {
    const like = child(first, 'pPr', 'rPr')
    const [run] = fragment('<w:r/>') as [Element]
    if (like !== undefined) append(run, copyOf(like))
    append(run, ...textElements(text))
    if (mark === undefined) append(first, run)
    else {
      const [inserted] = fragment(`<w:ins ${mark()}/>`) as [Element]
      append(inserted, run)
      append(first, inserted)
    }
  } else if (mark === undefined) replaceStretch(old, { from: 0, to: old.text.length }, text)
  else replaceTracked(first, fields, { from: 0, to: old.text.length }, text, mark)
}

export function insertTableRows(docx: Docx, { table: wanted, row, rows }: OfficeActionOf<'insert_table_rows'>): void {
  const table = findTable(docx, wanted)
  const all = rowsOf(table)
  if (row > all.length + 1)
    throw new Error(`The table has ${all.length} rows, so a row can be inserted at 1 to ${all.length + 1}.`)
  const model = all[Math.max(row === 1 ? 0 : 1, row - 2)] ?? all[all.length - 1]
  if (model === undefined) throw new Error('The table has no rows to copy.')
  const added = rows.map((texts) => {
    const copy = copyOf(model)
    const properties = child(copy, 'trPr')
    for (const each of elements(properties)) if (/^(tblHeader|ins|del)$/.test(localName(each.name))) remove(each)
    for (const id of Object.keys(copy.attributes).filter((name) => /paraId|textId/i.test(name)))
      delete copy.attributes[id]
    copy.isRetagged = true
    const cells = cellsOf(copy)
    if (texts.length > cells.length)
      throw new Error(`A row of the table has ${cells.length} cells, but ${texts.length} were given.`)
    for (const [index, cell] of cells.entries()) {
      for (const merge of below(cell, 'vMerge')) if (valueOf(merge, 'val') !== 'restart') remove(merge)
      for (const marked of below(cell, 'del', 'bookmarkStart', 'bookmarkEnd', 'commentRangeStart', 'commentRangeEnd'))
        remove(marked)
      writeCell(docx, cell, texts[index] ?? '')
    }
    return copy
  })
  const next = all[row - 1]
  if (next === undefined) insertAfter(all.at(-1)!, ...added)
  else insertBefore(next, ...added)
}

export function deleteTableRows(
  docx: Docx,
  { table: wanted, row, count = 1 }: OfficeActionOf<'delete_table_rows'>,
): void {
  const table = findTable(docx, wanted)
  const all = rowsOf(table)
  rowAt(table, row + count - 1)
  if (count >= all.length) remove(table)
  else for (const each of all.slice(row - 1, row - 1 + count)) remove(each)
}

function rowAt(table: Element, row: number): Element {
  const rows = rowsOf(table)
  const found = rows[row - 1]
  if (found === undefined) throw new Error(`The table has ${rows.length} rows; there is no row ${row}.`)
  return found
}
