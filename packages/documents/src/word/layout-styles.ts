import type { LayoutParagraph, LayoutRun } from '@troupe/core'
import { attribute, childNamed, childrenNamed, type XmlElement } from '../xml/parse-xml.ts'
import { isOn, valueOf } from './styles.ts'

export type RunFormat = Omit<LayoutRun, 'text' | 'link' | 'change' | 'author' | 'note' | 'comments' | 'picture'> & {
  isHidden?: boolean
}
export type ParagraphFormat = Pick<
  LayoutParagraph,
  'align' | 'indent' | 'firstLine' | 'before' | 'after' | 'lineHeight' | 'isRightToLeft' | 'startsPage' | 'shade'
>

export interface LayoutStyle {
  run: RunFormat
  paragraph: ParagraphFormat
  hasLines: boolean
}

export interface LayoutStyles {
  /** Defaults of all paragraphs. */
  defaults: LayoutStyle
  /** A style with what it inherits. */
  style(id: string | undefined): LayoutStyle
}

const none: LayoutStyle = { run: {}, paragraph: {}, hasLines: false }

/** Formatting of the styles of a Word document. */
export function readLayoutStyles(root: XmlElement | undefined): LayoutStyles {
  const styles = childNamed(root, 'styles')
  const nodes = new Map<string, XmlElement>()
  let usual = ''
  for (const each of styles === undefined ? [] : childrenNamed(styles, 'style')) {
    const id = attribute(each, 'styleId') ?? ''
    nodes.set(id, each)
    if (attribute(each, 'type') === 'paragraph' && /^(1|true|on)$/.test(attribute(each, 'default') ?? '')) usual = id
  }
  const known = new Map<string, LayoutStyle>()
  const resolve = (id: string, depth: number): LayoutStyle => {
    const found = known.get(id)
    if (found !== undefined) return found
    const node = nodes.get(id)
    if (node === undefined || depth > 20) return none
    const base = valueOf(node, 'basedOn')
    const inherited = base === undefined ? none : resolve(base, depth + 1)
    const style: LayoutStyle = {
      run: { ...inherited.run, ...runFormat(childNamed(node, 'rPr')) },
      paragraph: { ...inherited.paragraph, ...paragraphFormat(childNamed(node, 'pPr')) },
      hasLines: inherited.hasLines || hasLines(childNamed(node, 'tblPr')),
    }
    known.set(id, style)
    return style
  }
  const defaults = childNamed(styles, 'docDefaults')
  const usualStyle = resolve(usual, 0)
  return {
    defaults: {
      run: { ...runFormat(childNamed(childNamed(defaults, 'rPrDefault'), 'rPr')), ...usualStyle.run },
      paragraph: { ...paragraphFormat(childNamed(childNamed(defaults, 'pPrDefault'), 'pPr')), ...usualStyle.paragraph },
      hasLines: false,
    },
    style: (id) => (id === undefined ? none : resolve(id, 0)),
  }
}

export function runFormat(properties: XmlElement | undefined): RunFormat {
  if (properties === undefined) return {}
  const format: RunFormat = {}
  const flag = (local: string, name: 'isBold' | 'isItalic' | 'isCaps' | 'isHidden' | 'isStruck'): void => {
    const node = childNamed(properties, local)
    if (node !== undefined) format[name] = isOn(node)
  }
  flag('b', 'isBold')
  flag('i', 'isItalic')
  flag('caps', 'isCaps')
  flag('vanish', 'isHidden')
  flag('strike', 'isStruck')
  const underline = childNamed(properties, 'u')
  if (underline !== undefined) format.isUnderlined = isOn(underline)
  const script = valueOf(properties, 'vertAlign')
  if (script !== undefined)
    format.script = script === 'superscript' ? 'super' : script === 'subscript' ? 'sub' : undefined
  const size = Number(valueOf(properties, 'sz'))
  if (size >= 2 && size <= 800) format.size = size / 2
  const fonts = childNamed(properties, 'rFonts')
  const font = fonts === undefined ? undefined : (attribute(fonts, 'ascii') ?? attribute(fonts, 'hAnsi'))
  if (font !== undefined && /^[\p{L}\p{N} ._-]{1,100}$/u.test(font)) format.font = font
  const color = hexColor(valueOf(properties, 'color'))
  if (color !== undefined) format.color = color
  const shade = highlights.get(valueOf(properties, 'highlight') ?? '') ?? shadeOf(properties)
  if (shade !== undefined) format.shade = shade
  return format
}

export function paragraphFormat(properties: XmlElement | undefined): ParagraphFormat {
  if (properties === undefined) return {}
  const format: ParagraphFormat = {}
  const align = aligns.get(valueOf(properties, 'jc') ?? '')
  if (align !== undefined) format.align = align
  const indent = childNamed(properties, 'ind')
  const left = pointsOf(indent, 'start') ?? pointsOf(indent, 'left')
  if (left !== undefined) format.indent = left
  const hanging = pointsOf(indent, 'hanging')
  const firstLine = hanging === undefined ? pointsOf(indent, 'firstLine') : -hanging
  if (firstLine !== undefined) format.firstLine = firstLine
  const spacing = childNamed(properties, 'spacing')
  const before = pointsOf(spacing, 'before')
  const after = pointsOf(spacing, 'after')
  if (before !== undefined) format.before = before
  if (after !== undefined) format.after = after
  const line = Number(spacing === undefined ? Number.NaN : attribute(spacing, 'line'))
  const rule = spacing === undefined ? undefined : attribute(spacing, 'lineRule')
  if (line > 0 && (rule === undefined || rule === 'auto'))
    format.lineHeight = Math.min(5, Math.max(0.5, (line / 240) * 1.2))
  const bidi = childNamed(properties, 'bidi')
  if (bidi !== undefined) format.isRightToLeft = isOn(bidi)
  const page = childNamed(properties, 'pageBreakBefore')
  if (page !== undefined) format.startsPage = isOn(page)
  const shade = shadeOf(properties)
  if (shade !== undefined) format.shade = shade
  return format
}

const aligns = new Map<string, LayoutParagraph['align']>([
  ['left', 'start'],
  ['start', 'start'],
  ['center', 'center'],
  ['right', 'end'],
  ['end', 'end'],
  ['both', 'justify'],
  ['distribute', 'justify'],
])

/** Word names these colors. */
const highlights = new Map([
  ['yellow', '#ffff00'],
  ['green', '#00ff00'],
  ['cyan', '#00ffff'],
  ['magenta', '#ff00ff'],
  ['blue', '#0000ff'],
  ['red', '#ff0000'],
  ['darkBlue', '#000080'],
  ['darkCyan', '#008080'],
  ['darkGreen', '#008000'],
  ['darkMagenta', '#800080'],
  ['darkRed', '#800000'],
  ['darkYellow', '#808000'],
  ['darkGray', '#808080'],
  ['lightGray', '#c0c0c0'],
  ['black', '#000000'],
])

export function shadeOf(properties: XmlElement | undefined): string | undefined {
  const node = childNamed(properties, 'shd')
  return node === undefined ? undefined : hexColor(attribute(node, 'fill'))
}

/** True if a table or its style draws lines between its cells. */
export function hasLines(properties: XmlElement | undefined): boolean {
  const borders = childNamed(properties, 'tblBorders')
  return borders !== undefined && borders.children.some((each) => 'attributes' in each && isDrawn(each))
}

function isDrawn(node: XmlElement): boolean {
  return !/^(nil|none)?$/.test(attribute(node, 'val') ?? '')
}

function hexColor(value: string | undefined): string | undefined {
  return value !== undefined && /^[0-9a-f]{6}$/i.test(value) ? `#${value.toLowerCase()}` : undefined
}

/** An attribute in twentieths of a point. */
export function pointsOf(node: XmlElement | undefined, local: string): number | undefined {
  const value = Number(node === undefined ? Number.NaN : (attribute(node, local) ?? Number.NaN))
  return Number.isFinite(value) ? Math.min(5000, Math.max(-2000, value / 20)) : undefined
}
