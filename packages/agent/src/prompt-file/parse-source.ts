import { NamedError } from '@troupe/protocol'
import JSON5 from 'json5'
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import { isRecord } from '../prompt/slots.ts'

export interface ParsedSource {
  value: unknown
  place: SourcePosition
}

/** Thrown for text with invalid syntax. The caller adds the file name. */
export class PromptSyntaxError extends Error {
  readonly line: number

  constructor(message: string, line: number) {
    super(message)
    this.line = line
  }
}

/** Parses YAML 1.2, including aliases and merge keys. */
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

/** Finds the position of each value in a JSON5 text. The text is already parsed, so nothing is validated here. */
function json5Positions(text: string): SourcePosition {
  let at = 0
  let line = 1
  return value(1)

  function value(startLine: number): SourcePosition {
    skip()
    const here = startLine
    const entries = new Map<string, SourcePosition>()
    const opening = text[at]
    if (opening !== '{' && opening !== '[') {
      scalar()
      return { line: here, entries }
    }
    at++
    for (let index = 0; ; index++) {
      skip()
      if (at >= text.length || text[at] === '}' || text[at] === ']') break
      const entryLine = line
      if (opening === '{') {
        const key = scalar()
        skip()
        at++
        entries.set(key, value(entryLine))
      } else entries.set(String(index), value(entryLine))
    }
    at++
    return { line: here, entries }
  }

  function skip(): void {
    for (;;) {
      const rest = /\s+|,|\/\/[^\n]*|\/\*[\s\S]*?\*\//y
      rest.lastIndex = at
      const found = rest.exec(text)?.[0]
      if (found === undefined) return
      advance(found)
    }
  }

  function scalar(): string {
    const token = /"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'|[^\s,:{}[\]]+/y
    token.lastIndex = at
    const found = token.exec(text)?.[0] ?? text.slice(at, at + 1)
    advance(found)
    return found.replace(/^(["'])([\s\S]*)\1$/, '$2')
  }

  function advance(passed: string): void {
    at += passed.length
    line += passed.split('\n').length - 1
  }
}

/** Position of a value in a file: its line, and the positions of its entries by key or index. */
export interface SourcePosition {
  line: number
  entries: ReadonlyMap<string, SourcePosition>
}

export const unknownPosition: SourcePosition = { line: 1, entries: new Map() }

export function positionIn(place: SourcePosition, ...keys: (string | number)[]): SourcePosition {
  let found = place
  for (const key of keys) found = found.entries.get(String(key)) ?? { line: found.line, entries: new Map() }
  return found
}

export type Fail = (message: string, place: SourcePosition, key: string) => never

export function failInFile(file: string): Fail {
  return (message, { line }, key) => {
    throw promptFileError(file, line, key, message)
  }
}

export function promptFileError(file: string, line: number, key: string, message: string): NamedError {
  const at = key === '' ? '' : ` ${key}:`
  return new NamedError('BadPromptFile', `${file}:${line}:${at} ${message}`, { data: { file, line, key } })
}

/** Values for `${name}`. */
export type Mappings = Readonly<Record<string, unknown>>

/**
 * Substitutes mappings in keys and values at every depth. A value that is only `${name}` becomes the mapped value
 * itself, of any type. Inside a longer text it is inserted as text. An unknown name stays as written.
 */
export function substitute({ value, place }: ParsedSource, mappings: Mappings): ParsedSource {
  if (typeof value === 'string') return { value: substituteText(value, mappings), place }
  if (Array.isArray(value)) {
    const items = value.map((item: unknown, index) =>
      substitute({ value: item, place: entryPosition(place, String(index)) }, mappings),
    )
    return {
      value: items.map((item) => item.value),
      place: { ...place, entries: new Map(items.map((item, index) => [String(index), item.place])) },
    }
  }
  if (!isRecord(value)) return { value, place }
  const pairs = Object.entries(value).map(([key, item]) => {
    return [
      toText(substituteText(key, mappings)),
      substitute({ value: item, place: entryPosition(place, key) }, mappings),
    ] as const
  })
  return {
    value: Object.fromEntries(pairs.map(([key, item]) => [key, item.value])),
    place: { ...place, entries: new Map(pairs.map(([key, item]) => [key, item.place])) },
  }
}

const placeholder = /\$\{\s*([^}]+?)\s*\}/g

function substituteText(text: string, mappings: Mappings): unknown {
  const whole = /^\$\{\s*([^}]+?)\s*\}$/.exec(text)?.[1]
  if (whole !== undefined) return Object.hasOwn(mappings, whole) ? mappings[whole] : text
  return text.replace(placeholder, (literal, name: string) =>
    Object.hasOwn(mappings, name) ? toText(mappings[name]) : literal,
  )
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
}

function entryPosition(place: SourcePosition, key: string): SourcePosition {
  return place.entries.get(key) ?? { line: place.line, entries: new Map() }
}
