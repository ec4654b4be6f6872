import type { Author, Chunk, Part } from './message.ts'

/**
 * Output of a run in progress. Chunks go to every subscriber and, within 250 ms, to the journal. Notes are private and
 * only journaled.
 *
 * Numbers: each chunk advances the session's number by `itemSize(chunk)`: the length of a delta's text, else 1. A
 * chunk's number is its end. Joined deltas can therefore be split again at any number a client sends.
 */
export interface RunLog {
  append(chunk: Chunk): void
  note(note: Note): void
  /** Resolves when everything appended so far survives a crash. */
  sync(): Promise<void>
}

/** Private journal entries; never on the wire. */
export type Note =
  /** Another process resumes the run. Written before it sends anything, so that its numbers are never reused. */
  | { type: '$resume'; attempt: number }
  /** A model call starts. `elapsedMs`: total time the run has worked so far, across processes. */
  | { type: '$step'; step: number; attempt: number; elapsedMs?: number }
  | {
      type: '$model-end'
      step: number
      calls: NotedCall[]
      finishReason: string
      usage?: Record<string, number>
      elapsedMs?: number
    }
  /** A tool call that is not read-only is about to run. `input` is as given by the model or the user. */
  | { type: '$call'; toolCallId: string; input: unknown }
  /** Child process group of a tool call. `startTime` comes from the kernel, so that a reused pid is never killed. */
  | { type: '$process'; toolCallId: string; pid: number; startTime: string }
  /** The model had read this file, in this state, when a person was asked about a change to it. */
  | { type: '$seen'; path: string; stamp: { sha256: string; mtimeMs: number; size: number; partial: boolean } }
  | { type: '$repair'; toolCallId: string; before: string; after: string }
  | { type: '$spend'; usage: Record<string, number> }
  /** An accepted steering message. It is injected at the next step boundary. */
  | ({ type: '$steer' } & SteeringMessage)

export interface SteeringMessage {
  id: string
  text: string
  /** Parts for the commands, skills and mentions it names. Placed before it. */
  brought?: Part[]
  /** Rules that apply without approval from then on, one list per active skill. */
  unasked?: string[][]
  /** In team mode. */
  author?: Author
}

export interface NotedCall {
  toolCallId: string
  toolName: string
  input: unknown
  actionName?: string
  /** Set if the call never reached a tool: unknown name, invalid input. */
  invalid?: string
}

export type LogItem = Chunk | Note

/** A journal row: consecutive items with deltas joined. The first item starts after `from`, the last ends at `to`. */
export interface Frame {
  runId: string
  seq: number
  from: number
  to: number
  items: LogItem[]
}

/**
 * Returns how far an item advances the session's number: a delta by its length, other chunks by one, private notes by
 * zero.
 */
export function itemSize(item: LogItem): number {
  const text = deltaText(item)
  if (text !== undefined && text.length > 0) return text.length
  return item.type.startsWith('$') ? 0 : 1
}

export function deltaText(item: LogItem): string | undefined {
  switch (item.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return (item as { delta: string }).delta
    case 'tool-input-delta':
      return (item as { inputTextDelta: string }).inputTextDelta
    default:
      return undefined
  }
}

/** Joins two adjacent deltas of one part. Returns undefined if joining would lose information. */
export function joinDeltas(a: LogItem, b: LogItem): LogItem | undefined {
  if (a.type !== b.type) return undefined
  if (a.type === 'text-delta' || a.type === 'reasoning-delta') {
    const next = b as typeof a
    if (a.id !== next.id || a.delta === '' || next.delta === '') return undefined
    if (a.providerMetadata !== undefined || next.providerMetadata !== undefined) return undefined
    return { type: a.type, id: a.id, delta: a.delta + next.delta }
  }
  if (a.type === 'tool-input-delta') {
    const next = b as typeof a
    if (a.toolCallId !== next.toolCallId || a.inputTextDelta === '' || next.inputTextDelta === '') return undefined
    return { type: a.type, toolCallId: a.toolCallId, inputTextDelta: a.inputTextDelta + next.inputTextDelta }
  }
  return undefined
}

export function sliceDelta(item: LogItem, count: number): LogItem {
  if (item.type === 'tool-input-delta') {
    return { ...item, inputTextDelta: item.inputTextDelta.slice(count) }
  }
  const chunk = item as Extract<LogItem, { type: 'text-delta' }>
  return { ...chunk, delta: chunk.delta.slice(count) }
}

export interface StreamEvent {
  /** The session's number after this chunk. Clients send it to resume from here. */
  number: number | undefined
  chunk: Chunk
}

export function formatEvent(number: number, chunk: Chunk): string {
  return `id: ${number}\ndata: ${JSON.stringify(chunk)}\n\n`
}

/**
 * Reads the chunks of a UI message stream, with bytes split anywhere. Skips comments (keep-alive) and `[DONE]`. Ignores
 * an event truncated by the end of the stream. Throws if an event is not a chunk. Canceling the iteration cancels the
 * body. Linear in bytes.
 */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const parser = createParser()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      for (const event of parser(decoder.decode(value, { stream: true }))) yield event
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function createParser(): (text: string) => Generator<StreamEvent> {
  // Only appended to until the line ends: searching it for every piece would be quadratic.
  let begun = ''
  let data: string | undefined
  let number: number | undefined
  return function* (text) {
    let start = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      const line = begun + text.slice(start, end)
      begun = ''
      start = end + 1
      // CRLF line ends are legal in SSE. No client or server of this protocol uses a lone CR.
      const event = takeLine(line.endsWith('\r') ? line.slice(0, -1) : line)
      if (event !== undefined) yield event
    }
    begun += text.slice(start)
  }

  function takeLine(line: string): StreamEvent | undefined {
    if (line === '') return endEvent()
    if (line.startsWith('data:')) {
      const value = fieldValue(line, 5)
      data = data === undefined ? value : `${data}\n${value}`
    } else if (line.startsWith('id:')) {
      const value = Number(fieldValue(line, 3) || Number.NaN)
      number = Number.isSafeInteger(value) ? value : undefined
    }
    return undefined
  }

  function endEvent(): StreamEvent | undefined {
    const event = data === undefined || data === '[DONE]' ? undefined : { number, chunk: parseChunk(data, number) }
    data = undefined
    number = undefined
    return event
  }
}

function fieldValue(line: string, from: number): string {
  return line.slice(line.charAt(from) === ' ' ? from + 1 : from)
}

/** The error omits the event's text, which is private conversation content. */
function parseChunk(data: string, number: number | undefined): Chunk {
  const which = number === undefined ? 'An event' : `Event ${number}`
  let chunk: unknown
  try {
    chunk = JSON.parse(data)
  } catch {
    throw new Error(`${which} of the stream is not valid JSON (${data.length} characters).`)
  }
  const { type } = (chunk ?? {}) as { type?: unknown }
  if (typeof type !== 'string') throw new Error(`${which} of the stream is not a chunk: it has no type.`)
  return chunk as Chunk
}
