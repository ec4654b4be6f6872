import JSON5 from 'json5'
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Document } from 'yaml'
import { json5Places } from './json5-places.ts'
import { nowhere, type Place } from './place.ts'

export interface ReadText {
  value: unknown
  place: Place
}

/** Thrown for text that is not of its format; the caller names the file. */
export class BadText extends Error {
  readonly line: number

  constructor(message: string, line: number) {
    super(message)
    this.line = line
  }
}

/** YAML 1.2, aliases and merge keys included. */
export function readYaml(text: string): ReadText {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true })
  const [problem] = document.errors
  if (problem !== undefined) throw new BadText(problem.message, lines.linePos(problem.pos[0]).line)
  return { value: document.toJS() as unknown, place: yamlPlace(document.contents, document, lines) }
}

export function readJson5(text: string): ReadText {
  try {
    return { value: JSON5.parse(text), place: json5Places(text) }
  } catch (error) {
    const { message, lineNumber } = error as { message: string; lineNumber?: number }
    throw new BadText(message.replace(/^JSON5: /, ''), lineNumber ?? 1)
  }
}

function yamlPlace(given: unknown, document: Document, lines: LineCounter, at?: number): Place {
  const node = isAlias(given) ? given.resolve(document) : given
  if (!isMap(node) && !isSeq(node)) return at === undefined ? nowhere : { line: at, entries: new Map() }
  const entries = new Map<string, Place>()
  for (const [index, item] of node.items.entries()) {
    if (isMap(node)) {
      const { key, value } = item as { key: unknown; value: unknown }
      if (isScalar(key)) entries.set(String(key.value), yamlPlace(value, document, lines, lineOf(key, lines)))
    } else entries.set(String(index), yamlPlace(item, document, lines, lineOf(item, lines)))
  }
  return { line: at ?? 1, entries }
}

function lineOf(node: unknown, lines: LineCounter): number {
  const { range } = node as { range?: readonly [number, number, number] | null }
  return range == null ? 1 : lines.linePos(range[0]).line
}
