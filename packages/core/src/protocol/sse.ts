import type { Chunk } from './message.ts'

export interface Event {
  /** The session's number after this chunk; what a client names to go on from here. */
  number: number | undefined
  chunk: Chunk
}

/** One chunk as it goes over the wire. */
export function formatEvent(number: number, chunk: Chunk): string {
  return `id: ${number}\ndata: ${JSON.stringify(chunk)}\n\n`
}

/** The chunks of a UI message stream, in any splitting of its bytes. Comments (keep-alive) and `[DONE]` are passed over. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<Event> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      rest += value
      // CRLF line ends are legal in SSE; a lone CR is not used by anyone who speaks this protocol.
      let end: number
      while ((end = rest.search(/\r?\n\r?\n/)) >= 0) {
        const event = parseEvent(rest.slice(0, end))
        rest = rest.slice(end).replace(/^\r?\n\r?\n/, '')
        if (event !== undefined) yield event
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function parseEvent(block: string): Event | undefined {
  let number: number | undefined
  let data = ''
  for (const line of block.split(/\r?\n/)) {
    if (line.startsWith('data:')) data += line.slice(5).trimStart()
    else if (line.startsWith('id:')) number = Number(line.slice(3))
  }
  if (data === '' || data === '[DONE]') return undefined
  return { number, chunk: JSON.parse(data) as Chunk }
}
