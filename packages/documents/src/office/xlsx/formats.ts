import { columnNumber, maxColumn, maxRow } from '../../sheets/address.ts'
import type { OfficeActionOf } from '@troupe/core'
import {
  append,
  child,
  copyOf,
  type Element,
  elements,
  fragment,
  insertChildren,
  prefixOf,
  remove,
  setAttribute,
  setText,
  valueOf,
  xmlText,
} from '../../xml/edit-xml.ts'
import { escapeXml } from '../../xml/parse-xml.ts'
import { declaration } from '../shared/package.ts'
import { cellName, parseCell, parseRange, rangeName } from './references.ts'
import { cellsOf, parsed } from './sheet.ts'
import { definedNames, noteChange, openSheet, type Xlsx } from './workbook.ts'

const maxFormattedCells = 200_000
const stylesType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml'

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

function stylesRoot({ pkg, main }: Xlsx): Element {
  let part = pkg.related(main, 'styles')
  if (part === undefined) {
    part = pkg.add(
      'xl/styles.xml',
      `${declaration}<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/></cellXfs></styleSheet>`,
      stylesType,
    )
    pkg.relate(main, 'styles', part)
  }
  return pkg.root(part)
}

const styleOrder = [
  'numFmts',
  'fonts',
  'fills',
  'borders',
  'cellStyleXfs',
  'cellXfs',
  'cellStyles',
  'dxfs',
  'tableStyles',
  'colors',
  'extLst',
]

function group(styles: Element, local: string): Element {
  const known = child(styles, local)
  if (known !== undefined) return known
  const [made] = fragment(`<${prefixOf(styles)}${local}/>`) as [Element]
  const rank = styleOrder.indexOf(local)
  const next = elements(styles).find((each) => styleOrder.indexOf(each.name.slice(prefixOf(each).length)) > rank)
  insertChildren(styles, next === undefined ? styles.children.length : styles.children.indexOf(next), [made])
  return made
}

/** Adds an entry, or finds an equal one, and returns its index. */
function entry(styles: Element, local: string, xml: string): number {
  const list = group(styles, local)
  const known = elements(list).findIndex((each) => xmlText(each) === xml)
  if (known !== -1) return known
  append(list, ...fragment(xml))
  setAttribute(list, 'count', String(elements(list).length))
  return elements(list).length - 1
}

function derivedStyle(styles: Element, old: number, look: OfficeActionOf<'format_cells'>): string {
  const list = group(styles, 'cellXfs')
  const base = elements(list, 'xf')[old] ?? elements(list, 'xf')[0]
  const p = prefixOf(styles)
  const xf =
    base === undefined ? fragment(`<${p}xf numFmtId="0" fontId="0" fillId="0" borderId="0"/>`)[0]! : copyOf(base)
  const apply = (name: string, flag: string, index: number): void => {
    setAttribute(xf, name, String(index))
    setAttribute(xf, flag, '1')
  }
  if (look.number_format !== undefined) apply('numFmtId', 'applyNumberFormat', numberFormat(styles, look.number_format))
  const font = fontXml(styles, Number(valueOf(xf, 'fontId') ?? 0), look)
  if (font !== undefined) apply('fontId', 'applyFont', entry(styles, 'fonts', font))
  if (look.fill !== undefined)
    apply(
      'fillId',
      'applyFill',
      entry(
        styles,
        'fills',
        `<${p}fill><${p}patternFill patternType="solid"><${p}fgColor rgb="FF${hex(look.fill)}"/><${p}bgColor indexed="64"/></${p}patternFill></${p}fill>`,
      ),
    )
  if (look.border !== undefined) {
    const side = (name: string): string =>
      look.border === true ? `<${p}${name} style="thin"><${p}color auto="1"/></${p}${name}>` : `<${p}${name}/>`
    apply(
      'borderId',
      'applyBorder',
      entry(
        styles,
        'borders',
        `<${p}border>${['left', 'right', 'top', 'bottom'].map(side).join('')}<${p}diagonal/></${p}border>`,
      ),
    )
  }
  if (look.align !== undefined || look.wrap !== undefined) {
    const alignment = child(xf, 'alignment') ?? addFirst(xf, `<${p}alignment/>`)
    if (look.align !== undefined) setAttribute(alignment, 'horizontal', look.align)
    if (look.wrap !== undefined) setAttribute(alignment, 'wrapText', look.wrap ? '1' : '0')
    setAttribute(xf, 'applyAlignment', '1')
  }
  return String(entry(styles, 'cellXfs', xmlText(xf)))
}

function addFirst(parent: Element, xml: string): Element {
  const [made] = fragment(xml) as [Element]
  insertChildren(parent, 0, [made])
  return made
}

const builtIn: Record<string, number> = {
  General: 0,
  '0': 1,
  '0.00': 2,
  '#,##0': 3,
  '#,##0.00': 4,
  '0%': 9,
  '0.00%': 10,
  '@': 49,
}

function numberFormat(styles: Element, code: string): number {
  if (builtIn[code] !== undefined) return builtIn[code]
  const list = group(styles, 'numFmts')
  const known = elements(list, 'numFmt').find((each) => valueOf(each, 'formatCode') === code)
  if (known !== undefined) return Number(valueOf(known, 'numFmtId'))
  const id = Math.max(163, ...elements(list, 'numFmt').map((each) => Number(valueOf(each, 'numFmtId')))) + 1
  append(list, ...fragment(`<${prefixOf(styles)}numFmt numFmtId="${id}" formatCode="${escapeXml(code)}"/>`))
  setAttribute(list, 'count', String(elements(list).length))
  return id
}

const fontOrder = [
  'b',
  'i',
  'strike',
  'condense',
  'extend',
  'outline',
  'shadow',
  'u',
  'vertAlign',
  'sz',
  'color',
  'name',
  'family',
  'charset',
  'scheme',
]

function fontXml(styles: Element, index: number, look: OfficeActionOf<'format_cells'>): string | undefined {
  const { bold, italic, underline, color, size, font } = look
  if ([bold, italic, underline, color, size, font].every((each) => each === undefined)) return undefined
  const p = prefixOf(styles)
  const base = elements(group(styles, 'fonts'), 'font')[index]
  const made = base === undefined ? fragment(`<${p}font/>`)[0]! : copyOf(base)
  const set = (local: string, xml: string | undefined): void => {
    const old = child(made, local)
    if (old !== undefined) remove(old)
    if (xml === undefined) return
    const rank = fontOrder.indexOf(local)
    const next = elements(made).find((each) => fontOrder.indexOf(each.name.slice(prefixOf(each).length)) > rank)
    insertChildren(made, next === undefined ? made.children.length : made.children.indexOf(next), fragment(xml))
  }
  if (bold !== undefined) set('b', bold ? `<${p}b/>` : undefined)
  if (italic !== undefined) set('i', italic ? `<${p}i/>` : undefined)
  if (underline !== undefined) set('u', underline ? `<${p}u/>` : undefined)
  if (size !== undefined) set('sz', `<${p}sz val="${size}"/>`)
  if (color !== undefined) set('color', `<${p}color rgb="FF${hex(color)}"/>`)
  if (font !== undefined) {
    set('name', `<${p}name val="${escapeXml(font)}"/>`)
    set('scheme', undefined)
  }
  return xmlText(made)
}

function hex(color: string): string {
  return color.replace('#', '').toUpperCase()
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
