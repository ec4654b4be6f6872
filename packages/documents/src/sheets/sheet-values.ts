import { attribute, childNamed, childrenNamed } from '../xml/parse-xml.ts'
import { openZipFile } from '../zip/zip-file.ts'
import { maxColumn, maxRow } from './address.ts'
import { isTrue, workbookPart, xlsxPackage } from './xlsx-package.ts'
import { type RawCell, scanSheet } from './xlsx-rows.ts'
import { sharedStrings } from './xlsx-strings.ts'
import { formatCodes } from './xlsx-styles.ts'

/** A value as it is stored: a number without its format, a time as `2024-01-02 03:04:05.000`. */
export interface SheetValue {
  /** 1-based. */
  column: number
  kind: 'text' | 'number' | 'boolean' | 'time'
  text: string
}

const mostCells = 5_000_000

/** Reads the values of a sheet of an Excel workbook, row by row. Default: the first sheet. Throws an Error for the model. */
export async function readSheetValues(file: string, wanted?: string): Promise<SheetValue[][]> {
  const zip = await openZipFile(file)
  try {
    const pack = xlsxPackage(zip)
    const main = await workbookPart(pack)
    const root = await pack.xml(main)
    const book = root && childNamed(root, 'workbook')
    const list = childNamed(book, 'sheets')
    if (book === undefined || list === undefined)
      throw new Error('The workbook is damaged: it has no list of sheets. Ask for another copy.')
    const sheets = childrenNamed(list, 'sheet')
    const names = sheets.map((sheet) => attribute(sheet, 'name') ?? '')
    const at = wanted === undefined ? 0 : names.findIndex((name) => name.toLowerCase() === wanted.toLowerCase())
    const sheet = sheets[at]
    if (sheet === undefined)
      throw new Error(`There is no sheet "${wanted ?? ''}". There are: ${names.slice(0, 50).join(', ')}.`)
    const relations = await pack.relations(main)
    const target = (type: string): string | undefined => relations.find((relation) => relation.type === type)?.target
    const id = Object.entries(sheet.attributes).find(([name]) => name.endsWith(':id'))?.[1]
    const part = pack.part(relations.find((relation) => relation.id === id)?.target ?? '')
    if (part === undefined) throw new Error(`The sheet "${names[at] ?? ''}" has no cells.`)
    const range = { top: 1, left: 1, bottom: maxRow, right: maxColumn }
    const { rows, nextRow } = await scanSheet(part.read(), range, { most: mostCells, wantsTail: false })
    if (nextRow !== undefined)
      throw new Error('The sheet has more than 5,000,000 cells. Save it as CSV or Parquet first.')
    const needed = new Set<number>()
    for (const { cells } of rows) for (const { type, value } of cells) if (type === 's') needed.add(Number(value))
    const texts = await sharedStrings(pack.part(target('sharedStrings') ?? 'xl/sharedStrings.xml'))(needed)
    const codes = formatCodes(await pack.xml(target('styles') ?? 'xl/styles.xml'))
    const properties = childNamed(book, 'workbookPr')
    const firstDay = properties !== undefined && isTrue(attribute(properties, 'date1904')) ? 24_107 : 25_569
    const toValue = (cell: RawCell): SheetValue[] => {
      const { column, type, value, style } = cell
      if (type === 's') return [{ column, kind: 'text', text: texts.get(Number(value)) ?? '' }]
      if (value === '' || type === 'e') return []
      if (type === 'b') return [{ column, kind: 'boolean', text: String(isTrue(value)) }]
      if (type === 'd') return [{ column, kind: 'time', text: value.replace('T', ' ').replace('Z', '') }]
      const number = type === '' || type === 'n' ? Number(value) : Number.NaN
      if (!Number.isFinite(number)) return [{ column, kind: 'text', text: value }]
      if (!isTime(codes(style))) return [{ column, kind: 'number', text: value }]
      const time = new Date(Math.round((number - firstDay) * 86_400_000))
      return Number.isNaN(time.getTime())
        ? [{ column, kind: 'number', text: value }]
        : [{ column, kind: 'time', text: time.toISOString().replace('T', ' ').replace('Z', '') }]
    }
    return rows.map(({ cells }) => cells.flatMap(toValue)).filter((row) => row.length > 0)
  } finally {
    await zip.close()
  }
}

/** True for format codes that show a date or a time. Letters in quotes and brackets do not count. */
function isTime(code: string): boolean {
  return code !== 'General' && /[ymdhs]/i.test(code.replaceAll(/"[^"]*"|\\.|\[[^\]]*\]|General/gi, ''))
}
