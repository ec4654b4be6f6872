import type { Chunk } from './message.ts'

export interface StreamEvent {
  /** The session's number after this chunk; what a client names to go on from here. */
  number: number | undefined
  chunk: Chunk
}

/** One chunk as it goes over the wire. */
export function formatEvent(number: number, chunk: Chunk): string {
  return `id: ${number}\ndata: ${JSON.stringify(chunk)}\n\n`
}

/**
 * The chunks of a UI message stream, in any splitting of its bytes. Comments (keep-alive) and `[DONE]` are passed over;
 * an event that was cut off by the end of the stream never was. Throws where an event is not a chunk. Whoever stops
 * reading cancels the body. Linear in bytes, however they come.
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
  // Only ever appended to while a line goes on: searching it again for every piece would be quadratic.
  let begun = ''
  let data: string | undefined
  let number: number | undefined
  return function* (text) {
    let start = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      const line = begun + text.slice(start, end)
      begun = ''
      start = end + 1
      // CRLF line ends are legal in SSE; a lone CR is not used by anyone who speaks this protocol.
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

/** The text of a bad event is left out of the error: it belongs to somebody's conversation. */
function parseChunk(data: string, number: number | undefined): Chunk {
  const which = number === undefined ? 'An event' : `Event ${number}`
  let chunk: unknown
  try {
    chunk = JSON.parse(data)
  } catch {
    throw new Error(`${which} of the stream is not valid JSON (${data.length} characters).`)
  }
  const { type } = (chunk ?? {}) as { type?: unknown }
  if (typeof type !== 'string') throw new Error(`${which} of the stream is JSON but no chunk: it has no type.`)
  return chunk as Chunk
}
