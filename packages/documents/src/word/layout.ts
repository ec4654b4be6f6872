import type { DocumentLayout, LayoutBlock, LayoutCell, LayoutParagraph, LayoutRun, LayoutTable } from '@troupe/core'
import { mathText } from '../drawing/math.ts'
import type { Relationship } from '../package/relationships.ts'
import { symbolCharacter } from '../text/inline.ts'
import { oneLine } from '../text/markdown.ts'
import {
  attribute,
  childNamed,
  childrenNamed,
  elementsOf,
  localName,
  textOf,
  type XmlElement,
} from '../xml/parse-xml.ts'
import {
  type LayoutStyles,
  hasLines,
  paragraphFormat,
  pointsOf,
  runFormat,
  type RunFormat,
  shadeOf,
} from './layout-styles.ts'
import type { Numbering } from './numbering.ts'
import { headingLevel, isOn, listPlace, type ParagraphStyle, valueOf } from './styles.ts'
import { alternative, drawingNodes, rowCells, tableRowNodes } from './word-nodes.ts'

export interface LayoutContext {
  styles: LayoutStyles
  /** Headings and lists of the document's text. */
  outline: ReadonlyMap<string, ParagraphStyle>
  numbering: Numbering
  relationships: ReadonlyMap<string, Relationship>
  /** A picture of the document as data URL, by its part. */
  picture(part: string): string | undefined
  /** Labels of notes by kind and ID: `footnote 2`. Those that occur are added to `notes`. */
  notes: Set<string>
  comments: Set<string>
}

type Inherited = Pick<LayoutRun, 'link' | 'change' | 'author'>

/** English Metric Units per point. */
const unitsPerPoint = 12_700
const maxNested = 20

/** Turns elements of a Word document into blocks with formatting. State such as an open field spans calls. */
export function wordLayout(context: LayoutContext): (nodes: readonly XmlElement[], number: number) => LayoutBlock[] {
  /** Comments whose range is open. */
  const open = new Set<string>()
  /** Fields whose instruction, not yet the result, is being read. */
  const fields: { isResult: boolean }[] = []
  let number = 0

  return (nodes, first) => {
    number = first
    return blocks(nodes, {}, 0)
  }

  function blocks(nodes: readonly XmlElement[], inherited: Inherited, depth: number): LayoutBlock[] {
    return nodes.flatMap((node): LayoutBlock[] => {
      switch (localName(node.name)) {
        case 'p':
          return [paragraph(node, inherited)]
        case 'tbl':
          return depth > maxNested ? [] : [table(node, inherited, depth)]
        case 'sdt':
          return blocks(elementsOf(childNamed(node, 'sdtContent')), inherited, depth)
        case 'customXml':
        case 'smartTag':
          return blocks(elementsOf(node), inherited, depth)
        case 'AlternateContent':
          return blocks(alternative(node), inherited, depth)
        case 'ins':
        case 'moveTo':
          return blocks(elementsOf(node), changed(node, 'inserted'), depth)
        case 'del':
        case 'moveFrom':
          return blocks(elementsOf(node), changed(node, 'deleted'), depth)
        default:
          markComment(node)
          return []
      }
    })
  }

  function paragraph(node: XmlElement, inherited: Inherited): LayoutParagraph {
    const properties = childNamed(node, 'pPr')
    const id = valueOf(properties, 'pStyle')
    const style = context.styles.style(id)
    const outline = context.outline.get(id ?? '') ?? {}
    const heading = headingLevel(properties) ?? (childNamed(properties, 'outlineLvl') ? undefined : outline.heading)
    const base = { ...context.styles.defaults.run, ...style.run }
    const runs: LayoutRun[] = []
    inline(node, runs, base, inherited)
    const place = listPlace(properties, outline.list) ?? outline.list
    const isEmpty = runs.every(({ text, picture }) => text.trim() === '' && picture === undefined)
    const label = place === undefined || isEmpty ? '' : context.numbering.label(place)
    const format = {
      ...context.styles.defaults.paragraph,
      ...style.paragraph,
      ...(place !== undefined && paragraphFormat(context.numbering.properties(place))),
      ...paragraphFormat(properties),
    }
    const found: LayoutParagraph = { kind: 'paragraph', number, ...format, runs }
    if (heading !== undefined && !isEmpty) found.heading = heading
    if (label !== '' && place !== undefined) {
      found.label = label === '-' ? '•' : label
      found.indent ??= 18 * (place.level + 1)
    }
    return found
  }

  function inline(parent: XmlElement, runs: LayoutRun[], base: RunFormat, inherited: Inherited): void {
    for (const node of elementsOf(parent)) {
      switch (localName(node.name)) {
        case 'r':
          run(node, runs, base, inherited)
          break
        case 'hyperlink':
          inline(node, runs, base, { ...inherited, link: webLink(targetOf(node, 'id')) })
          break
        case 'ins':
        case 'moveTo':
          inline(node, runs, base, { ...inherited, ...changed(node, 'inserted') })
          break
        case 'del':
        case 'moveFrom':
          inline(node, runs, base, { ...inherited, ...changed(node, 'deleted') })
          break
        case 'sdt':
          inline(childNamed(node, 'sdtContent') ?? node, runs, base, inherited)
          break
        case 'AlternateContent':
          for (const each of alternative(node)) inline(each, runs, base, inherited)
          break
        case 'oMath':
        case 'oMathPara':
          push(runs, { ...base, ...inherited, text: mathText(node), isItalic: true })
          break
        case 'pPr':
        case 'rPr':
        case 'sdtPr':
          break
        default:
          if (!markComment(node)) inline(node, runs, base, inherited)
      }
    }
  }

  function run(node: XmlElement, runs: LayoutRun[], outer: RunFormat, inherited: Inherited): void {
    const properties = childNamed(node, 'rPr')
    const own = context.styles.style(valueOf(properties, 'rStyle')).run
    const { isHidden, ...format } = { ...outer, ...own, ...runFormat(properties) }
    if (isHidden === true) return
    const write = (text: string, more: Partial<LayoutRun> = {}): void => {
      if (!fields.some(({ isResult }) => !isResult)) push(runs, { ...format, ...inherited, ...more, text })
    }
    for (const child of elementsOf(node)) runPart(child, runs, outer, inherited, write)
  }

  function runPart(
    node: XmlElement,
    runs: LayoutRun[],
    outer: RunFormat,
    inherited: Inherited,
    write: (text: string, more?: Partial<LayoutRun>) => void,
  ): void {
    const local = localName(node.name)
    if (local === 't' || local === 'delText') return write(textOf(node))
    if (local === 'tab' || local === 'ptab') return write('\t')
    if (local === 'br' || local === 'cr') return write('\n')
    if (local === 'noBreakHyphen') return write('\u2011')
    if (local === 'sym')
      return write(symbolCharacter(Number.parseInt(attribute(node, 'char') ?? '', 16), attribute(node, 'font') ?? ''))
    if (local === 'footnoteReference' || local === 'endnoteReference') {
      const note = `${local.slice(0, -'Reference'.length)} ${attribute(node, 'id') ?? ''}`
      context.notes.add(note)
      return write(attribute(node, 'id') ?? '', { note, script: 'super' })
    }
    if (local === 'fldChar') {
      const kind = attribute(node, 'fldCharType')
      if (kind === 'begin') fields.push({ isResult: false })
      const field = fields.at(-1)
      if (kind === 'separate' && field !== undefined) field.isResult = true
      if (kind === 'end') fields.pop()
      return undefined
    }
    if (local === 'ruby') {
      const base = childNamed(node, 'rubyBase')
      if (base !== undefined) inline(base, runs, outer, inherited)
      return undefined
    }
    if (local === 'drawing' || local === 'pict' || local === 'object') return drawing(node, runs, inherited, write)
    if (local === 'AlternateContent') for (const each of alternative(node)) runPart(each, runs, outer, inherited, write)
    if (local === 'r') run(node, runs, outer, inherited)
    return undefined
  }

  function drawing(
    node: XmlElement,
    runs: LayoutRun[],
    inherited: Inherited,
    write: (text: string, more?: Partial<LayoutRun>) => void,
  ): void {
    const frame = childNamed(node, 'inline') ?? childNamed(node, 'anchor')
    const extent = childNamed(frame, 'extent')
    const about = childNamed(frame, 'docPr')
    const alt = about === undefined ? '' : (attribute(about, 'descr') ?? attribute(about, 'title') ?? '')
    const length = (local: string): number | undefined => {
      const points = Number(extent === undefined ? Number.NaN : attribute(extent, local)) / unitsPerPoint
      return points > 0 && points <= 5000 ? points : undefined
    }
    for (const each of drawingNodes(node)) {
      const local = localName(each.name)
      if (local === 'blip' || local === 'imagedata') {
        const part = targetOf(each, 'embed') ?? targetOf(each, 'id') ?? ''
        write('', {
          picture: { data: context.picture(part), alt: oneLine(alt), width: length('cx'), height: length('cy') },
        })
      } else if (local === 'txbxContent') {
        for (const box of blocks(elementsOf(each), inherited, maxNested))
          if (box.kind === 'paragraph') runs.push(...box.runs, { text: '\n' })
      } else if (local === 'chart' || local === 'relIds') write('', { picture: { alt: oneLine(alt) || local } })
      else if (local === 'textpath') write(attribute(each, 'string') ?? '')
    }
  }

  function table(node: XmlElement, inherited: Inherited, depth: number): LayoutTable {
    const properties = childNamed(node, 'tblPr')
    const widths = childrenNamed(childNamed(node, 'tblGrid') ?? node, 'gridCol').map((each) => pointsOf(each, 'w') ?? 0)
    /** The cell that spans rows, by its first column. */
    const above = new Map<number, LayoutCell>()
    const rows = tableRowNodes(node).map((row) => {
      const own = childNamed(row, 'trPr')
      const change = childNamed(own, 'del') ?? childNamed(own, 'ins')
      const format =
        change === undefined ? inherited : changed(change, localName(change.name) === 'del' ? 'deleted' : 'inserted')
      const cells: LayoutCell[] = []
      let column = Math.min(60, Number(valueOf(own, 'gridBefore') ?? 0) || 0)
      if (column > 0) cells.push({ columns: column, rows: 1, blocks: [] })
      for (const cell of rowCells(row)) {
        const about = childNamed(cell, 'tcPr')
        const columns = Math.max(1, Math.min(60, Number(valueOf(about, 'gridSpan') ?? 1) || 1))
        const merge = childNamed(about, 'vMerge')
        const isBelow = merge !== undefined && attribute(merge, 'val') !== 'restart'
        const start = above.get(column)
        if (isBelow && start !== undefined) start.rows++
        else {
          const made: LayoutCell = { columns, rows: 1, blocks: blocks(elementsOf(cell), format, depth + 1) }
          const shade = shadeOf(about)
          if (shade !== undefined) made.shade = shade
          cells.push(made)
          if (merge === undefined) above.delete(column)
          else above.set(column, made)
        }
        column += columns
      }
      const isHead = isOn(childNamed(own, 'tblHeader'))
      return isHead ? { isHead, cells } : { cells }
    })
    const style = context.styles.style(valueOf(properties, 'tblStyle'))
    return { kind: 'table', number, hasLines: style.hasLines || hasLines(properties), widths, rows }
  }

  function markComment(node: XmlElement): boolean {
    const local = localName(node.name)
    const id = attribute(node, 'id') ?? ''
    if (local === 'commentRangeStart') {
      open.add(id)
      context.comments.add(id)
    } else if (local === 'commentRangeEnd') open.delete(id)
    return /^(bookmark|comment|proof|perm|move\w+Range|custom\w+Range)/.test(local)
  }

  function push(runs: LayoutRun[], { text, picture, ...format }: LayoutRun): void {
    if (text === '' && picture === undefined) return
    const next: LayoutRun = { ...format, text }
    if (picture !== undefined) next.picture = picture
    if (open.size > 0) next.comments = [...open]
    const last = runs.at(-1)
    if (last !== undefined && picture === undefined && last.picture === undefined && isSame(last, next))
      last.text += text
    else runs.push(next)
  }

  function changed(node: XmlElement, change: LayoutRun['change']): Inherited {
    return { change, author: oneLine(attribute(node, 'author') ?? '').slice(0, 100) }
  }

  function targetOf(node: XmlElement, local: string): string | undefined {
    const id = attribute(node, local)
    return id === undefined ? undefined : context.relationships.get(id)?.target
  }
}

/** Other addresses could run something. */
function webLink(target: string | undefined): string | undefined {
  return target !== undefined && target.length <= 4000 && /^(https?:\/\/|mailto:)/i.test(target) ? target : undefined
}

function isSame({ text: _, ...one }: LayoutRun, { text: __, ...other }: LayoutRun): boolean {
  return one.note === undefined && JSON.stringify(one) === JSON.stringify(other)
}

/** The size of the page and its margin, of the last section. */
export function pageOf(section: XmlElement | undefined): DocumentLayout['page'] {
  const size = childNamed(section, 'pgSz')
  const margins = childNamed(section, 'pgMar')
  const width = pointsOf(size, 'w') ?? 595
  const margin = pointsOf(margins, 'left') ?? 72
  return { width: Math.max(200, width), margin: Math.min(Math.max(0, margin), width / 3) }
}
