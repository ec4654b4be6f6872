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
  push(number: number, event: string): void
  /** What comes now may not be sent yet: it is caught up with after `wake`. */
  hold(): void
  /** Goes on catching up, unless the client has to take something first. */
  wake(): void
  /** Looks whether it is over. */
  check(): void
  close(): void
}

/** A piece of the log. `upTo`: there is nothing more up to this number. `complete`: nor beyond it, for now. */
export interface Page {
  events: LogEvent[]
  upTo: number
  complete: boolean
}

interface Source {
  /** From memory; undefined when the journal has to be read first. */
  recent: (after: number) => Page | undefined
  /** From the journal: at most so much as a client may be owed. */
  read: (after: number) => Promise<Page>
  over: () => boolean
  closed: () => void
}

/** A client that takes no more than this is cut off from the live stream and catches up from the log. */
const fullAt = 1 << 20
const flushAt = 1 << 16

/**
 * Exactly one of three things goes on at any time: it is `live`, it is `catching` up, or it is `full` and waits for the
 * client; else it is `held` until the log wakes it.
 */
export function createSubscriber(sink: Sink, after: number, source: Source): Subscriber {
  let state: 'live' | 'catching' | 'full' | 'held' | 'closed' = 'held'
  let sent = after
  let buffer = ''

  const subscriber = {
    live: false,
    push(number: number, event: string): void {
      sent = number
      if (buffer === '') soon(flush)
      buffer += event
      if (buffer.length > flushAt) flush()
    },
    hold(): void {
      flush()
      if (state === 'live') become('held')
    },
    wake(): void {
      if (state === 'held') void catchUp()
    },
    check,
    close,
  }
  return subscriber

  function become(now: typeof state): void {
    state = now
    subscriber.live = now === 'live'
  }

  /** Reads on from the log until nothing is missing, then goes live in the same tick. */
  async function catchUp(): Promise<void> {
    become('catching')
    for (;;) {
      const page = source.recent(sent) ?? (await source.read(sent).catch(lost))
      if (state !== 'catching' || page === undefined || !send(page)) return
      if (page.complete) {
        become('live')
        return check()
      }
      if (page.events.length === 0 && page.upTo <= sent) {
        become('held')
        return
      }
      sent = page.upTo
    }
  }

  /** False when the client has to take something first. */
  function send(page: Page): boolean {
    let text = ''
    for (const { number, chunk } of page.events) {
      text += formatEvent(number, chunk)
      sent = number
      if (text.length <= flushAt) continue
      if (!write(text)) return false
      text = ''
    }
    return text === '' || write(text)
  }

  /** Hands text to the sink; false, and on its way again once it is drained, when that has enough. */
  function write(text: string): boolean {
    let waiting: number
    try {
      waiting = sink.write(text)
    } catch {
      // Whoever cannot be written to has gone; nobody else may suffer from it.
      close()
      return false
    }
    if (waiting <= fullAt) return true
    become('full')
    sink.onDrain(() => {
      if (state === 'full') void catchUp()
    })
    return false
  }

  function flush(): void {
    if (buffer === '' || state === 'closed') return
    const text = buffer
    buffer = ''
    write(text)
  }

  function check(): void {
    if (state !== 'live' || !source.over()) return
    flush()
    if (state === 'live') end()
  }

  /** The log could not be read: the client will ask again where it stood. */
  function lost(): undefined {
    if (state !== 'closed') end()
  }

  function end(): void {
    sink.end()
    close()
  }

  function close(): void {
    if (state === 'closed') return
    become('closed')
    buffer = ''
    source.closed()
  }
}

/** How often subscribers are written to at most, in milliseconds: a person sees no difference, a system call less does. */
const beat = 25

let queue: (() => void)[] = []
let lastBeat = 0

/** At once after a pause, else with the next beat: chunks that come together leave in one write. */
function soon(work: () => void): void {
  if (queue.length === 0) {
    const wait = lastBeat + beat - performance.now()
    if (wait > 0) setTimeout(drainQueue, wait)
    else setImmediate(drainQueue)
  }
  queue.push(work)
}

function drainQueue(): void {
  lastBeat = performance.now()
  const works = queue
  queue = []
  for (const work of works) work()
}
