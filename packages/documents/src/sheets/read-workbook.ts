import type { DocumentPart, DocumentText } from '@troupe/core'
import { maxCharacters } from '../reader.ts'
import {
  type CellRange,
  formatRange,
  formatReference,
  maxColumn,
  overlaps,
  parseRange,
  splitReference,
} from './address.ts'
import { oneLine, renderTable } from './markdown-table.ts'
import { reachesOutside, type SheetInfo, type SheetWindow, type UsedRange, type Workbook } from './workbook.ts'

type WorkbookText = Pick<DocumentText, 'facts' | 'text' | 'next' | 'notes' | 'cells'>

const everything: CellRange = { top: 1, left: 1, bottom: Infinity, right: maxColumn }
/** More cells cannot fit in one answer. */
const maxCells = 15_000
const maxSheets = 200
const maxNames = 50

/**
 * Reads a workbook as Markdown: an outline of its sheets, then rows of the visible ones until the answer is full. With
 * `sheet`, `range` or `offset`, only those cells.
 */
export async function readWorkbook(
  workbook: Workbook,
  part: DocumentPart,
  isLate: () => boolean,
): Promise<WorkbookText> {
  if (part.pages !== undefined) throw new Error('A workbook has sheets instead of pages. Use "sheet" and "range".')
  if (part.cells === true) return readCells(workbook, part)
  const target = targetOf(workbook, part)
  if (target !== undefined) return readTarget(workbook, target, part)
  const notes = [...workbook.notes]
  const used = new Map<SheetInfo, UsedRange | undefined>()
  for (const sheet of workbook.sheets.slice(0, maxSheets))
    if (sheet.without === undefined && !isLate()) used.set(sheet, await workbook.used(sheet))
  const outline = outlineOf(workbook, used)
  const sections: string[] = [outline]
  let room = maxCharacters - outline.length
  let next: DocumentPart | undefined
  const shown = workbook.sheets.filter((sheet) => sheet.state === 'visible' && used.get(sheet) !== undefined)
  for (const sheet of part.outline === true ? [] : shown) {
    if (room < 500 || isLate()) {
      next = { sheet: sheet.name }
      break
    }
    const { text, nextRow } = await readSection(workbook, sheet, everything, room, notes)
    sections.push(text)
    room -= text.length
    if (nextRow !== undefined) {
      next = { sheet: sheet.name, offset: nextRow }
      break
    }
  }
  return {
    facts: factsOf(workbook),
    text: sections.filter((section) => section !== '').join('\n\n'),
    next,
    notes: notes.length === 0 ? undefined : notes,
  }
}

interface Target {
  sheet: SheetInfo
  range: CellRange
}

async function readTarget(workbook: Workbook, { sheet, range }: Target, part: DocumentPart): Promise<WorkbookText> {
  const notes = [...workbook.notes]
  const { text, nextRow } = await readSection(workbook, sheet, range, maxCharacters, notes)
  // A last row of Infinity means that the part named none.
  const isOpen = range.bottom === Infinity && range.left === 1 && range.right === maxColumn
  const next =
    nextRow === undefined
      ? undefined
      : isOpen || part.range === undefined
        ? { sheet: sheet.name, offset: nextRow, limit: leftOf(range, nextRow) }
        : {
            sheet: sheet.name,
            range: formatRange({ ...range, top: nextRow, bottom: Math.min(range.bottom, 1_048_576) }),
          }
  return { facts: factsOf(workbook), text, next, notes: notes.length === 0 ? undefined : notes }
}

function leftOf({ bottom }: CellRange, row: number): number | undefined {
  return bottom === Infinity ? undefined : bottom - row + 1
}

/** One sheet as a heading, a table and what belongs to its cells. */
async function readSection(
  workbook: Workbook,
  sheet: SheetInfo,
  range: CellRange,
  room: number,
  notes: string[],
): Promise<{ text: string; nextRow?: number | undefined }> {
  if (sheet.without !== undefined)
    return { text: `## ${oneLine(sheet.name)}\n\nThis sheet has no cells (${sheet.without}).` }
  const window = await workbook.window(sheet, range, Math.min(maxCells, Math.ceil(room / 3)))
  const details = window.details.join('\n').slice(0, Math.ceil(room / 3))
  const table = renderTable(window, { most: room - details.length })
  const anchor = table.range === undefined ? oneLine(sheet.name) : formatReference(sheet.name, table.range)
  const lines = [`## ${anchor}${sheet.state === 'hidden' ? ' (hidden sheet)' : ''}`, '']
  lines.push(table.text === '' ? 'There are no values in this range.' : table.text)
  if (table.nextColumn !== undefined)
    lines.push(
      '',
      `More columns follow. Read them with "range": "${formatRange({ ...range, left: table.nextColumn, bottom: Math.min(range.bottom, 1_048_576) })}".`,
    )
  const merged = mergedLine(window, table.range)
  if (merged !== undefined) lines.push('', merged)
  if (details !== '') lines.push(details)
  addFormulaNote(sheet, window, notes)
  return { text: lines.join('\n'), nextRow: table.nextRow }
}

function mergedLine({ merged }: SheetWindow, range: CellRange | undefined): string | undefined {
  if (range === undefined) return undefined
  const inside = merged.filter((cells) => overlaps(cells, range))
  if (inside.length === 0) return undefined
  const more = inside.length > 50 ? ` and ${inside.length - 50} more` : ''
  return `Merged cells: ${inside.slice(0, 50).map(formatRange).join(', ')}${more}.`
}

function addFormulaNote(sheet: SheetInfo, { rows }: SheetWindow, notes: string[]): void {
  const cells: string[] = []
  for (const { number, cells: row } of rows)
    for (const { column, formula } of row)
      if (formula !== undefined && reachesOutside(formula) && cells.length < 20)
        cells.push(formatReference(sheet.name, { top: number, bottom: number, left: column, right: column }))
  if (cells.length > 0)
    notes.push(
      `Formulas that load data or start programs were not evaluated: ${cells.join(', ')}. Their values are the stored ones.`,
    )
}

function outlineOf(workbook: Workbook, used: ReadonlyMap<SheetInfo, UsedRange | undefined>): string {
  if (workbook.outline !== undefined) return workbook.outline
  const lines = workbook.sheets.slice(0, maxSheets).map((sheet) => {
    const cells = used.get(sheet)
    const size =
      sheet.without ??
      (cells === undefined
        ? used.has(sheet)
          ? 'empty'
          : 'not measured'
        : `${formatRange(cells.range)}${cells.doubt === undefined ? '' : `, ${cells.doubt}`}`)
    return `- ${oneLine(sheet.name)}: ${size}${sheet.state === 'hidden' ? ' (hidden)' : ''}`
  })
  if (workbook.sheets.length > maxSheets) lines.push(`- and ${workbook.sheets.length - maxSheets} more`)
  const parts = [`Sheets:\n${lines.join('\n')}`]
  if (workbook.names.length > 0) {
    const names = workbook.names
      .slice(0, maxNames)
      .map(({ name, refersTo }) => `- ${oneLine(name)}: ${oneLine(refersTo)}`)
    if (workbook.names.length > maxNames) names.push(`- and ${workbook.names.length - maxNames} more`)
    parts.push(`Defined names:\n${names.join('\n')}`)
  }
  return parts.join('\n\n')
}

function factsOf({ sheets, facts }: Workbook): string {
  if (facts !== undefined) return facts
  const hidden = sheets.filter(({ state }) => state === 'hidden').length
  return `${sheets.length} ${sheets.length === 1 ? 'sheet' : 'sheets'}${hidden === 0 ? '' : `, ${hidden} hidden`}`
}

/** The cells that a part asks for. Undefined if it asks for the whole workbook. */
function targetOf(workbook: Workbook, part: DocumentPart): Target | undefined {
  const { sheet: name, range: text, offset, limit } = part
  if (name === undefined && text === undefined && offset === undefined && limit === undefined) return undefined
  const reference = text === undefined ? undefined : referenceOf(workbook, text)
  const sheet = findSheet(workbook, reference?.sheet ?? name)
  const range = reference === undefined ? everything : parseRange(reference.cells)
  if (range === undefined)
    throw new Error(`"${text}" is no range of cells. Use one such as "B4:D20", or a defined name of the workbook.`)
  const top = Math.max(range.top, offset ?? 1)
  const bottom = Math.min(range.bottom, limit === undefined ? Infinity : top + limit - 1)
  return { sheet, range: { ...range, top, bottom } }
}

function referenceOf(workbook: Workbook, text: string): { sheet?: string; cells: string } {
  const name = workbook.names.find((one) => one.name.toLowerCase() === text.trim().toLowerCase())
  return splitReference(name?.refersTo.replace(/^=/, '') ?? text)
}

function findSheet({ sheets }: Workbook, name: string | undefined): SheetInfo {
  if (name === undefined) {
    const first = sheets.find(({ state, without }) => state === 'visible' && without === undefined) ?? sheets[0]
    if (first === undefined) throw new Error('The workbook has no sheets.')
    return first
  }
  const key = name.trim().toLowerCase()
  const found =
    sheets.find((sheet) => sheet.name === name) ??
    sheets.find((sheet) => sheet.name.trim().toLowerCase() === key) ??
    (/^\d+$/.test(key) ? sheets[Number(key) - 1] : undefined)
  if (found !== undefined) return found
  const list = sheets.slice(0, 30).map((sheet) => JSON.stringify(sheet.name))
  throw new Error(`There is no sheet "${name.slice(0, 100)}". The sheets are ${list.join(', ')}.`)
}

const maxGridRows = 1000
const maxGridColumns = 256
const maxGridCells = 50_000

/** The cells of a range as data, with the extent of every sheet if the part names no range. */
async function readCells(workbook: Workbook, part: DocumentPart): Promise<WorkbookText> {
  const { sheet, range } = targetOf(workbook, part) ?? { sheet: findSheet(workbook, undefined), range: everything }
  const bounded = {
    ...range,
    bottom: Math.min(range.bottom, range.top + maxGridRows - 1),
    right: Math.min(range.right, range.left + maxGridColumns - 1),
  }
  const window = sheet.without === undefined ? await workbook.window(sheet, bounded, maxGridCells) : undefined
  const used = part.range === undefined && sheet.without === undefined ? await workbook.used(sheet) : undefined
  return {
    facts: factsOf(workbook),
    text: '',
    notes: workbook.notes.length === 0 ? undefined : workbook.notes,
    cells: {
      sheets: workbook.sheets.slice(0, maxSheets).map(({ name, state }) => ({ name, isHidden: state === 'hidden' })),
      sheet: sheet.name,
      rows: used?.range.bottom,
      columns: used?.range.right,
      read: (window?.rows ?? []).map(({ number, isHidden, cells }) => ({
        number,
        isHidden,
        cells: cells.map(({ column, text, formula, isNumber }) => ({
          column,
          text: text.length > 5000 ? `${text.slice(0, 5000)}…` : text,
          formula,
          isNumber,
        })),
      })),
      nextRow: window?.nextRow,
      merged: (window?.merged ?? []).filter((cells) => overlaps(cells, bounded)).slice(0, 1000),
    },
  }
}
