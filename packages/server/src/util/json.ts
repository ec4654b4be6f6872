import { yieldToEventLoop } from './concurrency.ts'

const [quote, backslash, comma, openList, closeList, openObject, closeObject] = [
  0x22, 0x5c, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d,
]
/** What is parsed in one go. */
const pieceBytes = 64 * 1024
const scanBytes = 1024 * 1024

export interface JsonLimits {
  /** How deep lists and objects may lie in each other. */
  depth: number
  /** How many values there may be: each takes many times as much memory as its text. */
  values: number
}

/** What is wrong with a JSON text. */
export class JsonProblem extends Error {
  readonly kind: 'TooDeep' | 'TooManyValues' | 'BadJson'
  constructor(kind: JsonProblem['kind'], message: string) {
    super(message)
    this.kind = kind
  }
}

/**
 * The value of a JSON text of any size, the same as `JSON.parse` gives, in slices: the event loop turns meanwhile. Limits
 * are checked before anything is built. Throws `JsonProblem`.
 */
export async function parseJson(bytes: Buffer, limits: JsonLimits): Promise<unknown> {
  const large = await measure(bytes, limits)
  const start = skipSpace(bytes, 0, bytes.length)
  if (bytes.length <= pieceBytes || (bytes[start] !== openList && bytes[start] !== openObject)) {
    return parseText(bytes.toString('utf8'))
  }
  const end = large.get(start)
  if (end === undefined) {
    // A small value and a lot of space around it, or one that has no end.
    const rest = bytes.toString('utf8').trim()
    if (rest.length > pieceBytes) throw notJson('it ends too early or goes on after its end')
    return parseText(rest)
  }
  if (skipSpace(bytes, end + 1, bytes.length) < bytes.length) throw notJson('it goes on after its end')
  return assemble(bytes, start, large)
}

/** The ends of all lists and objects that are too large for one go, by their starts. */
async function measure(bytes: Buffer, limits: JsonLimits): Promise<Map<number, number>> {
  const large = new Map<number, number>()
  const open: number[] = []
  let values = 1
  let nextBreath = scanBytes
  for (let at = 0; at < bytes.length; at++) {
    if (at >= nextBreath) {
      await yieldToEventLoop()
      nextBreath = at + scanBytes
    }
    switch (bytes[at]) {
      case quote:
        at = endOfText(bytes, at)
        break
      case comma:
        values++
        break
      case openList:
      case openObject:
        values++
        if (open.push(at) > limits.depth)
          throw new JsonProblem('TooDeep', `it is nested deeper than ${limits.depth} levels`)
        break
      case closeList:
      case closeObject: {
        const start = open.pop()
        if (start !== undefined && at - start > pieceBytes) large.set(start, at)
        break
      }
      default:
    }
    if (values > limits.values) throw new JsonProblem('TooManyValues', `it holds more than ${limits.values} values`)
  }
  return large
}

interface JsonFrame {
  into: unknown[] | Record<string, unknown>
  end: number
  /** Where what was not parsed yet begins; undefined behind a large member, until the comma. */
  from: number | undefined
  /** The last comma, or where the members begin. */
  comma: number
}

/** Builds large containers member by member, small neighbors together in one go. */
async function assemble(bytes: Buffer, start: number, large: Map<number, number>): Promise<unknown> {
  const root = openFrame(bytes, start, large)
  const frames = [root]
  let at = start + 1
  /** How deep inside a small member. */
  let depth = 0
  for (let frame: JsonFrame | undefined = root; frame !== undefined;) {
    if (at > frame.end) throw notJson('brackets do not match')
    const byte = bytes[at]
    if (byte === quote) at = endOfText(bytes, at)
    else if (at === frame.end) {
      if (depth !== 0) throw notJson('brackets do not match')
      finish(frame)
      frames.pop()
      frame = frames.at(-1)
    } else if (byte === openList || byte === openObject) {
      if (large.has(at)) {
        const key = leadIn(frame, at)
        const inner = openFrame(bytes, at, large)
        putValue(frame.into, key, inner.into)
        frame.from = undefined
        frames.push(inner)
        frame = inner
      } else depth++
    } else if (byte === closeList || byte === closeObject) depth--
    else if (byte === comma && depth === 0) {
      if (frame.from === undefined) {
        frame.from = at + 1
        frame.comma = at
      } else if (at - frame.from > pieceBytes) {
        take(frame, frame.from, at)
        frame.from = at + 1
        frame.comma = at
        await yieldToEventLoop()
      } else frame.comma = at
    } else if (depth === 0 && frame.from === undefined && !isSpace(byte)) throw notJson('a comma is missing')
    at++
  }
  return root.into

  function take(frame: JsonFrame, from: number, to: number): void {
    const text = bytes.toString('utf8', from, to)
    if (text.trim() === '') throw notJson('something is missing at a comma')
    if (Array.isArray(frame.into)) for (const value of parseText(`[${text}]`) as unknown[]) frame.into.push(value)
    else for (const [key, value] of Object.entries(parseText(`{${text}}`) as object)) putValue(frame.into, key, value)
  }

  /** Takes what comes before a large member; gives the member's key. */
  function leadIn(frame: JsonFrame, to: number): string {
    if (frame.from === undefined || depth !== 0) throw notJson('a comma is missing')
    if (frame.comma >= frame.from) take(frame, frame.from, frame.comma)
    const lead = bytes.toString('utf8', Math.max(frame.from, frame.comma + 1), to)
    if (!Array.isArray(frame.into)) {
      const [key] = Object.keys(parseText(`{${lead} null}`) as object)
      if (key !== undefined) return key
    } else if (lead.trim() === '') return ''
    throw notJson('a comma is missing')
  }

  function finish(frame: JsonFrame): void {
    if (frame.from === undefined) return
    const isEmpty = bytes[frame.from - 1] !== comma && skipSpace(bytes, frame.from, frame.end) === frame.end
    if (!isEmpty) take(frame, frame.from, frame.end)
  }
}

function openFrame(bytes: Buffer, start: number, large: Map<number, number>): JsonFrame {
  const end = large.get(start)!
  const isList = bytes[start] === openList
  if (bytes[end] !== (isList ? closeList : closeObject)) throw notJson('brackets do not match')
  return { into: isList ? [] : {}, end, from: start + 1, comma: start }
}

function putValue(into: JsonFrame['into'], key: string, value: unknown): void {
  if (Array.isArray(into)) into.push(value)
  else if (key === '__proto__')
    Object.defineProperty(into, key, { value, enumerable: true, configurable: true, writable: true })
  else into[key] = value
}

/** Where the text that begins here ends: at the first quote with an even number of backslashes before it. */
function endOfText(bytes: Buffer, start: number): number {
  for (let end = start; ;) {
    end = bytes.indexOf(quote, end + 1)
    if (end === -1) return bytes.length
    let before = end - 1
    while (bytes[before] === backslash) before--
    if ((end - 1 - before) % 2 === 0) return end
  }
}

function skipSpace(bytes: Buffer, from: number, to: number): number {
  let at = from
  while (at < to && isSpace(bytes[at])) at++
  return at
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw notJson((error as Error).message)
  }
}

function notJson(message: string): JsonProblem {
  return new JsonProblem('BadJson', message)
}

interface JsonError {
  line: number
  column: number
  /** What is wrong there. Never quotes the text: it may hold keys. */
  message: string
}

/** Where a text stops being JSON, which `JSON.parse` does not always say. Undefined when it is JSON. */
export function findJsonError(text: string): JsonError | undefined {
  let at = 0
  try {
    value()
    skip()
    if (at < text.length) fail('nothing may follow here')
    return undefined
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error
    const before = text.slice(0, error.at)
    return { line: before.split('\n').length, column: error.at - before.lastIndexOf('\n'), message: error.message }
  }

  function value(): void {
    skip()
    const next = text[at]
    if (next === '{') return list('}', entry)
    if (next === '[') return list(']', value)
    if (next === '"') return string()
    const word = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/y
    word.lastIndex = at
    if (!word.test(text)) fail(at < text.length ? 'a value is expected' : 'the text ends too early')
    at = word.lastIndex
  }

  function list(end: string, item: () => void): void {
    at++
    skip()
    if (text[at] === end) {
      at++
      return
    }
    for (;;) {
      item()
      skip()
      if (text[at] === end) {
        at++
        return
      }
      if (text[at] !== ',') fail(at < text.length ? `"," or "${end}" is expected` : `"${end}" is missing`)
      at++
    }
  }

  function entry(): void {
    skip()
    if (text[at] !== '"') fail('a name in double quotes is expected')
    string()
    skip()
    if (text[at] !== ':') fail('":" is expected')
    at++
    value()
  }

  function string(): void {
    const start = at
    // eslint-disable-next-line no-control-regex -- these are what a string may not hold
    const whole = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*/y
    whole.lastIndex = at
    whole.test(text)
    at = whole.lastIndex
    if (text[at] === '"') {
      at++
      return
    }
    if (at >= text.length || text[at] === '\n') at = start
    fail(at === start ? 'this string does not end' : 'this character must be escaped')
  }

  function skip(): void {
    while (at < text.length && ' \t\r\n'.includes(text.charAt(at))) at++
  }

  function fail(message: string): never {
    throw new JsonFault(message, at)
  }
}

class JsonFault extends Error {
  readonly at: number
  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}
