import type { RunRecord, Store } from '@troupe/core'
import {
  type Chunk,
  deltaText,
  formatEvent,
  type Frame,
  itemSize,
  joinDeltas,
  type LogItem,
  NamedError,
  type Note,
  type RunLog,
  sliceDelta,
} from '@troupe/protocol'
import type { Sink } from '../http/route.ts'
import { isServerFault, storageFault } from '../util/storage-fault.ts'
import type { Journal, Journalled } from './journal.ts'
import { createSubscriber, type LogEvent, type LogPage, type LogSource, type Subscriber } from './subscriber.ts'

/** The log of a live run. Unwritten data is in memory, the rest is read from the journal. */
export interface LiveLog extends RunLog {
  readonly number: number
  /**
   * Sends everything after `after`, then live events. `untilWaiting` ends the stream once the run waits for the user.
   */
  subscribe(sink: Sink, options: { after: number; untilWaiting?: boolean }): () => void
  setWaiting(waiting: boolean): void
  /** Discards all later chunks. */
  mute(): void
  /** Ignores all later chunks and notes, but still writes what it has. */
  seal(): void
  /** Disconnects all readers without an end, so that they continue elsewhere. */
  cut(): void
  /** Accepts no more chunks. Subscribers end once they have everything. */
  end(): void
  unread(): Promise<void>
}

export interface LiveLogOptions {
  runId: string
  store: Pick<Store, 'frames'>
  journal: Journal
  /** The first chunk's number follows this one. */
  from: number
  /** Number of frames written by an earlier process. */
  seq?: number
  /** The run, if it is not stored yet. Stored with the first frames. */
  begun?: RunRecord | undefined
  /** A crash before the first frame starts the run again, so its first chunks need no frame of their own. */
  restarts?: boolean
  /** Called for each chunk before anyone sees it. */
  onChunk?: (chunk: Chunk) => void
}

/** Reaching this size triggers an immediate journal write. Frames are not much larger. */
const maxFrameBytes = 1 << 18
/**
 * Gap in numbers after a crash. Nothing is sent with a number further beyond the journal than this, so no client can
 * hold a number that is reused.
 */
export const numberJump = 1 << 20
/** Numbers set aside for each of several answers to one message. More than any log has. */
export const columnNumbers = 1 << 30
const framesPerPage = 4
/** Joined deltas are sent in pieces of this length. */
const maxDeltaLength = 1 << 15

export function createLiveLog(options: LiveLogOptions): LiveLog {
  return new JournalledLog(options)
}

/** A class, because prototype methods cost no memory per log and hundreds may be open. */
class JournalledLog implements LiveLog, Journalled, LogSource {
  number: number
  begun: RunRecord | undefined
  readonly #options: LiveLogOptions
  #seq: number
  #pending: LogItem[] = []
  #pendingFrom: number
  #writing: Frame[] = []
  #failure: unknown
  #held = false
  /** Number of the chunk that tells clients that the answer is complete. */
  #finish = Number.POSITIVE_INFINITY
  #waiting = false
  #muted = false
  #sealed = false
  #ended = false
  /** Copied on every change, so a subscriber can leave during iteration. */
  #subscribers: readonly Subscriber[] = []
  #onUnread: (() => void)[] | undefined

  constructor(options: LiveLogOptions) {
    this.#options = options
    this.number = options.from
    this.begun = options.begun
    this.#seq = options.seq ?? 0
    this.#pendingFrom = options.from
  }

  get isClosed(): boolean {
    return this.#muted
  }

  append(chunk: Chunk): void {
    if (this.#muted || this.#sealed) return
    this.#options.onChunk?.(chunk)
    this.number += itemSize(chunk)
    if (chunk.type === 'finish') this.#finish = this.number
    this.#keep(chunk)
    if (this.#subscribers.length > 0) this.#send(chunk)
  }

  note(note: Note): void {
    if (!this.#muted && !this.#sealed) this.#keep(note)
  }

  async sync(): Promise<void> {
    if (this.#muted || (this.#pending.length === 0 && this.#writing.length === 0)) return
    if (this.#isRepeatable()) {
      this.#options.journal.drop(this)
      return
    }
    await this.#options.journal.commit(this)
    if (this.#failure !== undefined) throw notStored(this.#failure)
  }

  subscribe(sink: Sink, { after, untilWaiting = false }: { after: number; untilWaiting?: boolean }): () => void {
    const subscriber = createSubscriber(sink, { after, untilWaiting }, this)
    this.#subscribers = [...this.#subscribers, subscriber]
    subscriber.wake()
    return () => subscriber.close()
  }

  setWaiting(now: boolean): void {
    this.#waiting = now
    if (now) for (const subscriber of this.#subscribers) subscriber.check()
  }

  mute(): void {
    if (this.#muted) return
    this.#muted = true
    this.#options.journal.drop(this)
  }

  seal(): void {
    this.#sealed = true
  }

  cut(): void {
    this.mute()
    for (const subscriber of this.#subscribers) subscriber.cut()
  }

  end(): void {
    this.mute()
    this.#ended = true
    this.#finish = Number.POSITIVE_INFINITY
    this.#release()
    for (const subscriber of this.#subscribers) subscriber.check()
  }

  unread(): Promise<void> {
    if (this.#subscribers.length === 0) return Promise.resolve()
    return new Promise((resolve) => (this.#onUnread ??= []).push(resolve))
  }

  take(): Frame[] {
    const { runId } = this.#options
    this.#writing = splitIntoFrames(this.#pending, { runId, seq: this.#seq, from: this.#pendingFrom })
    this.#seq += this.#writing.length
    this.#pending = []
    this.#pendingFrom = this.number
    return this.#writing
  }

  written(): void {
    this.begun = undefined
    this.#writing = []
    this.#failure = undefined
    this.#release()
  }

  notWritten(error: unknown): void {
    this.#failure = error
    this.#pending = [...this.#writing.flatMap(({ items }) => items), ...this.#pending]
    this.#pendingFrom = this.#memoryFrom()
    this.#seq -= this.#writing.length
    this.#writing = []
  }

  /** Returns events in memory after this number, or undefined if the journal must be read first. */
  recent(after: number): LogPage | undefined {
    if (after < this.#memoryFrom()) return undefined
    const events = [
      ...this.#writing.flatMap((frame) => eventsAfter(frame.items, frame.from, after)),
      ...eventsAfter(this.#pending, this.#pendingFrom, after),
    ]
    const limit = this.#sendable()
    if (this.number <= limit) return { events, upTo: this.number, complete: true }
    this.#held = true
    const allowed = events.filter((event) => event.number <= limit)
    return { events: allowed, upTo: allowed.at(-1)?.number ?? after, complete: false }
  }

  /** Everything before the start of memory at call time is certainly in the journal. More may be written meanwhile. */
  async read(after: number): Promise<LogPage> {
    const { store, runId } = this.#options
    const inJournal = this.#memoryFrom()
    const frames = await store.frames.read(runId, after, framesPerPage)
    const events = frames.flatMap((frame) => eventsAfter(frame.items, frame.from, after))
    const last = frames.at(-1)?.to ?? 0
    return { events, upTo: frames.length < framesPerPage ? Math.max(inJournal, last) : last, complete: false }
  }

  over(untilWaiting: boolean): boolean {
    return this.#ended || (untilWaiting && this.#waiting)
  }

  closed(subscriber: Subscriber): void {
    this.#subscribers = this.#subscribers.filter((other) => other !== subscriber)
    if (this.#subscribers.length > 0) return
    const listeners = this.#onUnread
    this.#onUnread = undefined
    for (const listener of listeners ?? []) listener()
  }

  #keep(item: LogItem): void {
    const { journal } = this.#options
    const last = this.#pending.at(-1)
    const joined = last === undefined || itemSize(last) > maxFrameBytes ? undefined : joinDeltas(last, item)
    if (joined === undefined) this.#pending.push(item)
    else this.#pending[this.#pending.length - 1] = joined
    journal.touch(this)
    if (this.number - this.#pendingFrom > maxFrameBytes) void journal.commit(this)
  }

  #send(chunk: Chunk): void {
    const { number } = this
    const mayGo = number <= this.#sendable()
    if (!mayGo) this.#held = true
    let event: string | undefined
    for (const subscriber of this.#subscribers) {
      if (!subscriber.live) continue
      if (!mayGo) subscriber.hold()
      else subscriber.push(number, (event ??= formatEvent(number, chunk)))
    }
  }

  /** True if a restart would append everything so far again. */
  #isRepeatable(): boolean {
    return this.#options.restarts === true && this.#seq === 0 && this.#pending.every(isBeginning)
  }

  #release(): void {
    if (!this.#held) return
    this.#held = false
    for (const subscriber of this.#subscribers) subscriber.wake()
  }

  #memoryFrom(): number {
    return this.#writing[0]?.from ?? this.#pendingFrom
  }

  /** A client does not come back after `finish`, so it gets that only once no crash can take it back. */
  #sendable(): number {
    const written = this.#memoryFrom()
    const limit = written + numberJump
    return written < this.#finish ? Math.min(limit, this.#finish - 1) : limit
  }
}

/** Limits frame size so that slow clients can be served frame by frame. */
function splitIntoFrames(items: readonly LogItem[], first: { runId: string; seq: number; from: number }): Frame[] {
  const frames: Frame[] = []
  let { seq, from: to } = first
  for (const item of items) {
    let frame = frames.at(-1)
    if (frame === undefined || frame.to - frame.from > maxFrameBytes) {
      frame = { runId: first.runId, seq: seq++, from: to, to, items: [] }
      frames.push(frame)
    }
    frame.items.push(item)
    to += itemSize(item)
    frame.to = to
  }
  return frames
}

/** Returns a frame's chunks after a number. Cuts a delta at that number and splits long ones. */
export function eventsAfter(items: readonly LogItem[], from: number, after: number): LogEvent[] {
  const events: LogEvent[] = []
  let number = from
  for (const item of items) {
    const start = number
    number += itemSize(item)
    if (number <= after || isNote(item)) continue
    const chunk = (start < after ? sliceDelta(item, after - start) : item) as Chunk
    pushInPieces(events, chunk, number)
  }
  return events
}

function pushInPieces(events: LogEvent[], chunk: Chunk, number: number): void {
  let rest = chunk
  for (;;) {
    const length = deltaText(rest)?.length ?? 0
    if (length <= maxDeltaLength) {
      events.push({ number, chunk: rest })
      return
    }
    events.push({ number: number - length + maxDeltaLength, chunk: deltaHead(rest, maxDeltaLength) })
    rest = sliceDelta(rest, maxDeltaLength) as Chunk
  }
}

function deltaHead(chunk: Chunk, length: number): Chunk {
  if (chunk.type === 'tool-input-delta') return { ...chunk, inputTextDelta: chunk.inputTextDelta.slice(0, length) }
  return { ...chunk, delta: (chunk as { delta: string }).delta.slice(0, length) } as Chunk
}

function isBeginning(item: LogItem): boolean {
  if (item.type === '$step') return item.step === 1
  return item.type === 'start' || item.type === 'start-step' || item.type === 'data-session-title'
}

function isNote(item: LogItem): item is Note {
  return item.type.startsWith('$')
}

function notStored(cause: unknown): NamedError {
  const reason = storageFault(cause)?.message ?? (cause instanceof Error ? `${cause.message}.` : String(cause))
  return new NamedError('NotStored', `The run stopped because it could not be saved. ${reason}`, {
    status: isServerFault(cause) ? 503 : 507,
    cause,
  })
}
