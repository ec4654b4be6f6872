import { type Chunk, formatEvent } from '@troupe/protocol'
import type { Sink } from '../http/route.ts'

export interface Subscriber {
  /** True while it receives live chunks, false while it catches up from the log. */
  readonly live: boolean
  push(number: number, event: string): void
  /** Withholds new chunks. They are caught up after `wake`. */
  hold(): void
  /** Continues catching up, unless the client is still draining. */
  wake(): void
  /** Closes the subscriber if the log is over. */
  check(): void
  /** Disconnects the client, which reconnects with its last number. */
  cut(): void
  close(): void
}

/** A page of the log. It contains everything up to `upTo`. `complete`: nothing more exists yet. */
export interface LogPage {
  events: LogEvent[]
  upTo: number
  complete: boolean
}

export interface LogSource {
  /** Reads from memory. Returns undefined if the journal must be read first. */
  recent: (after: number) => LogPage | undefined
  /** Reads from the journal, at most as much as may be buffered for a client. */
  read: (after: number) => Promise<LogPage>
  /** True if nothing more comes. `untilWaiting`: also true while the run waits for the user. */
  over: (untilWaiting: boolean) => boolean
  closed: (subscriber: Subscriber) => void
}

/** Buffer limit. A slower client leaves the live stream and catches up from the log. */
const fullAt = 1 << 20
const flushAt = 1 << 16

/**
 * Always in one state: `live`, `catching` up, `full` (waiting for the client), or `held` until the log wakes it. A
 * class, since hundreds may be open.
 */
export function createSubscriber(
  sink: Sink,
  options: { after: number; untilWaiting: boolean },
  source: LogSource,
): Subscriber {
  return new SinkSubscriber(sink, options, source)
}

type State = 'live' | 'catching' | 'full' | 'held' | 'closed'

class SinkSubscriber implements Subscriber {
  live = false
  readonly #sink: Sink
  readonly #source: LogSource
  readonly #untilWaiting: boolean
  #state: State = 'held'
  #sent: number
  #buffer = ''

  constructor(sink: Sink, { after, untilWaiting }: { after: number; untilWaiting: boolean }, source: LogSource) {
    this.#sink = sink
    this.#sent = after
    this.#untilWaiting = untilWaiting
    this.#source = source
  }

  push(number: number, event: string): void {
    this.#sent = number
    if (this.#buffer === '') scheduleFlush(this)
    this.#buffer += event
    if (this.#buffer.length > flushAt) this.flush()
  }

  hold(): void {
    this.flush()
    if (this.#state === 'live') this.#become('held')
  }

  wake(): void {
    if (this.#state === 'held') void this.#catchUp()
  }

  check(): void {
    if (this.#state !== 'live' || !this.#source.over(this.#untilWaiting)) return
    this.flush()
    if (this.live) this.#end()
  }

  cut(): void {
    this.#sink.cut()
    this.close()
  }

  close(): void {
    if (this.#state === 'closed') return
    this.#become('closed')
    this.#buffer = ''
    this.#source.closed(this)
  }

  flush(): void {
    if (this.#buffer === '' || this.#state === 'closed') return
    const text = this.#buffer
    this.#buffer = ''
    this.#write(text)
  }

  #become(now: State): void {
    this.#state = now
    this.live = now === 'live'
  }

  /** Reads the log until nothing is missing, then goes live in the same tick. */
  async #catchUp(): Promise<void> {
    this.#become('catching')
    for (;;) {
      const page = this.#source.recent(this.#sent) ?? (await this.#source.read(this.#sent).catch(() => this.#lost()))
      if (this.#state !== 'catching' || page === undefined || !this.#send(page)) return
      if (page.complete) {
        this.#become('live')
        return this.check()
      }
      if (page.events.length === 0 && page.upTo <= this.#sent) {
        this.#become('held')
        return
      }
      this.#sent = page.upTo
    }
  }

  /** Returns false if the client must drain first. */
  #send(page: LogPage): boolean {
    let text = ''
    for (const { number, chunk } of page.events) {
      text += formatEvent(number, chunk)
      this.#sent = number
      if (text.length <= flushAt) continue
      if (!this.#write(text)) return false
      text = ''
    }
    return text === '' || this.#write(text)
  }

  /** Writes text to the sink. Returns false if the sink is full, and resumes once it drains. */
  #write(text: string): boolean {
    let waiting: number
    try {
      waiting = this.#sink.write(text)
    } catch {
      // A failed write means the client is gone. Other clients must not be affected.
      this.close()
      return false
    }
    if (waiting <= fullAt) return true
    this.#become('full')
    this.#sink.onDrain(() => {
      if (this.#state === 'full') void this.#catchUp()
    })
    return false
  }

  /** The log could not be read. The client will reconnect at its last position. */
  #lost(): undefined {
    if (this.#state !== 'closed') this.#end()
  }

  #end(): void {
    this.#sink.end()
    this.close()
  }
}

/** Minimum interval between writes in milliseconds. Invisible to users, but saves system calls. */
const flushMs = 25
/** With hundreds of readers the interval grows, so that writing takes at most a twentieth of the time. */
const maxFlushMs = 100
const maxWriteShare = 20

let queue: SinkSubscriber[] = []
let nextBeat = 0

/** Flushes at once after a pause, else with the next interval, so that close chunks share one write. */
function scheduleFlush(subscriber: SinkSubscriber): void {
  if (queue.length === 0) {
    const wait = nextBeat - performance.now()
    if (wait > 0) setTimeout(drainQueue, wait)
    else setImmediate(drainQueue)
  }
  queue.push(subscriber)
}

function drainQueue(): void {
  const began = performance.now()
  nextBeat = began + flushMs
  const waiting = queue
  queue = []
  for (const subscriber of waiting) subscriber.flush()
  // Node passes response data to the socket in a separate tick. All of those ticks were queued before this one.
  process.nextTick(() => {
    const took = performance.now() - began
    nextBeat = began + Math.min(maxFlushMs, Math.max(flushMs, maxWriteShare * took))
  })
}

export interface LogEvent {
  number: number
  chunk: Chunk
}
