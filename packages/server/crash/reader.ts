import { cleanMessage, foldChunks, readEvents, type StreamEvent, type Message } from '@troupe/core'

/** What a client holds of one answer: the events it saw, in whichever connections. */
export interface Reader {
  events: StreamEvent[]
  /** The number to name when it connects again; undefined before it has one. */
  after(): number | undefined
  /** Forgets everything behind a number that it held once, as a client does that kept only that. */
  forgetAfter(index: number): void
  /** Reads a stream to its end, or until it breaks. */
  read(body: ReadableStream<Uint8Array>): Promise<void>
  finished(): boolean
  /** The fold of its own events, cleaned as the server cleans what it stores. */
  message(): Message
}

export function createReader(): Reader {
  const reader: Reader = {
    events: [],
    after: () => reader.events.at(-1)?.number,
    forgetAfter: (index) => void (reader.events.length = Math.min(reader.events.length, index + 1)),
    async read(body) {
      for await (const event of readEvents(body)) {
        // All of it is sent again: to whoever holds a number that a crash has made void.
        if (event.chunk.type === 'start' || (event.number ?? 0) <= (reader.after() ?? -1)) reader.events.length = 0
        reader.events.push(event)
      }
    },
    finished: () => reader.events.some(({ chunk }) => chunk.type === 'finish'),
    message: () => cleanMessage(foldChunks(reader.events.map(({ chunk }) => chunk)), { run: 'ended' }),
  }
  return reader
}
