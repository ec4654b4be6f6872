import {
  type InstantEvent,
  type PathNode,
  type PathTree,
  type PatternSegment,
  type ResetEvent,
  wildcard,
} from '../json/path.ts'
import { EventQueue } from './event-queue.ts'
import { type Arrived, type Handled, type HandlerContext, keyNeverArrived } from './output-stream-types.ts'
import type { PathValidator, ValidationRound } from './round.ts'

export type PathWatcher = KeyReader | PathValidator

interface KeyReader {
  readonly kind: 'reader'
  readonly pattern: readonly PatternSegment[]
  arrive(event: InstantEvent, round: ValidationRound): void
}

interface AwaitedReader extends KeyReader {
  readonly key: string
  /** True if a value arrived in this round. */
  hasArrived: boolean
  /** True if everything arrived in this round or can no longer arrive. */
  isSatisfied: boolean
  /** Watched only to detect when the reader is satisfied. */
  holders: readonly KeyReader[]
  satisfied?(): void
  reset?(event: ResetEvent): void
  end(): void
  fail(error: unknown): void
}

export interface KeyReadersOptions {
  readonly places: PathTree<PathWatcher>
  /** Replays past events. With a pattern, only the complete values it matches. */
  readonly lookBack: (
    tell: (event: InstantEvent, place: PathNode<PathWatcher>) => void,
    pattern?: readonly PatternSegment[],
  ) => void
  readonly onSatisfied: () => void
  readonly onHandlerError: (error: unknown) => void
}

type Handler = (value: unknown, context: HandlerContext) => unknown

export class KeyReaders {
  readonly #options: KeyReadersOptions
  readonly #awaited = new Set<AwaitedReader>()
  readonly #queues = new Set<EventQueue<InstantEvent | ResetEvent>>()
  readonly #running = new Set<Promise<void>>()
  readonly #errors: unknown[] = []
  readonly #over = Promise.withResolvers<void>()
  #round: ValidationRound
  #isClosed = false
  #failure: { error: unknown } | undefined
  #isChecking = false
  /** Readers added during a replay. They look back once it is done. */
  #latecomers: (() => void)[] | undefined
  #satisfiedRound: ValidationRound | undefined
  /** The current text may turn out not to be part of the answer. */
  #isHeld = false

  constructor(options: KeyReadersOptions, round: ValidationRound) {
    this.#options = options
    this.#round = round
  }

  hasHandlers = false

  get wantAll(): boolean {
    return this.#queues.size > 0
  }

  emit(event: InstantEvent, place: PathNode<PathWatcher>): void {
    for (const queue of this.#queues) queue.push(event)
    if (event.isComplete && !this.#isHeld) this.#deliver(event, place)
  }

  /** Holds back keys, handlers and validators until `release`. `instant()` continues. */
  hold(): void {
    this.#isHeld = true
  }

  release(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    this.replay(() =>
      this.#options.lookBack((event, place) => {
        if (event.isComplete) this.#deliver(event, place)
      }),
    )
  }

  /** Discards all events so far and restarts the answer within the same attempt. */
  restart(round: ValidationRound, reason: string): void {
    const isHeld = this.#isHeld
    this.reset(round, reason)
    this.#isHeld = isHeld
  }

  #deliver(event: InstantEvent, place: PathNode<PathWatcher>): void {
    if (place.watching === undefined) return
    const concerned = this.#options.places.concerned(place, event.indexes)
    const validators = concerned.filter((watcher) => watcher.kind === 'validator')
    if (validators.length > 0) this.#round.judge(event, validators)
    for (const watcher of concerned) if (watcher.kind === 'reader') this.#offer(watcher, event)
  }

  replay(tellAll: () => void): void {
    this.#latecomers = []
    tellAll()
    const latecomers = this.#latecomers
    this.#latecomers = undefined
    for (const join of latecomers) join()
  }

  reset(round: ValidationRound, reason: string): void {
    this.#round.controller.abort()
    this.#round = round
    this.#isHeld = false
    const event: ResetEvent = { type: 'reset', reason, attempt: round.attempt }
    for (const reader of this.#awaited) {
      reader.hasArrived = false
      reader.isSatisfied = false
      reader.reset?.(event)
    }
    for (const queue of this.#queues) queue.push(event)
  }

  close(): void {
    if (this.#isOver) return
    this.#isClosed = true
    for (const reader of this.#awaited) reader.end()
    for (const queue of this.#queues) queue.close()
    this.#over.resolve()
  }

  fail(error: unknown): void {
    if (this.#isOver) return
    this.#failure = { error }
    this.#round.controller.abort(error)
    for (const reader of this.#awaited) reader.fail(error)
    for (const queue of this.#queues) queue.fail(error)
    this.#over.resolve()
  }

  key(key: string, pattern: readonly PatternSegment[], isOptional: boolean): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const reader = this.#reader(key, pattern, {
      arrive: (event) => {
        this.#remove(reader)
        resolve(event.value)
      },
      end: () => (isOptional ? resolve(undefined) : reject(keyNeverArrived(key))),
      fail: reject,
    })
    this.#join(() => this.#add(reader))
    return promise
  }

  waitKeys(
    keys: readonly { key: string; pattern: readonly PatternSegment[] }[],
    { optional = false, resets = false }: { optional?: boolean; resets?: boolean },
  ): AsyncIterableIterator<Arrived | ResetEvent> {
    const leave = (): void => readers.forEach((reader) => this.#remove(reader))
    const queue = new EventQueue<Arrived | ResetEvent>(leave)
    let ended = 0
    const readers = keys.map(({ key, pattern }, index) =>
      this.#reader(key, pattern, {
        arrive: ({ path, indexes, value, completion = 'observed' }, { attempt }) => {
          queue.push({ type: 'key', key, path, indexes, value, completion, attempt })
        },
        satisfied: () => {
          const isDone = (reader: AwaitedReader): boolean =>
            reader.isSatisfied && (reader.hasArrived || reader.pattern.includes(wildcard))
          if (resets || !readers.every(isDone)) return
          leave()
          queue.close()
        },
        // All readers are reset together, so the first one reports it.
        reset: (event) => {
          if (resets && index === 0) queue.push(event)
        },
        end: () => {
          if (++ended < readers.length) return
          const missing = readers.find((reader) => !reader.hasArrived && !reader.pattern.includes(wildcard))
          if (optional || missing === undefined) queue.close()
          else queue.fail(keyNeverArrived(missing.key))
        },
        fail: (error) => queue.fail(error),
      }),
    )
    if (readers.length === 0) queue.close()
    this.#join(() => readers.forEach((reader) => this.#add(reader)))
    return queue
  }

  when(key: string, pattern: readonly PatternSegment[], handler: Handler): void {
    this.hasHandlers = true
    const reader = this.#reader(key, pattern, {
      arrive: (event, round) => this.#handle(key, handler, event, round),
      end: () => undefined,
      fail: () => undefined,
    })
    this.#join(() => this.#add(reader))
  }

  async handled(): Promise<readonly Handled[]> {
    await this.settled()
    return Promise.all(this.#round.handled.map(async ({ result, ...rest }) => ({ ...rest, result: await result })))
  }

  instant(): AsyncIterableIterator<InstantEvent | ResetEvent> {
    const queue = new EventQueue<InstantEvent | ResetEvent>(() => this.#queues.delete(queue), joinDeltas)
    this.#join(() => this.#addQueue(queue))
    return queue
  }

  #addQueue(queue: EventQueue<InstantEvent | ResetEvent>): void {
    this.#options.lookBack((event) => queue.push(event))
    if (this.#failure !== undefined) queue.fail(this.#failure.error)
    else if (this.#isClosed) queue.close()
    else this.#queues.add(queue)
  }

  #join(join: () => void): void {
    if (this.#latecomers === undefined) join()
    else this.#latecomers.push(join)
  }

  /** Resolves when the answer is over and every handler has ended, including those of dropped attempts. */
  async settled(): Promise<void> {
    await this.#over.promise
    while (this.#running.size > 0) await Promise.all(this.#running)
    if (this.#failure !== undefined) throw this.#failure.error
    if (this.#errors.length === 0) return
    if (this.#errors.length === 1) throw this.#errors[0]
    throw new AggregateError(this.#errors, `${this.#errors.length} handlers failed: ${String(this.#errors[0])}`)
  }

  get #isOver(): boolean {
    return this.#isClosed || this.#failure !== undefined
  }

  #reader(
    key: string,
    pattern: readonly PatternSegment[],
    rest: Pick<AwaitedReader, 'arrive' | 'satisfied' | 'reset' | 'end' | 'fail'>,
  ): AwaitedReader {
    const reader: AwaitedReader = {
      kind: 'reader',
      key,
      pattern,
      hasArrived: false,
      isSatisfied: false,
      holders: [],
      ...rest,
      arrive: (event, round) => {
        reader.hasArrived = true
        rest.arrive(event, round)
        if (!pattern.includes(wildcard)) this.#satisfy(reader)
      },
    }
    // Once the parent is complete, no further match can arrive.
    const star = pattern.indexOf(wildcard)
    const depth = star === -1 ? pattern.length - 1 : star
    reader.holders = Array.from({ length: depth + 1 }, (_, length) => ({
      kind: 'reader',
      pattern: pattern.slice(0, length),
      arrive: () => this.#satisfy(reader),
    }))
    return reader
  }

  #add(reader: AwaitedReader): void {
    if (this.#failure !== undefined) return reader.fail(this.#failure.error)
    this.#awaited.add(reader)
    for (const one of [reader, ...reader.holders]) {
      this.#options.places.root.admit(one)
      // A reader added while events are held gets them on release.
      if (!this.#isHeld) this.#options.lookBack((event) => this.#offer(one, event), one.pattern)
    }
    if (this.#isClosed && this.#awaited.has(reader)) reader.end()
  }

  #remove(reader: AwaitedReader): void {
    this.#awaited.delete(reader)
    for (const one of [reader, ...reader.holders]) this.#options.places.root.dismiss(one)
  }

  #offer(reader: KeyReader, event: InstantEvent): void {
    const round = this.#round
    const accepted = round.accepts(event.path)
    if (accepted === true) return reader.arrive(event, round)
    if (accepted === false) return
    void accepted.then((isGood) => {
      if (isGood && round === this.#round && !this.#isOver) reader.arrive(event, round)
    })
  }

  #satisfy(reader: AwaitedReader): void {
    reader.isSatisfied = true
    reader.satisfied?.()
    if (this.#isChecking || this.#isOver || this.#satisfiedRound === this.#round) return
    this.#isChecking = true
    // Deferred, because a caller that just got a key may request the next one.
    setImmediate(() => {
      this.#isChecking = false
      if (this.#isOver || ![...this.#awaited].every((one) => one.isSatisfied)) return
      this.#satisfiedRound = this.#round
      this.#options.onSatisfied()
    })
  }

  #handle(key: string, handler: Handler, event: InstantEvent, round: ValidationRound): void {
    const { path, wildcardPath, indexes, value, completion = 'observed' } = event
    const { attempt, controller } = round
    const context = { path, wildcardPath, indexes, completion, attempt, signal: controller.signal }
    const result = (async () => handler(value, context))()
    round.handled.push({ key, path, indexes, value, result })
    const running = result
      .then(
        () => undefined,
        (error: unknown) => this.#failed(error, controller.signal),
      )
      .finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  /** A handler that aborts because its value was discarded has not failed. */
  #failed(error: unknown, signal: AbortSignal): void {
    if (signal.aborted && (error === signal.reason || (error as Error | undefined)?.name === 'AbortError')) return
    this.#errors.push(error)
    this.#options.onHandlerError(error)
  }
}

function joinDeltas(
  last: InstantEvent | ResetEvent,
  next: InstantEvent | ResetEvent,
): InstantEvent | ResetEvent | undefined {
  if (last.type === 'reset' || next.type === 'reset' || last.isComplete || last.path !== next.path) return undefined
  if (typeof last.value !== 'string' || typeof next.value !== 'string') return undefined
  return { ...next, delta: last.delta + next.delta }
}
