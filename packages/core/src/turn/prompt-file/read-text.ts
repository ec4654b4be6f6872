import JSON5 from 'json5'
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Document } from 'yaml'
import { json5Positions } from './json5-places.ts'
import { unknownPosition, type SourcePosition } from './place.ts'

export interface ParsedSource {
  value: unknown
  place: SourcePosition
}

/** Thrown for text that is not of its format; the caller names the file. */
export class PromptSyntaxError extends Error {
  readonly line: number

  constructor(message: string, line: number) {
    super(message)
    this.line = line
  }
}

/** YAML 1.2, aliases and merge keys included. */
export function parseYaml(text: string): ParsedSource {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true })
  const [problem] = document.errors
  if (problem !== undefined) throw new PromptSyntaxError(problem.message, lines.linePos(problem.pos[0]).line)
  return { value: document.toJS() as unknown, place: yamlPosition(document.contents, document, lines) }
}

export function parseJson5(text: string): ParsedSource {
  try {
    return { value: JSON5.parse(text), place: json5Positions(text) }
  } catch (error) {
    const { message, lineNumber } = error as { message: string; lineNumber?: number }
    throw new PromptSyntaxError(message.replace(/^JSON5: /, ''), lineNumber ?? 1)
  }
}

function yamlPosition(given: unknown, document: Document, lines: LineCounter, at?: number): SourcePosition {
  const node = isAlias(given) ? given.resolve(document) : given
  if (!isMap(node) && !isSeq(node)) return at === undefined ? unknownPosition : { line: at, entries: new Map() }
  const entries = new Map<string, SourcePosition>()
  for (const [index, item] of node.items.entries()) {
    if (isMap(node)) {
      const { key, value } = item as { key: unknown; value: unknown }
      if (isScalar(key)) entries.set(String(key.value), yamlPosition(value, document, lines, startLine(key, lines)))
    } else entries.set(String(index), yamlPosition(item, document, lines, startLine(item, lines)))
  }
  return { line: at ?? 1, entries }
}

function startLine(node: unknown, lines: LineCounter): number {
  const { range } = node as { range?: readonly [number, number, number] | null }
  return range == null ? 1 : lines.linePos(range[0]).line
}
