import { Parser } from 'htmlparser2'

export interface XmlElement {
  /** With its prefix: `w:p`. */
  name: string
  attributes: Readonly<Record<string, string>>
  children: (XmlElement | XmlText)[]
  /** Offsets in the source: the element is `source.slice(start, end)`, its content `slice(innerStart, innerEnd)`. */
  start: number
  innerStart: number
  innerEnd: number
  end: number
}

export interface XmlText {
  name?: undefined
  /** Without entities. */
  text: string
  start: number
  end: number
}

const maxDepth = 500
const maxNodes = 5_000_000

/**
 * Parses XML into a tree that knows its place in the source, so that an edit can replace one element and leave every
 * other byte alone. Entities declared in the document are not expanded, and nothing outside is loaded.
 */
export function parseXml(source: string): XmlElement {
  const root: XmlElement = element('', {}, 0, 0)
  const open: XmlElement[] = [root]
  let nodes = 0
  const count = (): void => {
    if (++nodes > maxNodes) throw new Error('The XML of the document is too large.')
  }
  // After an instruction, such as the declaration, the parser starts at its last character.
  const start = (): number => parser.startIndex + (source.startsWith('?>', parser.startIndex - 1) ? 1 : 0)
  const parser: Parser = new Parser(
    {
      onopentag(name, attributes) {
        count()
        if (open.length > maxDepth) throw new Error('The XML of the document is nested too deeply.')
        const child = element(name, attributes, start(), parser.endIndex + 1)
        open.at(-1)!.children.push(child)
        open.push(child)
      },
      ontext(text) {
        count()
        const { children } = open.at(-1)!
        const last = children.at(-1)
        if (last !== undefined && last.name === undefined && last.end === start()) {
          last.text += text
          last.end = parser.endIndex + 1
        } else children.push({ text, start: start(), end: parser.endIndex + 1 })
      },
      onclosetag() {
        const closed = open.pop()
        if (closed === undefined || closed === root) return
        closed.end = parser.endIndex + 1
        // A self-closing element is closed by the tag that opens it.
        closed.innerEnd = closed.innerStart === closed.end ? closed.end : Math.max(closed.innerStart, parser.startIndex)
      },
    },
    { xmlMode: true, decodeEntities: true },
  )
  parser.end(source)
  root.end = source.length
  root.innerEnd = source.length
  return root
}

function element(
  name: string,
  attributes: Readonly<Record<string, string>>,
  start: number,
  innerStart: number,
): XmlElement {
  return { name, attributes, children: [], start, innerStart, innerEnd: innerStart, end: innerStart }
}

/** Name without prefix: `p` of `w:p`. Documents choose their prefixes. */
export function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

/** The child elements, without texts. */
export function elementsOf(parent: XmlElement | undefined): XmlElement[] {
  return parent === undefined ? [] : parent.children.filter((child): child is XmlElement => child.name !== undefined)
}

export function childrenNamed(parent: XmlElement, local: string): XmlElement[] {
  return parent.children.filter(
    (child): child is XmlElement => child.name !== undefined && localName(child.name) === local,
  )
}

export function childNamed(parent: XmlElement | undefined, local: string): XmlElement | undefined {
  return parent?.children.find(
    (child): child is XmlElement => child.name !== undefined && localName(child.name) === local,
  )
}

/** Every element below with this local name, in document order. */
export function* descendants(parent: XmlElement, local: string): Generator<XmlElement> {
  for (const child of parent.children) {
    if (child.name === undefined) continue
    if (localName(child.name) === local) yield child
    yield* descendants(child, local)
  }
}

/** The text of an element and everything in it. */
export function textOf(node: XmlElement | XmlText): string {
  return node.name === undefined ? node.text : node.children.map(textOf).join('')
}

/** An attribute by its local name, whatever its prefix. */
export function attribute(node: Pick<XmlElement, 'attributes'>, local: string): string | undefined {
  const own = node.attributes[local]
  if (own !== undefined) return own
  const key = Object.keys(node.attributes).find((name) => localName(name) === local)
  return key === undefined ? undefined : node.attributes[key]
}

export function escapeXml(text: string): string {
  // Characters that XML 1.0 cannot contain make a document unreadable, so they are left out.
  return text
    .replace(/[^\t\n\r -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
