import {
  cutDelta,
  deltaOf,
  formatEvent,
  itemSize,
  joinDeltas,
  NamedError,
  type Chunk,
  type Frame,
  type LogItem,
  type Note,
  type RunLog,
  type Store,
} from '@troupe/core'
import type { Journal, Journalled } from './journal.ts'
import { createSubscriber, type Page, type Sink, type Subscriber } from './subscriber.ts'

/** The log of a live run: what is not yet journalled lies in memory, everything else is read from the journal. */
export interface LiveLog extends RunLog {
  /** The number of the last chunk. */
  readonly number: number
  /** Sends everything after `after`, then what comes live. `untilWaiting`: ends when only a person can go on. */
  subscribe(sink: Sink, options: { after: number; untilWaiting?: boolean }): () => void
  setWaiting(waiting: boolean): void
  /** Nothing that comes from now on is written or sent. */
  mute(): void
  /** No more chunks: subscribers are ended once they have everything. */
  end(): void
  /** Resolves when no subscriber is left. */
  unread(): Promise<void>
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
  /** Called for each chunk before anybody sees it. */
  onChunk?: (chunk: Chunk) => void
}

/** So much is journalled at once, without waiting for the next tick of the journal, and a frame holds not much more. */
const largestFrame = 1 << 18
/**
 * How far numbers jump after a crash. Nothing is sent whose number is further than this beyond the journal, so that no
 * client can hold a number that is given again.
 */
export const numberJump = 1 << 20
/** Frames that a subscriber reads at once. */
const framesPerPage = 4
/** Joined deltas are cut into pieces of this length where they are sent. */
const longestDelta = 1 << 15

export function createLiveLog(options: LiveLogOptions): LiveLog {
  const { runId, store, journal, onChunk } = options
  let seq = options.seq ?? 0
  let pending: LogItem[] = []
  let pendingFrom = options.from
  let writing: Frame[] = []
  let failure: unknown
  let held = false
  let waiting = false
  let muted = false
  let ended = false
  /** A new list at each change, so that one may leave while all are told. */
  let subscribers: readonly Subscriber[] = []
  const onUnread: (() => void)[] = []

  const journalled: Journalled = {
    take() {
      writing = framesOf(pending, { runId, seq, from: pendingFrom })
      seq += writing.length
      pending = []
      pendingFrom = log.number
      return writing
    },
    written() {
      writing = []
      failure = undefined
      if (!held) return
      held = false
      for (const subscriber of subscribers) subscriber.wake()
    },
    notWritten(error) {
      failure = error
      pending = [...writing.flatMap(({ items }) => items), ...pending]
      pendingFrom = memoryFrom()
      seq -= writing.length
      writing = []
    },
  }

  const log: LiveLog & { number: number } = {
    number: options.from,
    append(chunk) {
      if (muted) return
      onChunk?.(chunk)
      log.number += itemSize(chunk)
      keep(chunk)
      if (subscribers.length > 0) send(chunk)
    },
    note(note) {
      if (!muted) keep(note)
    },
    async sync() {
      if (muted || (pending.length === 0 && writing.length === 0)) return
      await journal.commit()
      if (failure !== undefined) throw notStored(failure)
    },
    subscribe(sink, { after, untilWaiting = false }) {
      const subscriber = createSubscriber(sink, after, {
        recent,
        read,
        over: () => ended || (untilWaiting && waiting),
        closed() {
          subscribers = subscribers.filter((other) => other !== subscriber)
          if (subscribers.length > 0) return
          for (const listener of onUnread.splice(0)) listener()
        },
      })
      subscribers = [...subscribers, subscriber]
      subscriber.wake()
      return () => subscriber.close()
    },
    setWaiting(now) {
      waiting = now
      if (now) for (const subscriber of subscribers) subscriber.check()
    },
    mute,
    end() {
      mute()
      ended = true
      for (const subscriber of subscribers) subscriber.check()
    },
    unread: () => (subscribers.length === 0 ? Promise.resolve() : new Promise((resolve) => onUnread.push(resolve))),
  }
  return log

  function keep(item: LogItem): void {
    const last = pending.at(-1)
    const joined = last === undefined || itemSize(last) > largestFrame ? undefined : joinDeltas(last, item)
    if (joined === undefined) pending.push(item)
    else pending[pending.length - 1] = joined
    journal.touch(journalled)
    if (log.number - pendingFrom > largestFrame) void journal.commit()
  }

  function send(chunk: Chunk): void {
    const { number } = log
    const mayGo = number <= sendable()
    if (!mayGo) held = true
    let event: string | undefined
    for (const subscriber of subscribers) {
      if (!subscriber.live) continue
      if (!mayGo) subscriber.hold()
      else subscriber.push(number, (event ??= formatEvent(number, chunk)))
    }
  }

  function mute(): void {
    if (muted) return
    muted = true
    journal.drop(journalled)
  }

  function memoryFrom(): number {
    return writing[0]?.from ?? pendingFrom
  }

  function sendable(): number {
    return journal.durable ? memoryFrom() + numberJump : Infinity
  }

  /** What lies in memory after this number, or undefined when the journal has to be read first. */
  function recent(after: number): Page | undefined {
    if (after < memoryFrom()) return undefined
    const events = [
      ...writing.flatMap((frame) => eventsOf(frame.items, frame.from, after)),
      ...eventsOf(pending, pendingFrom, after),
    ]
    const limit = sendable()
    if (log.number <= limit) return { events, upTo: log.number, complete: true }
    held = true
    const allowed = events.filter((event) => event.number <= limit)
    return { events: allowed, upTo: allowed.at(-1)?.number ?? after, complete: false }
  }

  /** Everything up to where memory began when it was asked is in the journal for certain. */
  async function read(after: number): Promise<Page> {
    const inJournal = memoryFrom()
    const frames = await store.frames.read(runId, after, framesPerPage)
    const events = frames.flatMap((frame) => eventsOf(frame.items, frame.from, after))
    return {
      events,
      upTo: frames.length < framesPerPage ? inJournal : (frames.at(-1)?.to ?? inJournal),
      complete: false,
    }
  }
}

/** Frames of a size that a slow client can be fed from. */
function framesOf(items: readonly LogItem[], first: { runId: string; seq: number; from: number }): Frame[] {
  const frames: Frame[] = []
  let { seq, from: to } = first
  for (const item of items) {
    let frame = frames.at(-1)
    if (frame === undefined || frame.to - frame.from > largestFrame) {
      frame = { runId: first.runId, seq: seq++, from: to, to, items: [] }
      frames.push(frame)
    }
    frame.items.push(item)
    to += itemSize(item)
    frame.to = to
  }
  return frames
}

/** The chunks of a frame that end after a number; a delta that the number cuts is cut, a long one goes in pieces. */
export function eventsOf(items: readonly LogItem[], from: number, after: number): LogEvent[] {
  const events: LogEvent[] = []
  let number = from
  for (const item of items) {
    const start = number
    number += itemSize(item)
    if (number <= after || isNote(item)) continue
    const chunk = (start < after ? cutDelta(item, after - start) : item) as Chunk
    pushInPieces(events, chunk, number)
  }
  return events
}

function pushInPieces(events: LogEvent[], chunk: Chunk, number: number): void {
  let rest = chunk
  for (;;) {
    const length = deltaOf(rest)?.length ?? 0
    if (length <= longestDelta) {
      events.push({ number, chunk: rest })
      return
    }
    events.push({ number: number - length + longestDelta, chunk: headOfDelta(rest, longestDelta) })
    rest = cutDelta(rest, longestDelta) as Chunk
  }
}

function headOfDelta(chunk: Chunk, length: number): Chunk {
  if (chunk.type === 'tool-input-delta') return { ...chunk, inputTextDelta: chunk.inputTextDelta.slice(0, length) }
  return { ...chunk, delta: (chunk as { delta: string }).delta.slice(0, length) } as Chunk
}

function isNote(item: LogItem): item is Note {
  return item.type.startsWith('$')
}

function notStored(cause: unknown): NamedError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new NamedError('NotStored', `What happens can no longer be written down: ${reason}.`, { status: 507, cause })
}
