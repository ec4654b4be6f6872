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
  valueOf,
  xmlText,
} from '../../xml/edit-xml.ts'
import { escapeXml } from '../../xml/parse-xml.ts'
import { declaration } from '../shared/package.ts'
import type { Xlsx } from './workbook.ts'

const stylesType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml'

export function stylesRoot({ pkg, main }: Xlsx): Element {
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
export function entry(styles: Element, local: string, xml: string): number {
  const list = group(styles, local)
  const known = elements(list).findIndex((each) => xmlText(each) === xml)
  if (known !== -1) return known
  append(list, ...fragment(xml))
  setAttribute(list, 'count', String(elements(list).length))
  return elements(list).length - 1
}

export function derivedStyle(styles: Element, old: number, look: OfficeActionOf<'format_cells'>): string {
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

export function addFirst(parent: Element, xml: string): Element {
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

export function hex(color: string): string {
  return color.replace('#', '').toUpperCase()
}
