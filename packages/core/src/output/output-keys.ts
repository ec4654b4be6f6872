import type { Completion, InstantEvent, ResetEvent } from './instant-event.ts'
import type { PathOf, ValidPath, ValueAt } from './path-types.ts'

/** One awaited key is complete. A union over the awaited keys, told apart by `key`. */
export type KeyEvent<T, P extends string> = P extends string ? Arrived<P, ValueAt<T, P>> : never

export interface Arrived<P extends string = string, Value = unknown> {
  readonly type: 'key'
  /** The key as it was asked for: `items[*].title`. */
  readonly key: P
  /** Where it arrived: `items[3].title`. */
  readonly path: string
  readonly indexes: readonly number[]
  readonly value: Value
  readonly completion: Completion
  readonly attempt: number
}

export interface HandlerContext {
  readonly path: string
  readonly wildcardPath: string
  readonly indexes: readonly number[]
  readonly completion: Completion
  readonly attempt: number
  /** Aborted when what the handler was called for no longer counts, or the run failed. */
  readonly signal: AbortSignal
}

/** What one handler made of one value. */
export interface Handled {
  readonly key: string
  readonly path: string
  readonly indexes: readonly number[]
  readonly value: unknown
  readonly result: unknown
}

/** A key that the schema does not have is refused with `KeyNotInSchema`, unless it need not be in the prompt. */
export interface AnyKey {
  readonly mustInPrompt: false
}

/**
 * Values of an answer, one by one, while it is still being written. Any number of readers; one that comes late gets what
 * has happened already. Values are as the model wrote them: schema defaults and transforms apply to the whole result.
 */
export interface OutputKeys<T> {
  /**
   * The first complete value at a path. Rejects with `KeyNeverArrived` when the answer ended without it, or gives
   * `undefined` when `optional`.
   */
  key<const P extends PathOf<T>>(path: P & ValidPath<T, P>): Promise<ValueAt<T, P>>
  key<const P extends PathOf<T>>(
    path: P & ValidPath<T, P>,
    options: { readonly optional: true },
  ): Promise<ValueAt<T, P> | undefined>
  key(path: string, options: AnyKey & { readonly optional?: boolean }): Promise<unknown>

  /**
   * Every complete value at these paths, in the order of arrival. It ends when all are there, or with the answer; a
   * path without `*` that never arrived makes it end with `KeyNeverArrived`, unless `optional`. When an attempt is
   * dropped before that, the values of the next one follow. With `resets` it says so, and stays until the end.
   */
  waitKeys<const P extends PathOf<T>>(
    paths: readonly (P & ValidPath<T, P>)[],
    options?: { readonly optional?: boolean; readonly resets?: false },
  ): AsyncIterableIterator<KeyEvent<T, P>>
  waitKeys<const P extends PathOf<T>>(
    paths: readonly (P & ValidPath<T, P>)[],
    options: { readonly optional?: boolean; readonly resets: true },
  ): AsyncIterableIterator<KeyEvent<T, P> | ResetEvent>
  waitKeys(
    paths: readonly string[],
    options: AnyKey & { readonly optional?: boolean; readonly resets?: false },
  ): AsyncIterableIterator<Arrived>

  /** Calls a handler for every complete value at a path, at once, while the answer goes on. */
  when<const P extends PathOf<T>>(
    path: P & ValidPath<T, P>,
    handler: (value: ValueAt<T, P>, context: HandlerContext) => unknown,
  ): this
  when(path: string, handler: (value: unknown, context: HandlerContext) => unknown, options: AnyKey): this

  /**
   * Waits for the end of the answer and of every handler, and gives what the handlers made of the accepted attempt, in
   * the order in which they were called. Rejects when a handler did.
   */
  startWaiter(): Promise<readonly Handled[]>

  /** Everything, as it comes. */
  instant(): AsyncIterableIterator<InstantEvent | ResetEvent>
}
