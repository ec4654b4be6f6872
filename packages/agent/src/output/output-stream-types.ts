import { NamedError } from '@troupe/protocol'
import type { Completion, InstantEvent, PathStyle, ReadResult, ResetEvent } from '../json/path.ts'
import type { CheckedOutput, EnsureRule, OutputProblem, OutputSchema } from './ensure.ts'

/**
 * Result of a validator: nothing or `true` accepts; `false` or a reason rejects. An exception is a program error and
 * ends the run, not a verdict.
 */
export type Verdict = boolean | string | undefined | void | { ok: boolean; reason?: string; retry?: boolean }

export interface KeyValidator {
  /** May contain `*`. `''` is the whole answer after schema validation, with defaults and transforms applied. */
  readonly path: string
  /** For a key: called once when it is complete, before any reader gets it. */
  readonly check: (value: never) => Verdict | Promise<Verdict>
}

export interface OutputStreamOptions<Input, Output = Input> {
  /** Without a schema only `instant()` works; other methods throw `OutputSchemaMissing`. */
  readonly schema?: OutputSchema<Input, Output> | undefined
  readonly pathStyle?: PathStyle
  /** Rules in addition to the schema's `.meta({ ensure })`. */
  readonly ensure?: readonly EnsureRule[]
  readonly validators?: readonly KeyValidator[]
  /** Called when a reader is added (`key`, `waitKeys`, `startWaiter`, `instant`; not `when`). Starts a lazy run. */
  readonly onReader?: () => void
  /** Called when a validator rejects a key while the answer streams, so it can be canceled and retried. */
  readonly onInvalid?: (problem: OutputProblem) => void
  /** Called when every awaited key has arrived or can no longer arrive. With `stopWhenSatisfied`, stop the call. */
  readonly onSatisfied?: () => void
  /** Called when a handler fails while the answer streams. `settled()` rejects with the error later in any case. */
  readonly onHandlerError?: (error: unknown) => void
}

/**
 * The reader and writer sides of one structured answer, over any number of attempts:
 *
 * ```
 * for each attempt: write(delta)… end(); checked = await check()
 * checked.ok -> close()          else, tries left -> reset(retryText(problems))          else -> fail(error)
 * ```
 */
export interface OutputStream<Input, Output = Input> extends OutputKeys<Input> {
  /** 1-based. */
  readonly attempt: number
  /** The live answer so far. Do not modify it. `undefined` until something was found. */
  readonly partial: unknown
  /** Adds text to the attempt. Never throws, whatever the text. */
  write(delta: string): void
  end(): ReadResult
  /**
   * Checks the ended attempt: valid JSON, ensured paths, key validators (awaits pending ones), the schema, validators
   * of the whole. Without a schema `data` is the value as parsed.
   */
  check(): Promise<CheckedOutput<Output>>
  /**
   * The following text may turn out not to be the answer, as before a tool call. Keys, handlers and validators are
   * notified when the attempt ends. `instant()` and `partial` continue.
   */
  hold(): void
  /** Discards the text so far and restarts within the same attempt. Readers of `instant()` get a reset. */
  restart(reason: string): void
  /** Drops the attempt: readers get a reset, handlers' signals abort, the next attempt starts. */
  reset(reason: string): void
  /** Accepts the attempt. Pending waits for keys that never arrived end now. */
  close(): void
  /** Fails the run. All pending waits reject with the error. */
  fail(error: unknown): void
  /** Resolves when closed and every handler has ended. Rejects with a handler's error or the error given to `fail`. */
  settled(): Promise<void>
}

/** One awaited key is complete. A union over the awaited keys, discriminated by `key`. */
export type KeyEvent<T, P extends string> = P extends string ? Arrived<P, ValueAt<T, P>> : never

export interface Arrived<P extends string = string, Value = unknown> {
  readonly type: 'key'
  /** The key as requested: `items[*].title`. */
  readonly key: P
  /** The matched path: `items[3].title`. */
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
  /** Aborts when the handler's value is discarded or the run fails. */
  readonly signal: AbortSignal
}

export interface Handled {
  readonly key: string
  readonly path: string
  readonly indexes: readonly number[]
  readonly value: unknown
  readonly result: unknown
}

/** A key missing in the schema is refused with `KeyNotInSchema`, unless it need not be in the prompt. */
interface AnyKey {
  readonly mustInPrompt: false
}

/**
 * Values of an answer while it streams. Supports any number of readers; late ones get past values. Values are as the
 * model wrote them: schema defaults and transforms apply only to the whole result.
 */
export interface OutputKeys<T> {
  /**
   * Resolves to the first complete value at a path. If the answer ends without it, rejects with `KeyNeverArrived`, or
   * resolves to `undefined` if `optional`.
   */
  key<const P extends PathOf<T>>(path: P & ValidPath<T, P>): Promise<ValueAt<T, P>>
  key<const P extends PathOf<T>>(
    path: P & ValidPath<T, P>,
    options: { readonly optional: true },
  ): Promise<ValueAt<T, P> | undefined>
  key(path: string, options: AnyKey & { readonly optional?: boolean }): Promise<unknown>

  /**
   * Yields every complete value at these paths in order of arrival. Ends when all have arrived or the answer ends. A
   * path without `*` that never arrived throws `KeyNeverArrived` at the end, unless `optional`. If an attempt is
   * dropped before that, the values of the next one follow. With `resets` it yields resets too and runs until the end.
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

  /** Calls a handler for every complete value at a path, immediately, while the answer streams. */
  when<const P extends PathOf<T>>(
    path: P & ValidPath<T, P>,
    handler: (value: ValueAt<T, P>, context: HandlerContext) => unknown,
  ): this
  when(path: string, handler: (value: unknown, context: HandlerContext) => unknown, options: AnyKey): this

  /**
   * Waits for the end of the answer and of every handler. Resolves to the handlers' results for the accepted attempt,
   * in call order. Rejects if a handler did.
   */
  startWaiter(): Promise<readonly Handled[]>

  /** Yields all events as they occur. */
  instant(): AsyncIterableIterator<InstantEvent | ResetEvent>
}

/**
 * Paths into a type, as written in code: `title`, `items`, `items[0].title`, `items[*].title`, `scores.anna`,
 * `scores.*`; `''` is the whole. Completion covers depth 8. `ValueAt` checks any depth and also supports slash style:
 * `items/0/title`, `items/*`.
 */
export type PathOf<T> = '' | Below<T, '', []> | `${string}/${string}`

/** Type of the value at a path, without `undefined`, since an arrived value exists. `never` for an invalid path. */
export type ValueAt<T, P extends string> = P extends '' ? T : IsSlashed<P> extends true ? WalkSlashed<T, P> : Walk<T, P>

/** `P` if the path exists in `T`, else `never`. Makes a wrong path a compile error. */
export type ValidPath<T, P extends string> = [ValueAt<T, P>] extends [never] ? never : P

type Depth = readonly unknown[]
type Leaf = string | number | bigint | boolean | symbol | null | undefined | Date | ((...args: never[]) => unknown)
type IsAny<T> = 0 extends 1 & T ? true : false
type IsLoose<T> = IsAny<T> extends true ? true : unknown extends T ? true : false

type Below<T, Prefix extends string, Levels extends Depth> =
  IsLoose<T> extends true
    ? `${Prefix}${string}`
    : Levels['length'] extends 8
      ? T extends Leaf
        ? never
        : `${Prefix}${string}`
      : T extends Leaf
        ? never
        : T extends readonly (infer Item)[]
          ? Step<Item, `${Prefix}[${number | '*'}]`, Levels>
          : T extends object
            ? {
                [K in keyof T & (string | number)]-?: string extends K
                  ? `${Dotted<Prefix>}${string}` | `${Prefix}["${string}`
                  : Step<T[K], Join<Prefix, K>, Levels>
              }[keyof T & (string | number)]
            : never

type Step<T, Path extends string, Levels extends Depth> = Path | Below<T, Path, [...Levels, unknown]>

type Dotted<Prefix extends string> = Prefix extends '' ? '' : `${Prefix}.`

/** Quotes keys that contain a separator, as in `files["a.txt"]`. */
type Join<Prefix extends string, K extends string | number> = `${K}` extends
  | ''
  | '*'
  | `${string}${'.' | '/' | '[' | ']' | '"'}${string}`
  | `${number}`
  ? `${Prefix}["${K}"]`
  : `${Dotted<Prefix>}${K}`

type Walk<T, P extends string> = P extends ''
  ? Exclude<T, undefined>
  : P extends `["${infer Key}"]${infer Rest}`
    ? Walk<Property<T, Key>, Rest>
    : P extends `[${infer Index}]${infer Rest}`
      ? Index extends '*' | `${number}`
        ? Walk<Item<T, Index>, Rest>
        : never
      : P extends `.${infer Rest}`
        ? Rest extends '' | `.${string}` | `[${string}`
          ? never
          : WalkKey<T, Rest>
        : WalkKey<T, P>

type WalkKey<T, P extends string> = P extends `${infer Key}${'.' | '['}${string}`
  ? Key extends `${infer Head}${'.' | '['}${string}`
    ? WalkHead<T, P, Head>
    : WalkHead<T, P, Key>
  : Property<T, P> extends infer Value
    ? Exclude<Value, undefined>
    : never

type WalkHead<T, P extends string, Head extends string> = P extends `${Head}${infer Rest}`
  ? Walk<Property<T, Head>, Rest>
  : never

/** A slash inside quotes belongs to the key. */
type IsSlashed<P extends string> = P extends `${string}["${string}`
  ? false
  : P extends `${string}/${string}`
    ? true
    : false

type WalkSlashed<T, P extends string> = P extends `/${infer Rest}` ? WalkPieces<T, Rest> : WalkPieces<T, P>

type WalkPieces<T, P extends string> = P extends `${infer Piece}/${infer Rest}`
  ? WalkPieces<Piecewise<T, Piece>, Rest>
  : Exclude<Piecewise<T, P>, undefined>

type Piecewise<T, Piece extends string> = Piece extends ''
  ? never
  : Piece extends `"${infer Key}"`
    ? Property<T, Key>
    : Piece extends '*' | `${number}`
      ? Item<T, Piece> | Property<T, Piece>
      : Property<T, Piece>

/** The key may exist in only one member of a union. */
type Property<T, Key extends string> =
  IsLoose<T> extends true
    ? unknown
    : T extends Leaf | readonly unknown[]
      ? never
      : Key extends keyof T
        ? T[Key]
        : Key extends `${infer N extends number}`
          ? N extends keyof T
            ? T[N]
            : RecordValue<T>
          : RecordValue<T>

type RecordValue<T> = T extends object ? (string extends keyof T ? T[keyof T & string] : never) : never

type Item<T, Index extends string> =
  IsLoose<T> extends true
    ? unknown
    : T extends readonly unknown[]
      ? Index extends keyof T
        ? T[Index]
        : T[number]
      : never

export function keyNotInSchema(path: string, known: readonly string[]): NamedError {
  const shown = known.slice(0, 20).join(', ')
  const more = known.length > 20 ? ` and ${known.length - 20} more` : ''
  return new NamedError(
    'KeyNotInSchema',
    `The output schema has no "${path}". It has: ${shown}${more}. Pass { mustInPrompt: false } to wait for it anyway.`,
    { data: { path, known: known.slice(0, 100) } },
  )
}

export function keyNeverArrived(path: string): NamedError {
  return new NamedError(
    'KeyNeverArrived',
    `The answer ended without "${path}". Pass { optional: true } if it may be missing, or ensure it in the schema.`,
    { data: { path } },
  )
}

export function outputSchemaMissing(): NamedError {
  return new NamedError(
    'OutputSchemaMissing',
    'Without an output schema there are no keys to wait for. Set one with .output(schema) first.',
  )
}

export function noHandlers(): NamedError {
  return new NamedError('NoHandlers', 'There is nothing to wait for. Register handlers with .when(key, handler) first.')
}
