import {
  below,
  child,
  contentOf,
  copyOf,
  type Element,
  elements,
  fragment,
  insertAfter,
  type Node,
  remove,
  replaceWith,
  setAttribute,
  setText,
  valueOf,
  xmlText,
} from '../../xml/edit-xml.ts'
import { escapeXml, localName } from '../../xml/parse-xml.ts'

/** A stretch of a paragraph's text. */
interface Segment {
  /** `w:t`, or an element that shows as one character. */
  node: Element
  run: Element
  text: string
  start: number
  isText: boolean
  /** In the result of a field, which programs compute again. */
  isField: boolean
}

export interface ParagraphText {
  text: string
  segments: Segment[]
}

const single: Record<string, string> = { tab: '\t', br: '\n', cr: '\n', noBreakHyphen: '-', ptab: '\t' }
const passed = new Set([
  'hyperlink',
  'ins',
  'moveTo',
  'smartTag',
  'sdt',
  'sdtContent',
  'customXml',
  'dir',
  'bdo',
  'ruby',
  'rubyBase',
])

/** The visible text of a paragraph without tracked deletions, and the elements it comes from. */
export function textOfParagraph(paragraph: Element, fields: ReadonlySet<Element>): ParagraphText {
  const segments: Segment[] = []
  let text = ''
  const add = (segment: Omit<Segment, 'start'>): void => {
    segments.push({ ...segment, start: text.length })
    text += segment.text
  }
  const visitRun = (run: Element, inField: boolean): void => {
    const isField = inField || fields.has(run)
    for (const node of elements(run)) {
      const local = localName(node.name)
      if (local === 't') add({ node, run, text: contentOf(node), isText: true, isField })
      else if (single[local] !== undefined) add({ node, run, text: single[local], isText: false, isField })
      else if (passed.has(local)) visit(node, isField)
    }
  }
  const visit = (parent: Element, inField: boolean): void => {
    for (const node of elements(parent)) {
      const local = localName(node.name)
      if (local === 'r') visitRun(node, inField)
      else if (local === 'fldSimple') visit(node, true)
      else if (passed.has(local)) visit(node, inField)
    }
  }
  visit(paragraph, false)
  return { text, segments }
}

/** Runs that belong to complex fields. A field can span paragraphs, so the whole part is looked at. */
export function fieldRuns(root: Element): Set<Element> {
  const found = new Set<Element>()
  let depth = 0
  for (const run of below(root, 'r')) {
    const marks = elements(run, 'fldChar').map((mark) => valueOf(mark, 'fldCharType'))
    if (marks.includes('begin')) depth++
    if (depth > 0) found.add(run)
    if (marks.includes('end')) depth = Math.max(0, depth - 1)
  }
  return found
}

export interface Match {
  from: number
  to: number
}

export function findText(text: string, wanted: string, ignoreCase: boolean): Match[] {
  const [where, what] = ignoreCase ? [text.toLowerCase(), wanted.toLowerCase()] : [text, wanted]
  const matches: Match[] = []
  for (let at = where.indexOf(what); at !== -1; at = where.indexOf(what, at + what.length))
    matches.push({ from: at, to: at + what.length })
  return matches
}

export function touchesField({ segments }: ParagraphText, { from, to }: Match): boolean {
  return covered(segments, from, to).some(({ isField }) => isField)
}

function covered(segments: readonly Segment[], from: number, to: number): Segment[] {
  return segments.filter(({ start, text }) => start < to && start + text.length > from)
}

/** Replaces a stretch. The new text takes the formatting of the first replaced character. */
export function replaceStretch({ segments }: ParagraphText, { from, to }: Match, replacement: string): void {
  let rest: string | undefined = replacement
  for (const { node, run, text, start, isText } of covered(segments, from, to)) {
    const before = text.slice(0, Math.max(0, from - start))
    const after = text.slice(Math.min(text.length, Math.max(0, to - start)))
    const content = `${before}${rest ?? ''}${after}`
    rest = undefined
    if (isText) writeText(node, content)
    else if (content === '') remove(node)
    else replaceWith(node, ...textElements(content))
    if (elements(run).every(({ name }) => localName(name) === 'rPr')) remove(run)
  }
}

function writeText(node: Element, content: string): void {
  if (/[\n\t]/.test(content) || content === '') {
    replaceWith(node, ...textElements(content))
    return
  }
  setText(node, content)
  if (/^\s|\s$/.test(content)) setAttribute(node, 'xml:space', 'preserve')
}

/** Elements of a run for a text with tabs and line breaks. */
export function textElements(content: string, name = 'w:t'): Element[] {
  return fragment(textXml(content, name))
}

export function textXml(content: string, name = 'w:t'): string {
  return content
    .split(/([\n\t])/)
    .map((part) => {
      if (part === '\n') return '<w:br/>'
      if (part === '\t') return '<w:tab/>'
      return part === '' ? '' : `<${name} xml:space="preserve">${escapeXml(part)}</${name}>`
    })
    .join('')
}

/** Splits runs so that a stretch consists of whole runs, and returns them. */
export function isolate(paragraph: Element, fields: ReadonlySet<Element>, { from, to }: Match): Element[] {
  for (const at of [from, to]) {
    const { segments } = textOfParagraph(paragraph, fields)
    const hit = segments.find(({ start, text }) => start < at && at < start + text.length)
    const edge = hit === undefined ? segments.find(({ start }) => start === at) : undefined
    if (hit !== undefined) splitRun(hit.run, hit.node, at - hit.start)
    else if (edge !== undefined) splitRun(edge.run, edge.node, 0)
  }
  const { segments } = textOfParagraph(paragraph, fields)
  return [...new Set(covered(segments, from, to).map(({ run }) => run))]
}

/** Cuts a run before the character at `offset` of one of its elements. The second half becomes a new run. */
function splitRun(run: Element, node: Element, offset: number): void {
  const inner: Node[] = run.children.slice(run.children.indexOf(node))
  const before = run.children.slice(0, run.children.indexOf(node))
  const isFirst = before.every((each) => each.name === undefined || localName(each.name) === 'rPr')
  if (offset === 0 && isFirst) return
  const second = fragment(`<${run.name}/>`)[0]!
  const properties = child(run, 'rPr')
  insertAfter(run, second)
  const moved: Node[] = properties === undefined ? [] : [copyOf(properties)]
  if (offset > 0) {
    const text = contentOf(node)
    const rest = copyOf(node)
    setText(rest, text.slice(offset))
    setAttribute(rest, 'xml:space', 'preserve')
    setText(node, text.slice(0, offset))
    setAttribute(node, 'xml:space', 'preserve')
    moved.push(rest, ...inner.slice(1))
  } else moved.push(...inner)
  for (const each of moved) {
    remove(each)
    each.parent = second
    second.children.push(each)
  }
  second.isChanged = true
}

/** Marks runs as deleted by a tracked change. */
export function markDeleted(runs: readonly Element[], mark: () => string): Element[] {
  return runs.map((run) => {
    const copy = copyOf(run)
    for (const node of elements(copy)) {
      if (localName(node.name) === 't')
        replaceWith(
          node,
          ...fragment(
            xmlText(node)
              .replace(/^<([\w]+:)?t\b/, '<w:delText')
              .replace(/<\/([\w]+:)?t>$/, '</w:delText>'),
          ),
        )
      if (localName(node.name) === 'instrText') {
        replaceWith(
          node,
          ...fragment(`<w:delInstrText xml:space="preserve">${escapeXml(contentOf(node))}</w:delInstrText>`),
        )
      }
    }
    const deleted = fragment(`<w:del ${mark()}/>`)[0]!
    deleted.children.push(copy)
    copy.parent = deleted
    deleted.isChanged = true
    replaceWith(run, deleted)
    return deleted
  })
}

/** A run with the formatting of another. */
export function runLike(run: Element | undefined, content: string): string {
  const properties = child(run, 'rPr')
  return `<w:r>${properties === undefined ? '' : xmlText(properties)}${textXml(content)}</w:r>`
}

/** Replaces a stretch as a tracked change. */
export function replaceTracked(
  paragraph: Element,
  fields: ReadonlySet<Element>,
  match: Match,
  replacement: string,
  mark: () => string,
): void {
  const runs = isolate(paragraph, fields, match)
  const [first] = runs
  if (first === undefined) return
  const inserted = replacement === '' ? '' : runLike(first, replacement)
  const isInsideInsertion = first.parent !== undefined && localName(first.parent.name) === 'ins'
  const deleted = markDeleted(runs, mark)
  if (inserted === '') return
  const xml = isInsideInsertion ? inserted : `<w:ins ${mark()}>${inserted}</w:ins>`
  insertAfter(deleted.at(-1)!, ...fragment(xml))
}
