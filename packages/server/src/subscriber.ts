import { formatEvent } from '@troupe/core'
import type { LogEvent } from './live-log.ts'

/** Where a subscriber's bytes go. */
export interface Sink {
  /** Returns how many bytes wait to be sent. */
  write(text: string): number
  /** Calls back once when the bytes that wait have gone. */
  onDrain(callback: () => void): void
  end(): void
}

export interface Subscriber {
  /** Receives chunks as they come; otherwise it is catching up from the log. */
  readonly live: boolean
  start(): void
  push(number: number, event: string): void
  /** Looks whether it is over. */
  check(): void
  close(): void
}

interface Source {
  number(): number
  recent(after: number): LogEvent[] | undefined
  read(after: number): Promise<{ events: LogEvent[]; upTo: number }>
  over(): boolean
  closed(): void
}

/** A client that takes no more than this is cut off from the live stream and catches up from the log. */
const fullAt = 1 << 20
const flushAt = 1 << 16

export function createSubscriber(sink: Sink, after: number, source: Source): Subscriber {
  let sent = after
  let buffer = ''
  let live = false
  let closed = false

  return {
    get live() {
      return live
    },
    start: () => void catchUp(),
    push(number, event) {
      sent = number
      if (buffer === '') soon(flush)
      buffer += event
      if (buffer.length > flushAt) flush()
    },
    check,
    close,
  }

  /** Reads on from the log until nothing is missing, then goes live in the same tick. */
  async function catchUp(): Promise<void> {
    while (!closed) {
      const recent = source.recent(sent)
      const { events, upTo } = recent === undefined ? await source.read(sent) : { events: recent, upTo: sent }
      if (closed) return
      let text = ''
      for (const { number, chunk } of events) {
        text += formatEvent(number, chunk)
        sent = number
      }
      sent = Math.max(sent, upTo)
      if (text !== '' && sink.write(text) > fullAt) return sink.onDrain(() => void catchUp())
      if (recent !== undefined || sent >= source.number()) {
        live = true
        return check()
      }
    }
  }

  function flush(): void {
    if (closed || buffer === '') return
    const text = buffer
    buffer = ''
    if (sink.write(text) <= fullAt) return
    live = false
    sink.onDrain(() => void catchUp())
  }

  function check(): void {
    if (!live || closed || !source.over()) return
    flush()
    if (!live) return
    sink.end()
    close()
  }

  function close(): void {
    if (closed) return
    closed = true
    live = false
    source.closed()
  }
}

let queue: (() => void)[] = []

/** Once per turn of the event loop: chunks that come together leave in one write. */
function soon(work: () => void): void {
  if (queue.length === 0) setImmediate(drainQueue)
  queue.push(work)
}

function drainQueue(): void {
  const works = queue
  queue = []
  for (const work of works) work()
}
