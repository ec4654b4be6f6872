import { mathText } from '../drawing/math.ts'
import { type Block, tableBlocks } from '../text/blocks.ts'
import { markdownPicture, mergedAbove, mergedLeft, oneLine } from '../text/markdown.ts'
import { attribute, childNamed, descendants, elementsOf, localName, textOf, type XmlElement } from '../xml/parse-xml.ts'
import { linkSegments, renderSegments, type Segment, symbolCharacter } from '../text/inline.ts'
import { headingLevel, isOn, listPlace, valueOf } from './styles.ts'
import type { WordContext } from './word-context.ts'
import { alternative, drawingNodes, rowCells, tableRowNodes } from './word-nodes.ts'

interface Field {
  instruction: string
  isResult: boolean
  /** Place of its result among the segments of the paragraph. */
  from: number
  segments: Segment[]
  hasResult: boolean
}

interface Line {
  segments: Segment[]
  /** Notes, comments, text boxes and figures, shown below the paragraph. */
  below: string[]
}

interface Format {
  change?: Segment['change']
  isHidden?: boolean
}

const maxNestedTables = 20

/** Turns elements of a Word document into blocks, in document order. Fields may span several calls. */
export function wordText(context: WordContext): (nodes: readonly XmlElement[]) => Block[] {
  const { seen } = context
  const fields: Field[] = []

  function blocks(nodes: readonly XmlElement[], format: Format): Block[] {
    return nodes.flatMap((node): Block[] => {
      switch (localName(node.name)) {
        case 'p':
          return paragraph(node, format)
        case 'tbl':
          return table(node, format)
        case 'sdt':
          return blocks(elementsOf(childNamed(node, 'sdtContent')), format)
        case 'customXml':
        case 'smartTag':
          return blocks(elementsOf(node), format)
        case 'AlternateContent':
          return blocks(alternative(node), format)
        case 'ins':
        case 'moveTo':
          return blocks(elementsOf(node), changed(node, 'inserted'))
        case 'del':
        case 'moveFrom':
          return blocks(elementsOf(node), changed(node, 'deleted'))
        case 'altChunk':
          return [{ text: `[embedded document: ${targetOf(node, 'id') ?? 'unknown'}]` }]
        case 'oMathPara':
        case 'oMath':
          return [{ text: mathText(node) }]
        default:
          return []
      }
    })
  }

  function paragraph(node: XmlElement, format: Format): Block[] {
    const properties = childNamed(node, 'pPr')
    const style = context.styles.get(valueOf(properties, 'pStyle') ?? '') ?? {}
    const line: Line = { segments: [], below: [] }
    for (const field of fields) Object.assign(field, { from: 0, segments: line.segments })
    inline(node, line, { ...format, isHidden: format.isHidden === true || style.isHidden === true })
    const heading = headingLevel(properties) ?? (childNamed(properties, 'outlineLvl') ? undefined : style.heading)
    const text = renderSegments(line.segments, heading !== undefined).trim()
    const place = listPlace(properties, style.list) ?? style.list
    // An empty paragraph of a list shows its number in Word, but says nothing.
    const label = place === undefined || text === '' ? '' : context.numbering.label(place)
    const below = line.below.length === 0 ? '' : `${text === '' ? '' : '\n'}${line.below.join('\n')}`
    if (heading !== undefined && text !== '')
      return [{ text: `${label === '' || label === '-' ? '' : `${label} `}${text}${below}`, heading }]
    const indent = place === undefined || label === '' ? '' : '  '.repeat(place.level)
    return [{ text: `${indent}${label === '' ? '' : `${label} `}${text}${below}` }]
  }

  function inline(parent: XmlElement, line: Line, format: Format): void {
    for (const node of elementsOf(parent)) {
      switch (localName(node.name)) {
        case 'r':
          run(node, line, format)
          break
        case 'hyperlink': {
          const from = line.segments.length
          inline(node, line, format)
          linkSegments(line.segments, from, targetOf(node, 'id'))
          break
        }
        case 'ins':
        case 'moveTo':
          inline(node, line, { ...format, ...changed(node, 'inserted') })
          break
        case 'del':
        case 'moveFrom':
          inline(node, line, { ...format, ...changed(node, 'deleted') })
          break
        case 'fldSimple':
          noteField(attribute(node, 'instr') ?? '')
          inline(node, line, format)
          break
        case 'sdt':
          inline(childNamed(node, 'sdtContent') ?? node, line, format)
          break
        case 'AlternateContent':
          for (const each of alternative(node)) inline(each, line, format)
          break
        case 'oMath':
        case 'oMathPara':
          line.segments.push({ text: mathText(node), ...format })
          break
        case 'p':
          // Paragraphs in paragraphs are wrong but exist.
          line.below.push(...paragraph(node, format).map(({ text }) => text))
          break
        case 'pPr':
        case 'rPr':
        case 'sdtPr':
          break
        default:
          if (!/^(bookmark|comment|proof|perm|move\w+Range|custom\w+Range)/.test(localName(node.name)))
            inline(node, line, format)
      }
    }
  }

  function run(node: XmlElement, line: Line, outer: Format): void {
    const properties = childNamed(node, 'rPr')
    const format: Segment = {
      text: '',
      ...outer,
      isBold: isOn(childNamed(properties, 'b')),
      isItalic: isOn(childNamed(properties, 'i')),
      isHidden: outer.isHidden === true || isOn(childNamed(properties, 'vanish')),
    }
    const write = (text: string): void => {
      if (fields.some(({ isResult }) => !isResult)) return
      if (format.isHidden === true && text.trim() !== '') seen.hasHidden = true
      line.segments.push({ ...format, text })
      for (const field of fields) field.hasResult = true
    }
    for (const child of elementsOf(node)) runPart(child, line, outer, write)
  }

  function runPart(node: XmlElement, line: Line, format: Format, write: (text: string) => void): void {
    switch (localName(node.name)) {
      case 't':
      case 'delText':
        return write(textOf(node))
      case 'tab':
      case 'ptab':
        return write('\t')
      case 'br':
      case 'cr':
        return write('\n')
      case 'noBreakHyphen':
        return write('-')
      case 'sym':
        return write(symbolCharacter(Number.parseInt(attribute(node, 'char') ?? '', 16), attribute(node, 'font') ?? ''))
      case 'footnoteReference':
        return reference(line, write, `^${attribute(node, 'id')}`, context.footnotes.get(attribute(node, 'id') ?? ''))
      case 'endnoteReference':
        return reference(line, write, `^e${attribute(node, 'id')}`, context.endnotes.get(attribute(node, 'id') ?? ''))
      case 'commentReference': {
        const comment = context.comments.get(attribute(node, 'id') ?? '')
        if (comment !== undefined) line.below.push(comment)
        seen.shownComments.add(attribute(node, 'id') ?? '')
        return undefined
      }
      case 'fldChar':
        return fieldCharacter(node, line)
      case 'instrText':
      case 'delInstrText': {
        const field = fields.at(-1)
        if (field !== undefined) field.instruction += textOf(node)
        return undefined
      }
      case 'ruby': {
        const part = (local: string): string => {
          const own: Line = { segments: [], below: [] }
          const child = childNamed(node, local)
          if (child !== undefined) inline(child, own, {})
          return renderSegments(own.segments, true)
        }
        return write(`${part('rubyBase')}(${part('rt')})`)
      }
      case 'drawing':
      case 'pict':
      case 'object':
        return drawing(node, line, format, write)
      case 'AlternateContent':
        for (const each of alternative(node)) runPart(each, line, format, write)
        return undefined
      case 'r':
        return run(node, line, format)
      default:
        return undefined
    }
  }

  function reference(line: Line, write: (text: string) => void, mark: string, note: string | undefined): void {
    write(`[${mark}]`)
    if (note !== undefined && note !== '') line.below.push(`[${mark}]: ${note}`)
  }

  function fieldCharacter(node: XmlElement, line: Line): void {
    const kind = attribute(node, 'fldCharType')
    if (kind === 'begin') {
      const check = childNamed(childNamed(node, 'ffData'), 'checkBox')
      if (check !== undefined)
        line.segments.push({ text: isOn(childNamed(check, 'checked') ?? childNamed(check, 'default')) ? '[x]' : '[ ]' })
      fields.push({ instruction: '', isResult: false, from: 0, segments: line.segments, hasResult: false })
    }
    const field = fields.at(-1)
    if (field === undefined) return
    if (kind === 'separate')
      Object.assign(field, { isResult: true, from: line.segments.length, segments: line.segments })
    if (kind !== 'end') return
    fields.pop()
    noteField(field.instruction)
    const link = /^\s*HYPERLINK\s+(?:\\\w\s+)*"([^"]+)"/i.exec(field.instruction)?.[1]
    if (
      link !== undefined &&
      field.isResult &&
      !/\\l\s+"/.test(field.instruction.slice(0, field.instruction.indexOf(link)))
    )
      linkSegments(line.segments, field.from, link)
  }

  function noteField(instruction: string): void {
    const name = /^\s*(INCLUDETEXT|INCLUDEPICTURE|DDEAUTO|DDE|LINK|DATABASE|RD)\b/i.exec(instruction)?.[1]
    if (name !== undefined) seen.outsideFields.add(oneLine(instruction).slice(0, 200))
  }

  function drawing(node: XmlElement, line: Line, format: Format, write: (text: string) => void): void {
    let isKnown = false
    for (const each of drawingNodes(node)) {
      const local = localName(each.name)
      if (local === 'txbxContent') {
        isKnown = true
        for (const { text } of blocks(elementsOf(each), format))
          if (text.trim() !== '') line.below.push(text.startsWith('|') ? `[text box]\n${text}` : `[text box] ${text}`)
      } else if (local === 'blip' || local === 'imagedata') {
        isKnown = true
        seen.pictures++
        const about = childNamed(childNamed(node, 'inline') ?? childNamed(node, 'anchor'), 'docPr')
        const shape = about ?? [...descendants(node, 'shape')][0] ?? each
        const alt =
          attribute(shape, 'descr') ?? attribute(shape, 'alt') ?? attribute(shape, 'title') ?? attribute(shape, 'name')
        write(markdownPicture(alt, targetOf(each, 'embed') ?? targetOf(each, 'link') ?? targetOf(each, 'id')))
      } else if (local === 'chart' || local === 'relIds') {
        const part = targetOf(each, local === 'chart' ? 'id' : 'dm')
        line.below.push(...(context.figures.get(part ?? '') ?? []))
      } else if (local === 'OLEObject') {
        isKnown = true
        write(`[embedded object: ${attribute(each, 'ProgID') ?? 'unknown'}, ${targetOf(each, 'id') ?? ''}]`)
      } else if (local === 'textpath') {
        write(attribute(each, 'string') ?? '')
      }
    }
    if (isKnown) return
    const about = [...descendants(node, 'docPr')][0]
    const description = about === undefined ? undefined : attribute(about, 'descr')
    if (description !== undefined && description.trim() !== '') write(`[drawing: ${oneLine(description)}]`)
  }

  function table(node: XmlElement, format: Format): Block[] {
    seen.tables++
    const rows = tableRows(node, format, 0)
    const only = rows.length === 1 && rows[0]!.length === 1 ? rowCells(tableRowNodes(node)[0]!)[0] : undefined
    // A table of one cell is a frame around its text, which was counted above.
    return only === undefined ? tableBlocks(rows) : rows[0]![0]!.split('\n').map((text) => ({ text }))
  }

  function tableRows(node: XmlElement, format: Format, depth: number): string[][] {
    return tableRowNodes(node).map((row) => {
      const properties = childNamed(row, 'trPr')
      const change = childNamed(properties, 'del')
        ? 'deleted'
        : childNamed(properties, 'ins')
          ? 'inserted'
          : format.change
      if (change !== undefined) seen.hasChanges = true
      const cells: string[] = Array<string>(Math.min(60, Number(valueOf(properties, 'gridBefore') ?? 0) || 0)).fill('')
      for (const cell of rowCells(row)) {
        const own = childNamed(cell, 'tcPr')
        const merge = childNamed(own, 'vMerge')
        const isBelow = merge !== undefined && attribute(merge, 'val') !== 'restart'
        const text = cellText(cell, { ...format, change }, depth)
        cells.push(isBelow && text === '' ? mergedAbove : text)
        const span = Math.min(60, Number(valueOf(own, 'gridSpan') ?? 1) || 1)
        for (let index = 1; index < span; index++) cells.push(isBelow ? mergedAbove : mergedLeft)
      }
      return cells
    })
  }

  function cellText(cell: XmlElement, format: Format, depth: number): string {
    const texts: string[] = []
    for (const node of elementsOf(cell)) {
      if (localName(node.name) === 'tbl' && depth < maxNestedTables)
        texts.push(...tableRows(node, format, depth + 1).map((row) => row.join(' ; ')))
      else texts.push(...blocks([node], format).map(({ text }) => text))
    }
    return texts.filter((text) => text.trim() !== '').join('\n')
  }

  function changed(node: XmlElement, change: Segment['change']): Format {
    seen.hasChanges = true
    const author = attribute(node, 'author')
    if (author !== undefined && author !== '') seen.authors.add(oneLine(author).slice(0, 100))
    return { change }
  }

  /** The part or address that an attribute such as `r:id` refers to. */
  function targetOf(node: XmlElement, local: string): string | undefined {
    const id = attribute(node, local)
    return id === undefined ? undefined : context.relationships.get(id)?.target
  }

  return (nodes) => blocks(nodes, {})
}
