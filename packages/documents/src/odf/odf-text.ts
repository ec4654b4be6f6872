import { type Block, tableBlocks } from '../text/blocks.ts'
import { linkSegments, renderSegments, type Segment } from '../text/inline.ts'
import { markdownPicture, mergedAbove, mergedLeft, oneLine } from '../text/markdown.ts'
import {
  attribute,
  childNamed,
  childrenNamed,
  elementsOf,
  localName,
  textOf,
  type XmlElement,
} from '../xml/parse-xml.ts'
import { odfLabel, type OdfStyles } from './odf-styles.ts'

export interface OdfContext {
  styles: OdfStyles
  /** Text of embedded objects, by their name in the package: `Object 1`. */
  objects: ReadonlyMap<string, string>
  seen: OdfFacts
}

export interface OdfFacts {
  tables: number
  pictures: number
  notes: number
  comments: number
  hasChanges: boolean
  hasHidden: boolean
}

export function noOdfFacts(): OdfFacts {
  return { tables: 0, pictures: 0, notes: 0, comments: 0, hasChanges: false, hasHidden: false }
}

interface Line {
  segments: Segment[]
  below: string[]
}

const maxSpan = 200

/** Turns elements of an OpenDocument text or slide into blocks. */
export function odfText(context: OdfContext): (parent: XmlElement) => Block[] {
  const { styles, seen } = context
  const deletions = new Map<string, string>()
  const insertions = new Set<string>()
  let inserted = 0

  function blocks(parent: XmlElement): Block[] {
    return elementsOf(parent).flatMap(block)
  }

  function block(node: XmlElement): Block[] {
    switch (localName(node.name)) {
      case 'p':
        return [paragraph(node)]
      case 'h':
        return [{ ...paragraph(node), heading: Number(attribute(node, 'outline-level') ?? 1) || 1 }]
      case 'list':
        return list(node, 1, attribute(node, 'style-name') ?? '')
      case 'table':
        return table(node)
      case 'tracked-changes':
        readChanges(node)
        return []
      case 'frame':
      case 'custom-shape':
      case 'rect':
      case 'ellipse':
      case 'g':
      case 'object':
      case 'image': {
        const line: Line = { segments: [], below: [] }
        drawing(node, line)
        return lineBlocks(line)
      }
      case 'sequence-decls':
      case 'variable-decls':
      case 'user-field-decls':
      case 'forms':
      case 'notes':
      case 'annotation':
      case 'settings':
      case 'animations':
        return []
      default:
        return blocks(node)
    }
  }

  function lineBlocks({ segments, below }: Line): Block[] {
    const text = renderSegments(segments).trim()
    return [...(text === '' ? [] : [{ text }]), ...below.map((each) => ({ text: each }))]
  }

  function paragraph(node: XmlElement): Block {
    const line: Line = { segments: [], below: [] }
    const isHeading = localName(node.name) === 'h'
    inline(node, line, formatOf(node, {}))
    const text = renderSegments(line.segments, isHeading).trim()
    return { text: [text, ...line.below].filter((each) => each !== '').join('\n') }
  }

  function formatOf(node: XmlElement, outer: Partial<Segment>): Partial<Segment> {
    const own = styles.text.get(attribute(node, 'style-name') ?? '')
    if (own?.isHidden === true) seen.hasHidden = true
    return {
      isBold: outer.isBold === true || own?.isBold === true,
      isItalic: outer.isItalic === true || own?.isItalic === true,
      isHidden: outer.isHidden === true || own?.isHidden === true,
    }
  }

  function inline(parent: XmlElement, line: Line, format: Partial<Segment>): void {
    const write = (text: string): void => {
      line.segments.push({ ...format, text, change: inserted > 0 ? 'inserted' : undefined })
    }
    for (const node of parent.children) {
      if (node.name === undefined) {
        write(node.text.replace(/\s+/g, ' '))
        continue
      }
      switch (localName(node.name)) {
        case 's':
          write(' '.repeat(Math.min(100, Number(attribute(node, 'c') ?? 1) || 1)))
          break
        case 'tab':
          write('\t')
          break
        case 'line-break':
          write('\n')
          break
        case 'span':
          inline(node, line, formatOf(node, format))
          break
        case 'a': {
          const from = line.segments.length
          inline(node, line, format)
          const target = attribute(node, 'href') ?? ''
          linkSegments(line.segments, from, target.startsWith('#') ? undefined : target)
          break
        }
        case 'note':
          note(node, line, write)
          break
        case 'annotation':
          line.below.push(comment(node))
          break
        case 'change':
          changePoint(node, line)
          break
        case 'change-start':
          if (insertions.has(attribute(node, 'change-id') ?? '')) inserted++
          break
        case 'change-end':
          if (insertions.has(attribute(node, 'change-id') ?? '')) inserted = Math.max(0, inserted - 1)
          break
        case 'ruby':
          write(`${textOf(childNamed(node, 'ruby-base') ?? node)}(${textOf(childNamed(node, 'ruby-text') ?? node)})`)
          break
        case 'hidden-text':
        case 'hidden-paragraph':
          seen.hasHidden = true
          line.segments.push({ text: attribute(node, 'string-value') ?? textOf(node), isHidden: true })
          break
        case 'annotation-end':
        case 'script':
        case 'event-listeners':
          break
        case 'frame':
        case 'custom-shape':
        case 'rect':
        case 'ellipse':
        case 'g':
        case 'line':
        case 'polygon':
        case 'path':
          drawing(node, line)
          break
        default:
          inline(node, line, format)
      }
    }
  }

  function note(node: XmlElement, line: Line, write: (text: string) => void): void {
    seen.notes++
    const citation = oneLine(textOf(childNamed(node, 'note-citation') ?? node)).slice(0, 20)
    const mark = `[^${attribute(node, 'note-class') === 'endnote' ? 'e' : ''}${citation}]`
    write(mark)
    const body = childNamed(node, 'note-body')
    if (body !== undefined) line.below.push(`${mark}: ${joined(blocks(body))}`)
  }

  function comment(node: XmlElement): string {
    seen.comments++
    const part = (local: string): string => {
      const child = childNamed(node, local)
      return child === undefined ? '' : oneLine(textOf(child))
    }
    const text = childrenNamed(node, 'p').concat(childrenNamed(node, 'list')).map(textOf).join('\n')
    const date = part('date').slice(0, 10)
    return `[comment by ${part('creator') || 'unknown'}${date === '' ? '' : `, ${date}`}: ${text.trim()}]`
  }

  function readChanges(node: XmlElement): void {
    for (const region of childrenNamed(node, 'changed-region')) {
      seen.hasChanges = true
      const id = attribute(region, 'id') ?? ''
      const deletion = childNamed(region, 'deletion')
      if (deletion !== undefined)
        deletions.set(
          id,
          joined(
            elementsOf(deletion)
              .filter(({ name }) => localName(name) !== 'change-info')
              .flatMap(block),
          ),
        )
      if (childNamed(region, 'insertion') !== undefined) insertions.add(id)
    }
  }

  function changePoint(node: XmlElement, line: Line): void {
    const text = deletions.get(attribute(node, 'change-id') ?? '') ?? ''
    if (text !== '') line.segments.push({ text, change: 'deleted' })
  }

  function drawing(node: XmlElement, line: Line): void {
    const alt = childNamed(node, 'desc') ?? childNamed(node, 'title')
    const object = childNamed(node, 'object') ?? childNamed(node, 'object-ole')
    if (object !== undefined) {
      const name = (attribute(object, 'href') ?? '').replace(/^\.\//, '')
      line.below.push(context.objects.get(name) ?? `[embedded object: ${name}]`)
      return
    }
    for (const child of elementsOf(node)) {
      const local = localName(child.name)
      if (local === 'image') {
        seen.pictures++
        line.segments.push({
          text: markdownPicture(alt === undefined ? attribute(node, 'name') : textOf(alt), attribute(child, 'href')),
        })
        return
      }
      if (local === 'text-box')
        line.below.push(...blocks(child).flatMap(({ text }) => (text.trim() === '' ? [] : [`[text box] ${text}`])))
      else if (['p', 'list', 'table', 'h'].includes(local)) line.below.push(...block(child).map(({ text }) => text))
      else if (!['desc', 'title', 'enhanced-geometry', 'glue-point'].includes(local)) drawing(child, line)
    }
  }

  const counts = new Map<string, number>()

  function list(node: XmlElement, level: number, style: string): Block[] {
    const name = attribute(node, 'style-name') ?? style
    const key = `${name} ${level}`
    let count = attribute(node, 'continue-numbering') === 'true' ? (counts.get(key) ?? 0) : 0
    const found: Block[] = []
    for (const item of elementsOf(node)) {
      const isItem = localName(item.name) === 'list-item'
      if (!isItem && localName(item.name) !== 'list-header') continue
      let isFirst = true
      for (const child of elementsOf(item)) {
        if (localName(child.name) === 'list') {
          found.push(...list(child, Math.min(level + 1, 20), name))
          continue
        }
        for (const each of block(child)) {
          if (isFirst && isItem) count = Number(attribute(item, 'start-value') ?? count + 1) || count + 1
          const label = isFirst && isItem ? odfLabel(styles, name, level, count) : ''
          if (each.text.trim() !== '')
            found.push({
              ...each,
              text:
                each.heading === undefined
                  ? `${'  '.repeat(level - 1)}${label === '' ? '' : `${label} `}${each.text}`
                  : `${label === '' || label === '-' ? '' : `${label} `}${each.text}`,
            })
          isFirst = false
        }
      }
    }
    counts.set(key, count)
    return found
  }

  function table(node: XmlElement): Block[] {
    seen.tables++
    return tableBlocks(tableRows(node))
  }

  function tableRows(node: XmlElement): string[][] {
    return elementsOf(node).flatMap((child): string[][] => {
      const local = localName(child.name)
      if (/^table-(header-rows|rows|row-group)$/.test(local)) return tableRows(child)
      if (local !== 'table-row') return []
      let left = 0
      const row = elementsOf(child).flatMap((cell): string[] => {
        const repeated = Math.min(maxSpan, Number(attribute(cell, 'number-columns-repeated') ?? 1) || 1)
        if (localName(cell.name) === 'covered-table-cell') {
          const marks = Array.from({ length: repeated }, (_, index) => (index < left ? mergedLeft : mergedAbove))
          left -= repeated
          return marks
        }
        if (localName(cell.name) !== 'table-cell') return []
        left = (Number(attribute(cell, 'number-columns-spanned') ?? 1) || 1) - 1
        return Array<string>(repeated).fill(joined(blocks(cell)))
      })
      return [row]
    })
  }

  return blocks
}

function joined(blocks: readonly Block[]): string {
  return blocks
    .map(({ text }) => text.trim())
    .filter((text) => text !== '')
    .join('\n')
}
