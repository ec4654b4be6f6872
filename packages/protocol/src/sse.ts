import type { Chunk } from './message.ts'

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
