/**
 * Pending items of one reader. Never drops anything. `join` may merge a new item into the last pending one, so a slow
 * reader's queue grows with the number of values, not of pieces.
 */
export class EventQueue<T> implements AsyncIterableIterator<T> {
  readonly #waiting: T[] = []
  readonly #waiters: PromiseWithResolvers<IteratorResult<T>>[] = []
  readonly #join: ((last: T, next: T) => T | undefined) | undefined
  readonly #onReturn: () => void
  #taken = 0
  #isClosed = false
  #error: { thrown: unknown } | undefined

  constructor(onReturn: () => void, join?: (last: T, next: T) => T | undefined) {
    this.#onReturn = onReturn
    this.#join = join
  }

  push(item: T): void {
    if (this.#isClosed) return
    const taker = this.#waiters.shift()
    if (taker !== undefined) return taker.resolve({ value: item, done: false })
    const last = this.#waiting.length - 1
    const joined = last < this.#taken ? undefined : this.#join?.(this.#waiting[last] as T, item)
    if (joined === undefined) this.#waiting.push(item)
    else this.#waiting[last] = joined
  }

  close(): void {
    this.#isClosed = true
    for (const taker of this.#waiters.splice(0)) taker.resolve({ value: undefined, done: true })
  }

  fail(thrown: unknown): void {
    if (this.#isClosed) return
    const [taker, ...others] = this.#waiters.splice(0)
    this.#isClosed = true
    if (taker === undefined) this.#error = { thrown }
    else taker.reject(thrown)
    for (const other of others) other.resolve({ value: undefined, done: true })
  }

  async next(): Promise<IteratorResult<T>> {
    if (this.#taken < this.#waiting.length) return { value: this.#take(), done: false }
    const error = this.#error
    if (error !== undefined) {
      this.#error = undefined
      throw error.thrown
    }
    if (this.#isClosed) return { value: undefined, done: true }
    const taker = Promise.withResolvers<IteratorResult<T>>()
    this.#waiters.push(taker)
    return taker.promise
  }

  return(): Promise<IteratorResult<T>> {
    this.#onReturn()
    this.#waiting.length = 0
    this.#taken = 0
    this.#error = undefined
    this.close()
    return Promise.resolve({ value: undefined, done: true })
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #take(): T {
    const item = this.#waiting[this.#taken++] as T
    if (this.#taken === this.#waiting.length || this.#taken > 1000) {
      this.#waiting.splice(0, this.#taken)
      this.#taken = 0
    }
    return item
  }
}

/** Buffers all pushed items for any number of readers. Each reads from the beginning. */
export class ReplayBuffer<Item> {
  #items: Item[] = []
  #ended = false
  #error: unknown
  #waiting: (() => void)[] = []

  push(item: Item): void {
    if (this.#ended) return
    this.#items.push(item)
    this.#wake()
  }

  /** With an error, readers get all earlier items before it is thrown. */
  end(error?: unknown): void {
    if (this.#ended) return
    this.#ended = true
    this.#error = error
    this.#wake()
  }

  async *read(): AsyncGenerator<Item, void, void> {
    for (let next = 0; ;) {
      while (next < this.#items.length) yield this.#items[next++] as Item
      if (this.#ended) break
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve)
      })
    }
    if (this.#error !== undefined) throw this.#error as Error
  }

  #wake(): void {
    if (this.#waiting.length === 0) return
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}
