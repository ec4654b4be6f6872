import { parseRange } from './address.ts'
import { attribute, childNamed, childrenNamed, descendants, parseXml, type XmlElement } from '../xml/parse-xml.ts'
import type { ZipFile } from '../zip/zip-file.ts'
import { type FormatNumber, loadFormatter } from './format-value.ts'
import type { SheetCell, SheetInfo, SheetRow, Workbook } from './workbook.ts'
import { definedNames, hiddenColumns, mergedRanges, sheetDetails } from './xlsx-details.ts'
import { isTrue, workbookPart, type XlsxPackage, xlsxPackage } from './xlsx-package.ts'
import { type RawCell, type RawRow, scanSheet, scanUsedRange } from './xlsx-rows.ts'
import { sharedStrings } from './xlsx-strings.ts'
import { formatCodes } from './xlsx-styles.ts'

/** Sheets up to this size are read to their end, for what follows the rows: merged cells, links, allowed values. */
const wholeBytes = 96 * 2 ** 20

interface XlsxSheet extends SheetInfo {
  part: string
}

/** Opens an Office Open XML workbook. The zip must stay open while the workbook is used. */
export async function openXlsx(zip: ZipFile): Promise<Workbook> {
  const pack = xlsxPackage(zip)
  const main = await workbookPart(pack)
  const root = await pack.xml(main)
  const book = root && childNamed(root, 'workbook')
  if (book === undefined)
    throw new Error('The workbook is damaged: its list of sheets cannot be read. Ask for another copy.')
  const relations = await pack.relations(main)
  const target = (type: string): string | undefined => relations.find((relation) => relation.type === type)?.target
  const properties = childNamed(book, 'workbookPr')
  const is1904 = properties !== undefined && isTrue(attribute(properties, 'date1904'))
  const strings = sharedStrings(pack.part(target('sharedStrings') ?? 'xl/sharedStrings.xml'))
  const codes = formatCodes(await pack.xml(target('styles') ?? 'xl/styles.xml'))
  let loading: Promise<FormatNumber> | undefined
  const sheets: XlsxSheet[] = []
  for (const sheet of sheetElements(book)) {
    const id = Object.entries(sheet.attributes).find(([name]) => name.endsWith(':id'))?.[1]
    const relation = relations.find((one) => one.id === id)
    const kind =
      relation?.type === 'chartsheet' ? 'a chart sheet' : relation?.type === 'dialogsheet' ? 'a dialog' : undefined
    sheets.push({
      name: attribute(sheet, 'name') ?? '',
      state: (attribute(sheet, 'state') ?? 'visible') === 'visible' ? 'visible' : 'hidden',
      part: relation?.target ?? '',
      without: kind ?? (pack.part(relation?.target ?? '') === undefined ? 'missing in the file' : undefined),
    })
  }
  const partOf = (sheet: SheetInfo) => pack.part((sheet as XlsxSheet).part)

  return {
    sheets,
    names: definedNames(book),
    notes: await workbookNotes(pack, main),
    async used(sheet) {
      const part = partOf(sheet)
      if (part === undefined) return undefined
      if (part.size <= wholeBytes) {
        const range = await scanUsedRange(part.read())
        return range && { range }
      }
      const { head } = await scanSheet(
        part.read(),
        { top: 1, bottom: 0, left: 1, right: 1 },
        { most: 1, wantsTail: false },
      )
      const dimension = [...descendants(parseXml(head), 'dimension')][0]
      const range = parseRange((dimension && attribute(dimension, 'ref')) ?? '')
      return range && { range, doubt: 'as declared in the file' }
    },
    async window(sheet, range, most) {
      const part = partOf(sheet)
      if (part === undefined) return { rows: [], hiddenColumns: [], merged: [], details: [] }
      const wantsTail = part.size <= wholeBytes
      const scan = await scanSheet(part.read(), range, { most, wantsTail })
      const needed = new Set<number>()
      for (const { cells } of scan.rows)
        for (const { type, value } of cells) if (type === 's') needed.add(Number(value))
      const texts = await strings(needed)
      loading ??= loadFormatter(is1904)
      const format = await loading
      const toCell = (cell: RawCell): SheetCell => ({
        column: cell.column,
        formula: cell.formula,
        isNumber: cell.type === '' || cell.type === 'n',
        text: cellText(cell, texts, (value) => format(value, codes(cell.style))),
      })
      const toRow = ({ number, isHidden, cells }: RawRow): SheetRow => ({ number, isHidden, cells: cells.map(toCell) })
      const tail = parseXml(scan.tail ?? '')
      const details = await sheetDetails(pack, await pack.relations((sheet as XlsxSheet).part), tail, range)
      if (!wantsTail) details.push('', 'The sheet is very long: merged cells, links and allowed values were not read.')
      return {
        rows: scan.rows.map(toRow),
        nextRow: scan.nextRow,
        hiddenColumns: hiddenColumns(parseXml(scan.head)),
        merged: mergedRanges(tail),
        details,
      }
    },
  }
}

function sheetElements(book: XmlElement): XmlElement[] {
  const list = childNamed(book, 'sheets')
  return list === undefined ? [] : childrenNamed(list, 'sheet')
}

function cellText(cell: RawCell, texts: ReadonlyMap<number, string>, format: (value: number) => string): string {
  const { type, value } = cell
  if (type === 's') return texts.get(Number(value)) ?? ''
  if (type === 'b') return value === '1' || value === 'true' ? 'TRUE' : 'FALSE'
  if (type === '' || type === 'n') {
    if (value === '') return ''
    const number = Number(value)
    return Number.isNaN(number) ? value : format(number)
  }
  if (type === 'd') return value.replace(/T00:00:00(?:\.0+)?Z?$/, '').replace('T', ' ')
  return value
}

async function workbookNotes(pack: XlsxPackage, main: string): Promise<string[]> {
  const notes: string[] = []
  const macros = pack.names().filter((name) => /vbaproject\.bin$|\/macrosheets\//.test(name))
  if (macros.length > 0) notes.push(`The workbook has macros (${macros.join(', ')}). They were not run.`)
  const links: string[] = []
  let hasDde = false
  for (const [index, { target }] of (await pack.relations(main))
    .filter(({ type }) => type === 'externalLink')
    .slice(0, 100)
    .entries()) {
    const root = await pack.xml(target)
    if (root !== undefined && [...descendants(root, 'ddeLink')].length > 0) hasDde = true
    const outside = (await pack.relations(target)).find(({ isExternal }) => isExternal)?.target
    if (outside !== undefined) links.push(`[${index + 1}] ${outside.slice(0, 200)}`)
  }
  if (links.length > 0) notes.push(`Formulas refer to other files, which were not opened: ${links.join(', ')}.`)
  if (hasDde) notes.push('The workbook has DDE links to other programs. They were not followed.')
  const connections = pack.names().includes('xl/connections.xml') ? await pack.xml('xl/connections.xml') : undefined
  if (connections !== undefined) {
    const names = [...descendants(connections, 'connection')].map((one) => attribute(one, 'name') ?? '')
    notes.push(`The workbook has data connections, which were not used: ${names.slice(0, 20).join(', ')}.`)
  }
  return notes
}
