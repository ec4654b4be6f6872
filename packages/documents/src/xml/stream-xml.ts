import { Parser } from 'htmlparser2'
import { localName, type XmlElement } from './parse-xml.ts'

const maxDepth = 500
const maxNodes = 20_000_000

/**
 * Calls back with each child element of the elements named `parent`, and drops it afterwards, so that a long document
 * needs memory for one child at a time. `parent` is a local name; nested ones are part of their child.
 */
export function eachChild(source: string, parent: string, callback: (child: XmlElement) => void): void {
  let depth = 0
  let parentDepth = -1
  let nodes = 0
  const open: XmlElement[] = []
  const parser: Parser = new Parser(
    {
      onopentag(name, attributes) {
        depth++
        if (++nodes > maxNodes) throw new Error('The XML of the document is too large.')
        if (depth > maxDepth) throw new Error('The XML of the document is nested too deeply.')
        if (parentDepth === -1) {
          if (localName(name) === parent) parentDepth = depth
          return
        }
        const at = parser.endIndex + 1
        const element = {
          name,
          attributes,
          children: [],
          start: parser.startIndex,
          innerStart: at,
          innerEnd: at,
          end: at,
        }
        open.at(-1)?.children.push(element)
        open.push(element)
      },
      ontext(text) {
        const children = open.at(-1)?.children
        if (children === undefined) return
        if (++nodes > maxNodes) throw new Error('The XML of the document is too large.')
        const last = children.at(-1)
        if (last !== undefined && last.name === undefined) last.text += text
        else children.push({ text, start: parser.startIndex, end: parser.endIndex + 1 })
      },
      onclosetag() {
        if (depth === parentDepth) parentDepth = -1
        depth--
        const closed = open.pop()
        if (closed !== undefined && open.length === 0) callback(closed)
      },
    },
    { xmlMode: true, decodeEntities: true },
  )
  parser.end(source)
}
