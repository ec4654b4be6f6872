import type { RunRecord, Store } from '@troupe/core'
import type { Frame } from '@troupe/protocol'
import { setTimeout as delay } from 'node:timers/promises'
import type { Sink } from '../http/route.ts'
import { eventsAfter } from '../runs/live-log.ts'
import { runRequestOf } from '../runs/prepare-run.ts'
import { createSubscriber, type LogPage, type LogSource, type Subscriber } from '../runs/subscriber.ts'
import type { Follower, FrameFeed } from './frame-feed.ts'

/** Recent frames are kept for readers that follow closely. Slower ones read the database. */
const maxTail = 64
const framesPerPage = 4
/** The owner writes every 25 ms. A number that is not there after this time was lost with its node. */
const lateMs = 1000

/** Opens a run that another node executes, for reading. It follows the log from any number and through takeovers. */
export function openRemoteRun(record: RunRecord, options: { store: Store; feed: FrameFeed }): RemoteRun {
  return new RemoteRun(record, options)
}

export class RemoteRun implements Follower, LogSource {
  readonly runId: string
  readonly messageId: string
  readonly userMessageId: string
  readonly column: string | undefined
  number: number
  readonly #record: RunRecord
  readonly #store: Store
  readonly #feed: FrameFeed
  /** As of the frames that have arrived. The record may be newer than those. */
  #status: RunRecord['status'] = 'running'
  #tail: Frame[] = []
  #tailFrom: number
  #subscribers: readonly Subscriber[] = []
  #unfollow: (() => void) | undefined

  constructor(record: RunRecord, { store, feed }: { store: Store; feed: FrameFeed }) {
    this.runId = record.id
    this.messageId = record.messageId
    this.userMessageId = record.userMessageId
    this.column = runRequestOf(record).column?.messageId
    this.number = record.fromNumber
    this.#tailFrom = record.fromNumber
    this.#record = record
    this.#store = store
    this.#feed = feed
  }

  /** Sends everything after the first of these numbers that the log contains, else the whole run. */
  subscribe(sink: Sink, options: { after?: number | readonly number[]; untilWaiting?: boolean }): () => void {
    const { untilWaiting = false } = options
    let subscriber: Subscriber | undefined
    let isClosed = false
    void this.#known([options.after ?? []].flat()).then((after) => {
      if (isClosed) return
      subscriber = createSubscriber(sink, { after, untilWaiting }, this)
      this.#subscribers = [...this.#subscribers, subscriber]
      this.#unfollow ??= this.#feed.follow(this)
      subscriber.wake()
    })
    return () => {
      isClosed = true
      subscriber?.close()
    }
  }

  onFrames(frames: readonly Frame[]): void {
    // The frames of an ended run are merged, so the first may begin with what has arrived.
    if (frames.some(({ from }) => from < this.number)) {
      this.#tail = []
      this.#tailFrom = this.number
    }
    this.#tail.push(...frames)
    this.number = frames.at(-1)?.to ?? this.number
    for (const dropped of this.#tail.splice(0, Math.max(0, this.#tail.length - maxTail))) this.#tailFrom = dropped.to
    for (const subscriber of this.#subscribers) {
      subscriber.hold()
      subscriber.wake()
    }
  }

  onState(status: RunRecord['status'] = 'interrupted'): void {
    this.#status = status
    for (const subscriber of this.#subscribers) subscriber.check()
  }

  recent(after: number): LogPage | undefined {
    if (after < this.#tailFrom) return undefined
    const events = this.#tail.flatMap((frame) => eventsAfter(frame.items, frame.from, after))
    return { events, upTo: Math.max(after, this.number), complete: true }
  }

  async read(after: number): Promise<LogPage> {
    const upTo = this.#tailFrom
    const frames = await this.#store.frames.read(this.runId, after, framesPerPage)
    const events = frames.flatMap((frame) => eventsAfter(frame.items, frame.from, after))
    const last = frames.at(-1)?.to ?? 0
    return { events, upTo: frames.length < framesPerPage ? Math.max(upTo, last) : last, complete: false }
  }

  over(untilWaiting: boolean): boolean {
    if (this.#status === 'running') return false
    return this.#status !== 'waiting' || untilWaiting
  }

  closed(subscriber: Subscriber): void {
    this.#subscribers = this.#subscribers.filter((other) => other !== subscriber)
    if (this.#subscribers.length > 0) return
    this.#unfollow?.()
    this.#unfollow = undefined
    this.#tail = []
    this.#tailFrom = this.number
  }

  /** A client may be ahead of the journal by a moment, or hold a number that a dead node never wrote. */
  async #known(numbers: readonly number[]): Promise<number> {
    const { fromNumber } = this.#record
    for (const begun = performance.now(); ; await delay(30)) {
      let isAhead = false
      for (const number of numbers) {
        if (number === fromNumber) return number
        const [frame] = await this.#store.frames.read(this.runId, number - 1, 1).catch(() => [])
        if (frame !== undefined && frame.from <= number) return number
        isAhead ||= frame === undefined && number > fromNumber
      }
      if (!isAhead || performance.now() - begun > lateMs) return fromNumber
    }
  }
}
