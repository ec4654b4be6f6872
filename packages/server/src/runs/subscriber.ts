import { type Chunk, formatEvent } from '@troupe/protocol'
import type { Sink } from '../http/stream-response.ts'

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
export interface LogPage {
  events: LogEvent[]
  upTo: number
  complete: boolean
}

/** The log, as a subscriber sees it. */
export interface LogSource {
  /** From memory; undefined when the journal has to be read first. */
  recent: (after: number) => LogPage | undefined
  /** From the journal: at most so much as a client may be owed. */
  read: (after: number) => Promise<LogPage>
  /** Whether nothing more comes. `untilWaiting`: for those who go when only a person can go on. */
  over: (untilWaiting: boolean) => boolean
  closed: (subscriber: Subscriber) => void
}

/** A client that takes no more than this is cut off from the live stream and catches up from the log. */
const fullAt = 1 << 20
const flushAt = 1 << 16

/**
 * Exactly one of three things goes on at any time: it is `live`, it is `catching` up, or it is `full` and waits for the
 * client; else it is `held` until the log wakes it. A class, since hundreds may stand open.
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

  close(): void {
    if (this.#state === 'closed') return
    this.#become('closed')
    this.#buffer = ''
    this.#source.closed(this)
  }

  /** Hands what waits to the sink. */
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

  /** Reads on from the log until nothing is missing, then goes live in the same tick. */
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

  /** False when the client has to take something first. */
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

  /** Hands text to the sink; false, and on its way again once it is drained, when that has enough. */
  #write(text: string): boolean {
    let waiting: number
    try {
      waiting = this.#sink.write(text)
    } catch {
      // Whoever cannot be written to has gone; nobody else may suffer from it.
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

  /** The log could not be read: the client will ask again where it stood. */
  #lost(): undefined {
    if (this.#state !== 'closed') this.#end()
  }

  #end(): void {
    this.#sink.end()
    this.close()
  }
}

/** How often subscribers are written to at most, in milliseconds: a person sees no difference, a system call less does. */
const flushMs = 25
/** Where hundreds read at once, chunks wait longer for each other, so that writing takes a twentieth of the time and no more. */
const maxFlushMs = 100
const maxWriteShare = 20

let queue: SinkSubscriber[] = []
let nextBeat = 0

/** At once after a pause, else with the next beat: chunks that come together leave in one write. */
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
  // Node hands what a response was given to its socket in a tick of its own; all of them were asked for before this one.
  process.nextTick(() => {
    const took = performance.now() - began
    nextBeat = began + Math.min(maxFlushMs, Math.max(flushMs, maxWriteShare * took))
  })
}

export interface LogEvent {
  number: number
  chunk: Chunk
}
