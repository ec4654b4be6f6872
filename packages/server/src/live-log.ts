import { cutDelta, formatEvent, itemSize, joinDeltas, type Chunk, type Frame, type LogItem, type Note, type RunLog, type Store } from '@troupe/core'
import type { Journal, Journalled } from './journal.ts'
import { createSubscriber, type Sink, type Subscriber } from './subscriber.ts'

/** The log of a live run: what is not yet journalled lies in memory, everything else is read from the journal. */
export interface LiveLog extends RunLog {
  /** The number of the last chunk. */
  readonly number: number
  /** Sends everything after `after`, then what comes live. `untilWaiting`: ends when only a person can go on. */
  subscribe(sink: Sink, options: { after: number; untilWaiting?: boolean }): () => void
  setWaiting(waiting: boolean): void
  /** No more chunks: subscribers are ended once they have everything. */
  end(): void
}

export interface LogEvent {
  number: number
  chunk: Chunk
}

export interface LiveLogOptions {
  runId: string
  store: Pick<Store, 'frames'>
  journal: Journal
  /** The first chunk comes after this number. */
  from: number
  /** Frames that an earlier process wrote. */
  seq?: number
  onItem?(item: LogItem): void
}

/** A frame is not let grow beyond this, so that numbers after a crash can jump ahead of any that a client may hold. */
const largestFrame = 1 << 18
/** How far numbers jump after a crash: beyond everything that may have been sent and not journalled. */
export const numberJump = 1 << 20

export function createLiveLog(options: LiveLogOptions): LiveLog {
  const { runId, store, journal, onItem } = options
  let seq = options.seq ?? 0
  let number = options.from
  let pending: LogItem[] = []
  let pendingFrom = number
  let writing: Frame | undefined
  let waiting = false
  let ended = false
  const subscribers = new Set<Subscriber>()

  const journalled: Journalled = {
    take() {
      if (pending.length === 0) return undefined
      writing = { runId, seq: seq++, from: pendingFrom, to: number, items: pending }
      pending = []
      pendingFrom = number
      return writing
    },
    written() {
      writing = undefined
    },
    notWritten() {
      if (writing === undefined) return
      pending = [...writing.items, ...pending]
      pendingFrom = writing.from
      seq--
      writing = undefined
    },
  }

  return {
    get number() {
      return number
    },
    append(chunk) {
      number += itemSize(chunk)
      keep(chunk)
      if (subscribers.size > 0) {
        let event: string | undefined
        for (const subscriber of subscribers) {
          if (!subscriber.live) continue
          event ??= formatEvent(number, chunk)
          subscriber.push(number, event)
        }
      }
      onItem?.(chunk)
    },
    note(note) {
      keep(note)
      onItem?.(note)
    },
    sync() {
      return pending.length === 0 && writing === undefined ? Promise.resolve() : journal.commit()
    },
    subscribe(sink, { after, untilWaiting = false }) {
      const subscriber = createSubscriber(sink, after, {
        number: () => number,
        recent: (from) => recent(from),
        read: (from) => read(from),
        over: () => ended || (untilWaiting && waiting),
        closed: () => subscribers.delete(subscriber),
      })
      subscribers.add(subscriber)
      subscriber.start()
      return () => subscriber.close()
    },
    setWaiting(now) {
      waiting = now
      if (now) for (const subscriber of subscribers) subscriber.check()
    },
    end() {
      ended = true
      for (const subscriber of subscribers) subscriber.check()
    },
  }

  function keep(item: LogItem): void {
    join(item)
    journal.touch(journalled)
    if (number - pendingFrom > largestFrame) void journal.commit().catch(() => undefined)
  }

  function join(item: LogItem): void {
    const last = pending.at(-1)
    const joined = last === undefined ? undefined : joinDeltas(last, item)
    if (joined === undefined) pending.push(item)
    else pending[pending.length - 1] = joined
  }

  /** What lies in memory after this number, or undefined when the journal has to be read first. */
  function recent(after: number): LogEvent[] | undefined {
    if (after < memoryFrom()) return undefined
    return [...(writing === undefined ? [] : eventsOf(writing.items, writing.from, after)), ...eventsOf(pending, pendingFrom, after)]
  }

  function memoryFrom(): number {
    return writing?.from ?? pendingFrom
  }

  /** Everything up to where memory began when it was asked is in the journal for certain; more may have come since. */
  async function read(after: number): Promise<{ events: LogEvent[]; upTo: number }> {
    const upTo = memoryFrom()
    const frames = await store.frames.read(runId, after)
    return { events: frames.flatMap((frame) => eventsOf(frame.items, frame.from, after)), upTo }
  }
}

/** The chunks of a frame that end after a number; a delta that the number cuts is cut. */
export function eventsOf(items: readonly LogItem[], from: number, after: number): LogEvent[] {
  const events: LogEvent[] = []
  let number = from
  for (const item of items) {
    const start = number
    number += itemSize(item)
    if (number <= after || isNote(item)) continue
    events.push({ number, chunk: (start < after ? cutDelta(item, after - start) : item) as Chunk })
  }
  return events
}

function isNote(item: LogItem): item is Note {
  return item.type.startsWith('$')
}
