import { yieldToEventLoop } from './concurrency.ts'

const [quote, backslash, comma, openList, closeList, openObject, closeObject] = [
  0x22, 0x5c, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d,
]
/** Maximum bytes parsed at once. */
const pieceBytes = 64 * 1024
const scanBytes = 1024 * 1024
/** Maximum bytes of a string that are read at once. */
const stringBytes = 512 * 1024

export interface JsonLimits {
  depth: number
  /** Maximum number of values. Each takes many times its text size in memory. */
  values: number
}

export class JsonProblem extends Error {
  readonly kind: 'TooDeep' | 'TooManyValues' | 'BadJson'
  constructor(kind: JsonProblem['kind'], message: string) {
    super(message)
    this.kind = kind
  }
}

/**
 * Parses JSON of any size like `JSON.parse`, but in slices that yield to the event loop. Checks the limits before
 * building anything. Throws `JsonProblem`.
 */
export async function parseJson(bytes: Buffer, limits: JsonLimits): Promise<unknown> {
  const large = await measure(bytes, limits)
  const start = skipSpace(bytes, 0, bytes.length)
  if (bytes[start] === quote) {
    const last = large.get(start) ?? endOfString(bytes, start)
    if (skipSpace(bytes, last + 1, bytes.length) < bytes.length) throw notJson('it continues after its end')
    return readString(bytes, start, last)
  }
  const end = large.get(start)
  if (end === undefined) {
    // A small value surrounded by whitespace, or an unterminated one.
    const last = lastNotSpace(bytes)
    if (last - start > pieceBytes) throw notJson('it ends too early or continues after its end')
    return parseText(bytes.toString('utf8', start, last + 1))
  }
  if (skipSpace(bytes, end + 1, bytes.length) < bytes.length) throw notJson('it continues after its end')
  return assemble(bytes, start, large)
}

/** Maps the start of each list, object or string too large to parse at once to its end. */
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
      case quote: {
        const start = at
        for (at = endOfString(bytes, start, scanBytes); at < 0; at = endOfString(bytes, start, scanBytes, -at))
          await yieldToEventLoop()
        if (at - start > stringBytes) large.set(start, at)
        break
      }
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
    if (values > limits.values) throw new JsonProblem('TooManyValues', `it has more than ${limits.values} values`)
  }
  return large
}

interface JsonFrame {
  into: unknown[] | Record<string, unknown>
  end: number
  /** Start of the unparsed text. Undefined after a large member until the next comma. */
  from: number | undefined
  /** Position of the last comma, or the start of the members. */
  comma: number
}

/** Builds large containers member by member, and parses adjacent small members together. */
async function assemble(bytes: Buffer, start: number, large: Map<number, number>): Promise<unknown> {
  const root = openFrame(bytes, start, large)
  const frames = [root]
  let at = start + 1
  let depth = 0
  for (let frame: JsonFrame | undefined = root; frame !== undefined;) {
    if (at > frame.end) throw notJson('brackets do not match')
    const byte = bytes[at]
    if (byte === quote) {
      const last = large.get(at) ?? endOfString(bytes, at)
      if (last - at > stringBytes) {
        putValue(frame.into, leadIn(frame, at), await readString(bytes, at, last))
        frame.from = undefined
      }
      at = last
    } else if (at === frame.end) {
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
        await yieldToEventLoop()
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
    if (text.trim() === '') throw notJson('a value is missing at a comma')
    if (Array.isArray(frame.into)) for (const value of parseText(`[${text}]`) as unknown[]) frame.into.push(value)
    else for (const [key, value] of Object.entries(parseText(`{${text}}`) as object)) putValue(frame.into, key, value)
  }

  /** Consumes the text before a large member and returns its key. */
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

/** Reads a string in slices. `start` and `end`: its quotes. */
async function readString(bytes: Buffer, start: number, end: number): Promise<string> {
  if (end - start <= stringBytes) return parseText(bytes.toString('utf8', start, end + 1)) as string
  if (end === bytes.length) throw notJson('a string has no end')
  const pieces: string[] = []
  for (let from = start + 1; from < end;) {
    const to = Math.min(endOfSlice(bytes, from), end)
    pieces.push(parseText(`"${bytes.toString('utf8', from, to)}"`) as string)
    from = to
    await yieldToEventLoop()
  }
  return pieces.join('')
}

/** Returns where a slice of a string ends: in no escape and in no character. */
function endOfSlice(bytes: Buffer, from: number): number {
  let end = from + stringBytes
  const slice = bytes.subarray(0, end)
  for (let at = slice.indexOf(backslash, from); at !== -1; at = slice.indexOf(backslash, at)) {
    at += bytes[at + 1] === 0x75 ? 6 : 2
    end = Math.max(end, at)
  }
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end++
  return end
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

/**
 * Returns the end of the string that starts here: the first quote preceded by an even number of backslashes. After
 * `most` bytes it returns the negative place to continue at.
 */
function endOfString(bytes: Buffer, start: number, most = Infinity, from = start + 1): number {
  for (let end = from - 1; ;) {
    end = bytes.indexOf(quote, end + 1)
    if (end === -1) return bytes.length
    let before = end - 1
    while (before > start && bytes[before] === backslash) before--
    if ((end - 1 - before) % 2 === 0) return end
    if (end - from > most) return -(end + 1)
  }
}

function skipSpace(bytes: Buffer, from: number, to: number): number {
  let at = from
  while (at < to && isSpace(bytes[at])) at++
  return at
}

function lastNotSpace(bytes: Buffer): number {
  let at = bytes.length - 1
  while (at >= 0 && isSpace(bytes[at])) at--
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
  /** Describes the error. Never quotes the text, which may contain keys. */
  message: string
}

/** Locates the first JSON error, which `JSON.parse` does not always report. Returns undefined for valid JSON. */
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
