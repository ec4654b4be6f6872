import type { OfficeActionOf } from '@troupe/core'
import { columnNumber, maxColumn, maxRow } from '../../sheets/address.ts'
import {
  append,
  child,
  type Element,
  elements,
  fragment,
  insertChildren,
  prefixOf,
  remove,
  setAttribute,
  setText,
  valueOf,
} from '../../xml/edit-xml.ts'
import { escapeXml } from '../../xml/parse-xml.ts'
import { addFirst, derivedStyle, entry, hex, stylesRoot } from './cell-styles.ts'
import { cellName, parseCell, parseRange, rangeName } from './references.ts'
import { cellsOf, parsed } from './sheet.ts'
import { definedNames, noteChange, openSheet, type Xlsx } from './workbook.ts'

const maxFormattedCells = 200_000

export function formatCells(xlsx: Xlsx, action: OfficeActionOf<'format_cells'>): void {
  const sheet = openSheet(xlsx, action.sheet)
  const range = parseRange(action.range)
  const styles = stylesRoot(xlsx)
  const made = new Map<string, string>()
  const styleFor = (old: string): string => {
    const known = made.get(old)
    if (known !== undefined) return known
    const style = derivedStyle(styles, Number(old), action)
    made.set(old, style)
    return style
  }
  const isWholeColumns = range.top === 1 && range.bottom === maxRow
  const isWholeRows = range.left === 1 && range.right === maxColumn
  if (isWholeColumns) setColumns(xlsx, sheet.name, range.left, range.right, (old) => ({ style: styleFor(old ?? '0') }))
  const size = (range.bottom - range.top + 1) * (range.right - range.left + 1)
  if (isWholeColumns || isWholeRows) {
    for (const row of sheet.rows) {
      if (row.number < range.top || row.number > range.bottom) continue
      for (const { element, column } of cellsOf(parsed(row)))
        if (column >= range.left && column <= range.right)
          setAttribute(element, 's', styleFor(valueOf(element, 's') ?? '0'))
    }
    sheet.isChanged = true
  } else {
    if (size > maxFormattedCells)
      throw new Error(`the range has ${size} cells. Format whole columns ("A:D") or a smaller range.`)
    for (let row = range.top; row <= range.bottom; row++)
      for (let column = range.left; column <= range.right; column++) {
        const cell = sheet.ensureCell(row, column)
        setAttribute(cell, 's', styleFor(valueOf(cell, 's') ?? '0'))
      }
  }
  noteChange(xlsx, `${sheet.name}!${action.range}: format ${describe(action)}`)
}

function describe({ action: _, sheet: __, range: ___, ...look }: OfficeActionOf<'format_cells'>): string {
  return Object.entries(look)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ')
}

/** Sets facts of columns. Splits definitions that cover more columns. */
function setColumns(
  xlsx: Xlsx,
  sheetName: string,
  first: number,
  last: number,
  change: (style: string | undefined) => { style?: string; width?: number },
): void {
  const sheet = openSheet(xlsx, sheetName)
  const list = sheet.ensure('cols')
  const p = sheet.prefix
  const old = elements(list, 'col')
  const at = (column: number): Element | undefined =>
    old.find((each) => Number(valueOf(each, 'min')) <= column && column <= Number(valueOf(each, 'max')))
  const made: { min: number; max: number; xml: (min: number, max: number) => string }[] = []
  const push = (
    min: number,
    max: number,
    like: Element | undefined,
    facts: { style?: string; width?: number },
  ): void => {
    const attributes: Record<string, string> = { ...like?.attributes }
    if (facts.style !== undefined) attributes['style'] = facts.style
    if (facts.width !== undefined) {
      attributes['width'] = String(facts.width)
      attributes['customWidth'] = '1'
      delete attributes['hidden']
      delete attributes['bestFit']
    }
    attributes['width'] ??= '9.140625'
    made.push({
      min,
      max,
      xml: (a, b) =>
        `<${p}col${Object.entries({ ...attributes, min: String(a), max: String(b) })
          .map(([name, value]) => ` ${name}="${escapeXml(value)}"`)
          .join('')}/>`,
    })
  }
  for (const each of old) {
    const [min, max] = [Number(valueOf(each, 'min')), Number(valueOf(each, 'max'))]
    if (min < first) push(min, Math.min(max, first - 1), each, {})
    if (max > last) push(Math.max(min, last + 1), max, each, {})
  }
  for (let column = first; column <= last;) {
    const like = at(column)
    const end =
      like === undefined
        ? Math.min(last, ...old.map((each) => Number(valueOf(each, 'min')) - 1).filter((each) => each >= column))
        : Math.min(last, Number(valueOf(like, 'max')))
    push(column, end, like, change(valueOf(like, 'style')))
    column = end + 1
  }
  for (const each of old) remove(each)
  append(list, ...made.toSorted((a, b) => a.min - b.min).flatMap(({ min, max, xml }) => fragment(xml(min, max))))
}

export function columnWidth(xlsx: Xlsx, { sheet: name, columns, width }: OfficeActionOf<'column_width'>): void {
  const match = /^([A-Za-z]{1,3})(?::([A-Za-z]{1,3}))?$/.exec(columns.trim())
  if (match === null) throw new Error(`${JSON.stringify(columns)} are no columns. Use "A" or "B:D".`)
  const sheet = openSheet(xlsx, name)
  const [first, last] = [columnNumber(match[1]!), columnNumber(match[2] ?? match[1]!)]
  setColumns(xlsx, sheet.name, Math.min(first, last), Math.max(first, last), () => ({ width }))
  noteChange(xlsx, `${sheet.name}!${columns}: width ${width}`)
}

export function freeze(xlsx: Xlsx, { sheet: name, cell }: OfficeActionOf<'freeze'>): void {
  const sheet = openSheet(xlsx, name)
  const { row, column } = parseCell(cell)
  const views = sheet.ensure('sheetViews')
  const p = sheet.prefix
  const view = child(views, 'sheetView') ?? addFirst(views, `<${p}sheetView workbookViewId="0"/>`)
  for (const old of elements(view)) if (/pane$|selection$/.test(old.name)) remove(old)
  if (row > 1 || column > 1) {
    const split = `${column > 1 ? ` xSplit="${column - 1}"` : ''}${row > 1 ? ` ySplit="${row - 1}"` : ''}`
    const active = row > 1 && column > 1 ? 'bottomRight' : row > 1 ? 'bottomLeft' : 'topRight'
    insertChildren(
      view,
      0,
      fragment(
        `<${p}pane${split} topLeftCell="${cellName({ row, column })}" activePane="${active}" state="frozen"/><${p}selection pane="${active}"/>`,
      ),
    )
  }
  noteChange(xlsx, `${sheet.name}: ${row > 1 || column > 1 ? `frozen above and left of ${cell}` : 'unfrozen'}`)
}

export function mergeCells(xlsx: Xlsx, { sheet: name, range, unmerge }: OfficeActionOf<'merge_cells'>): void {
  const sheet = openSheet(xlsx, name)
  const wanted = parseRange(range)
  const list = sheet.ensure('mergeCells')
  const overlapping = elements(list, 'mergeCell').filter((each) => {
    const own = parseRange(valueOf(each, 'ref') ?? 'A1')
    return own.top <= wanted.bottom && wanted.top <= own.bottom && own.left <= wanted.right && wanted.left <= own.right
  })
  if (unmerge === true) {
    if (overlapping.length === 0) throw new Error(`There are no merged cells in ${range}.`)
    for (const each of overlapping) remove(each)
  } else {
    if (overlapping.length > 0)
      throw new Error(`${range} overlaps the merged cells ${valueOf(overlapping[0], 'ref')}. Unmerge them first.`)
    append(list, ...fragment(`<${sheet.prefix}mergeCell ref="${rangeName(wanted)}"/>`))
  }
  setAttribute(list, 'count', String(elements(list).length))
  sheet.dropEmpty('mergeCells')
  noteChange(xlsx, `${sheet.name}!${range}: ${unmerge === true ? 'unmerged' : 'merged'}`)
}

const operators: Record<string, string> = {
  greater: 'greaterThan',
  less: 'lessThan',
  equal: 'equal',
  between: 'between',
}

export function conditionalFormat(xlsx: Xlsx, action: OfficeActionOf<'conditional_format'>): void {
  const { rule, values = [], range, fill, color } = action
  const sheet = openSheet(xlsx, action.sheet)
  const p = sheet.prefix
  const area = rangeName(parseRange(range))
  const needed = rule === 'between' ? 2 : ['greater', 'less', 'equal', 'contains', 'formula'].includes(rule) ? 1 : 0
  if (values.length < needed)
    throw new Error(`the rule "${rule}" needs ${needed} ${needed === 1 ? 'value' : 'values'}.`)
  const priority =
    Math.max(
      0,
      ...elements(sheet.root, 'conditionalFormatting').flatMap((each) =>
        elements(each, 'cfRule').map((one) => Number(valueOf(one, 'priority') ?? 0)),
      ),
    ) + 1
  const formula = (value: string | number): string => {
    const text =
      typeof value === 'number'
        ? String(value)
        : value.startsWith('=')
          ? value.slice(1)
          : Number.isNaN(Number(value))
            ? `"${value.replaceAll('"', '""')}"`
            : value
    return `<${p}formula>${escapeXml(text)}</${p}formula>`
  }
  const look = (): string => ` dxfId="${differentialStyle(xlsx, fill, color)}"`
  const first = cellName({ row: parseRange(range).top, column: parseRange(range).left })
  const inner = ((): string => {
    if (rule === 'color_scale')
      return `<${p}cfRule type="colorScale" priority="${priority}"><${p}colorScale><${p}cfvo type="min"/><${p}cfvo type="max"/><${p}color rgb="FFFFFFFF"/><${p}color rgb="FF${hex(fill ?? '63BE7B')}"/></${p}colorScale></${p}cfRule>`
    if (rule === 'data_bar')
      return `<${p}cfRule type="dataBar" priority="${priority}"><${p}dataBar><${p}cfvo type="min"/><${p}cfvo type="max"/><${p}color rgb="FF${hex(fill ?? '638EC6')}"/></${p}dataBar></${p}cfRule>`
    if (rule === 'duplicates') return `<${p}cfRule type="duplicateValues"${look()} priority="${priority}"/>`
    if (rule === 'formula')
      return `<${p}cfRule type="expression"${look()} priority="${priority}">${formula(`=${String(values[0]).replace(/^=/, '')}`)}</${p}cfRule>`
    if (rule === 'contains') {
      const text = String(values[0])
      return `<${p}cfRule type="containsText"${look()} priority="${priority}" operator="containsText" text="${escapeXml(text)}"><${p}formula>${escapeXml(`NOT(ISERROR(SEARCH("${text.replaceAll('"', '""')}",${first})))`)}</${p}formula></${p}cfRule>`
    }
    return `<${p}cfRule type="cellIs"${look()} priority="${priority}" operator="${operators[rule]}">${values.slice(0, needed).map(formula).join('')}</${p}cfRule>`
  })()
  const [made] = fragment(`<${p}conditionalFormatting sqref="${area}">${inner}</${p}conditionalFormatting>`) as [
    Element,
  ]
  const last = elements(sheet.root, 'conditionalFormatting').at(-1)
  const place = last ?? sheet.ensure('conditionalFormatting')
  insertChildren(sheet.root, sheet.root.children.indexOf(place) + 1, [made])
  if (last === undefined) remove(place)
  noteChange(xlsx, `${sheet.name}!${area}: conditional format ${rule} ${values.join(' and ')}`.trim())
}

function differentialStyle(xlsx: Xlsx, fill: string | undefined, color: string | undefined): number {
  const styles = stylesRoot(xlsx)
  const p = prefixOf(styles)
  const font = color === undefined ? '' : `<${p}font><${p}color rgb="FF${hex(color)}"/></${p}font>`
  const back =
    fill === undefined && color !== undefined
      ? ''
      : `<${p}fill><${p}patternFill><${p}bgColor rgb="FF${hex(fill ?? 'FFEB9C')}"/></${p}patternFill></${p}fill>`
  return entry(styles, 'dxfs', `<${p}dxf>${font}${back}</${p}dxf>`)
}

export function defineName(xlsx: Xlsx, { name, refers_to }: OfficeActionOf<'define_name'>): void {
  if (!/^[\p{L}_\\][\p{L}\p{N}_.\\]{0,254}$/u.test(name) || /^([A-Za-z]{1,3}\d+|[rRcC])$/.test(name))
    throw new Error(`${JSON.stringify(name)} cannot be a name. Start with a letter, without spaces.`)
  const { root } = xlsx
  const p = prefixOf(root)
  const known = definedNames(xlsx).find(
    (each) =>
      valueOf(each, 'name')?.toLowerCase() === name.toLowerCase() && valueOf(each, 'localSheetId') === undefined,
  )
  const text = refers_to.replace(/^=/, '')
  if (known !== undefined) setText(known, text)
  else {
    let list = child(root, 'definedNames')
    if (list === undefined) {
      ;[list] = fragment(`<${p}definedNames/>`) as [Element]
      const before = child(root, 'externalReferences') ?? child(root, 'functionGroups') ?? child(root, 'sheets')!
      insertChildren(root, root.children.indexOf(before) + 1, [list])
    }
    append(list, ...fragment(`<${p}definedName name="${escapeXml(name)}">${escapeXml(text)}</${p}definedName>`))
  }
  xlsx.hasNewFormulas = true
  noteChange(xlsx, `Name ${name}: ${text}`)
}
