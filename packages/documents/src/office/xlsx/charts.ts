import type { OfficeActionOf } from '@troupe/core'
import { append, child, fragment, setAttribute } from '../../xml/edit-xml.ts'
import { chartAddress, chartType, chartXml } from '../shared/chart-xml.ts'
import { declaration, declarePrefix } from '../shared/package.ts'
import { emuPerCm } from '../shared/pictures.ts'
import { quotedSheet } from './formulas.ts'
import { cellName, parseCell, parseRange, type Range } from './references.ts'
import type { Sheet } from './sheet.ts'
import { cellText, noteChange, openSheet, type Xlsx } from './workbook.ts'

const drawingAddress = 'http://schemas.openxmlformats.org/drawingml/2006'
const maxPoints = 50_000

/** Adds a chart of ranges to a sheet. */
export function addSheetChart(xlsx: Xlsx, action: OfficeActionOf<'add_chart'>): void {
  const sheet = openSheet(xlsx, action.sheet)
  if (typeof action.categories !== 'string') throw new Error('"categories" must be a range such as "A2:A9".')
  const categories = source(xlsx, sheet, action.categories)
  const series = action.series.map(({ name, values }) => {
    if (typeof values !== 'string') throw new Error('The values of a series must be a range such as "B2:B9".')
    const found = source(xlsx, sheet, values)
    return {
      name,
      reference: found.reference,
      values: found.values.map((value) => (value === '' || Number.isNaN(Number(value)) ? undefined : Number(value))),
    }
  })
  const chart = xlsx.pkg.add(
    'xl/charts/chart%.xml',
    chartXml({ type: action.type, title: action.title, categories, series }),
    chartType,
  )
  place(xlsx, sheet, chart, action)
  noteChange(
    xlsx,
    `${sheet.name}: ${action.type} chart ${action.title ?? ''} of ${action.series.map(({ values }) => String(values)).join(', ')}`,
  )
}

/** The values of a range, on this sheet or another one that it names. */
function source(xlsx: Xlsx, own: Sheet, given: string): { reference: string; values: string[] } {
  const at = given.lastIndexOf('!')
  const name = at === -1 ? undefined : given.slice(0, at).replace(/^'|'$/g, '').replaceAll("''", "'")
  const sheet = name === undefined ? own : openSheet(xlsx, name)
  const range = parseRange(given.slice(at + 1))
  if ((range.bottom - range.top + 1) * (range.right - range.left + 1) > maxPoints)
    throw new Error(`${given} has more than ${maxPoints} cells.`)
  return { reference: `${quotedSheet(sheet.name)}!${fixed(range)}`, values: valuesOf(xlsx, sheet, range) }
}

function fixed({ top, left, bottom, right }: Range): string {
  const name = (row: number, column: number): string => cellName({ row, column }).replace(/^([A-Z]+)(\d+)$/, '$$$1$$$2')
  return top === bottom && left === right ? name(top, left) : `${name(top, left)}:${name(bottom, right)}`
}

function valuesOf(xlsx: Xlsx, sheet: Sheet, range: Range): string[] {
  const values: string[] = []
  for (let row = range.top; row <= range.bottom; row++)
    for (let column = range.left; column <= range.right; column++) {
      const text = cellText(xlsx, sheet.cell(row, column))
      values.push(text.startsWith('=') ? '' : text)
    }
  return values
}

function place(xlsx: Xlsx, sheet: Sheet, chart: string, action: OfficeActionOf<'add_chart'>): void {
  const { pkg } = xlsx
  let drawing = pkg.related(sheet.part, 'drawing')
  if (drawing === undefined || child(sheet.root, 'drawing') === undefined) {
    drawing = pkg.add(
      'xl/drawings/drawing%.xml',
      `${declaration}<xdr:wsDr xmlns:xdr="${drawingAddress}/spreadsheetDrawing" xmlns:a="${drawingAddress}/main"/>`,
      'application/vnd.openxmlformats-officedocument.drawing+xml',
    )
    const id = pkg.relate(sheet.part, 'drawing', drawing)
    declarePrefix(sheet.root, 'r', 'http://schemas.openxmlformats.org/officeDocument/2006/relationships')
    setAttribute(sheet.ensure('drawing'), 'r:id', id)
  }
  const root = pkg.root(drawing)
  declarePrefix(root, 'xdr', `${drawingAddress}/spreadsheetDrawing`)
  declarePrefix(root, 'a', `${drawingAddress}/main`)
  const id = pkg.relate(drawing, 'chart', chart)
  const from = parseCell(action.cell ?? 'E2')
  const [width, height] = [Math.round((action.width ?? 15) * emuPerCm), Math.round((action.height ?? 8) * emuPerCm)]
  const number = root.children.length + 2
  append(
    root,
    ...fragment(
      `<xdr:oneCellAnchor><xdr:from><xdr:col>${from.column - 1}</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>${from.row - 1}</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:from><xdr:ext cx="${width}" cy="${height}"/><xdr:graphicFrame macro=""><xdr:nvGraphicFramePr><xdr:cNvPr id="${number}" name="Chart ${number}"/><xdr:cNvGraphicFramePr/></xdr:nvGraphicFramePr><xdr:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/></xdr:xfrm><a:graphic><a:graphicData uri="${chartAddress}"><c:chart xmlns:c="${chartAddress}" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:id="${id}"/></a:graphicData></a:graphic></xdr:graphicFrame><xdr:clientData/></xdr:oneCellAnchor>`,
    ),
  )
}
