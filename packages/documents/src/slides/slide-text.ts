import { mathText } from '../drawing/math.ts'
import type { Relationship } from '../package/relationships.ts'
import { markdownLink, markdownPicture, mergedAbove, mergedLeft, oneLine, tableLines } from '../text/markdown.ts'
import {
  attribute,
  childNamed,
  childrenNamed,
  descendants,
  elementsOf,
  localName,
  textOf,
  type XmlElement,
} from '../xml/parse-xml.ts'

export interface SlideText {
  title: string
  lines: string[]
  pictures: number
  hasHiddenShapes: boolean
}

export interface SlideContext {
  relationships: ReadonlyMap<string, Relationship>
  /** Lines of charts and diagrams, by part. */
  figures: ReadonlyMap<string, readonly string[]>
  /** Leaves out placeholders, which say nothing on a layout. */
  isLayout?: boolean
}

/** The texts of a slide in the order of its shapes, the title apart. */
export function slideText(tree: XmlElement | undefined, context: SlideContext): SlideText {
  const slide: SlideText = { title: '', lines: [], pictures: 0, hasHiddenShapes: false }

  function shapes(parent: XmlElement): void {
    for (const node of elementsOf(parent)) shape(node)
  }

  function shape(node: XmlElement): void {
    const about = [...node.children].find(
      (child) => child.name !== undefined && /^nv\w*Pr$/.test(localName(child.name)),
    )
    const properties = about?.name === undefined ? undefined : childNamed(about, 'cNvPr')
    if (properties !== undefined && /^(1|true)$/.test(attribute(properties, 'hidden') ?? '')) {
      slide.hasHiddenShapes = true
      slide.lines.push('[hidden shape:]')
    }
    switch (localName(node.name)) {
      case 'sp':
      case 'cxnSp':
        return textShape(node, about?.name === undefined ? undefined : about)
      case 'grpSp':
        return shapes(node)
      case 'pic':
        return picture(node, properties)
      case 'graphicFrame':
        return frame(node, properties)
      case 'AlternateContent': {
        const choice = elementsOf(childNamed(node, 'Choice'))
        for (const each of choice.length > 0 ? choice : elementsOf(childNamed(node, 'Fallback'))) shape(each)
        return undefined
      }
      default:
        return undefined
    }
  }

  function textShape(node: XmlElement, about: XmlElement | undefined): void {
    const placeholder = childNamed(childNamed(about, 'nvPr'), 'ph')
    if (context.isLayout === true && placeholder !== undefined) return
    const type = placeholder === undefined ? undefined : (attribute(placeholder, 'type') ?? 'obj')
    if (type === 'sldNum' || type === 'sldImg') return
    const body = childNamed(node, 'txBody')
    if (body === undefined) return
    const lines = paragraphs(body, type === 'body' || type === 'obj')
    if ((type === 'title' || type === 'ctrTitle') && slide.title === '') slide.title = oneLine(lines.join(' '))
    else slide.lines.push(...lines)
  }

  function paragraphs(body: XmlElement, isList: boolean): string[] {
    const counts: number[] = []
    return childrenNamed(body, 'p').flatMap((paragraph) => {
      const text = inline(paragraph).trim()
      if (text === '') return []
      const properties = childNamed(paragraph, 'pPr')
      const level = Math.min(8, Number((properties && attribute(properties, 'lvl')) ?? 0) || 0)
      if (childNamed(properties, 'buAutoNum') !== undefined) {
        counts[level] = (counts[level] ?? 0) + 1
        counts.length = level + 1
        return [`${'  '.repeat(level)}${counts[level]}. ${text}`]
      }
      const isPlain =
        childNamed(properties, 'buNone') !== undefined || (!isList && childNamed(properties, 'buChar') === undefined)
      return [isPlain && level === 0 ? text : `${'  '.repeat(level)}- ${text}`]
    })
  }

  function inline(paragraph: XmlElement): string {
    return elementsOf(paragraph)
      .map((node): string => {
        switch (localName(node.name)) {
          case 'r':
          case 'fld': {
            const text = childrenNamed(node, 't').map(textOf).join('')
            const link = childNamed(childNamed(node, 'rPr'), 'hlinkClick')
            const target = link === undefined ? undefined : context.relationships.get(attribute(link, 'id') ?? '')
            return target?.isExternal === true ? markdownLink(text, target.target) : text
          }
          case 'br':
            return ' '
          case 'm':
          case 'oMath':
          case 'oMathPara':
            return mathText(node)
          case 'AlternateContent':
            return inline(childNamed(node, 'Choice') ?? childNamed(node, 'Fallback') ?? node)
          default:
            return ''
        }
      })
      .join('')
      .replaceAll('\v', ' ')
  }

  function picture(node: XmlElement, properties: XmlElement | undefined): void {
    const [blip] = descendants(node, 'blip')
    const [media] = [...descendants(node, 'videoFile'), ...descendants(node, 'audioFile')]
    const target = (each: XmlElement | undefined, local: string): string | undefined =>
      each === undefined ? undefined : context.relationships.get(attribute(each, local) ?? '')?.target
    slide.pictures++
    if (media !== undefined)
      slide.lines.push(
        `[${localName(media.name) === 'videoFile' ? 'video' : 'audio'}: ${oneLine(target(media, 'link') ?? '')}]`,
      )
    else
      slide.lines.push(
        markdownPicture(
          properties &&
            (attribute(properties, 'descr') || attribute(properties, 'title') || attribute(properties, 'name')),
          target(blip, 'embed') ?? target(blip, 'link'),
        ),
      )
  }

  function frame(node: XmlElement, properties: XmlElement | undefined): void {
    const data = childNamed(childNamed(node, 'graphic'), 'graphicData')
    for (const each of data === undefined ? [] : elementsOf(data)) {
      const local = localName(each.name)
      if (local === 'tbl') slide.lines.push(...tableLines(tableRows(each)))
      else if (local === 'chart' || local === 'relIds') {
        const id = attribute(each, local === 'chart' ? 'id' : 'dm') ?? ''
        slide.lines.push(...(context.figures.get(context.relationships.get(id)?.target ?? '') ?? []))
      } else if (local === 'oleObj' || local === 'AlternateContent') {
        const [object] = local === 'oleObj' ? [each] : descendants(each, 'oleObj')
        if (object === undefined) continue
        const part = context.relationships.get(attribute(object, 'id') ?? '')?.target ?? ''
        const name =
          attribute(object, 'progId') ?? attribute(object, 'name') ?? oneLine(properties?.attributes['name'] ?? '')
        slide.lines.push(`[embedded object: ${name}, ${part}]`)
      }
    }
  }

  function tableRows(table: XmlElement): string[][] {
    return childrenNamed(table, 'tr').map((row) =>
      childrenNamed(row, 'tc').map((cell) => {
        if (/^(1|true)$/.test(attribute(cell, 'hMerge') ?? '')) return mergedLeft
        if (/^(1|true)$/.test(attribute(cell, 'vMerge') ?? '')) return mergedAbove
        const body = childNamed(cell, 'txBody')
        return body === undefined ? '' : paragraphs(body, false).join('\n')
      }),
    )
  }

  if (tree !== undefined) shapes(tree)
  return slide
}
