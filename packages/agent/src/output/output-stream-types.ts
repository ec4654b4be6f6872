import { NamedError } from '@troupe/protocol'
import type { Completion, InstantEvent, PathStyle, ReadResult, ResetEvent } from '../json/path.ts'
import type { CheckedOutput, EnsureRule, OutputProblem, OutputSchema } from './ensure.ts'

/**
 * What a validator says: nothing or `true` for yes; `false`, or the reason as a string, for no. What it throws is an
 * error of the program and ends the run; it is not a verdict.
 */
export type Verdict = boolean | string | undefined | void | { ok: boolean; reason?: string; retry?: boolean }

export interface KeyValidator {
  /** May hold `*`. `''` is the whole answer, after the schema's own validation, so with defaults and transforms. */
  readonly path: string
  /** For a key: called once when it is complete, before anyone who waits for the key gets it. */
  readonly check: (value: never) => Verdict | Promise<Verdict>
}

export interface OutputStreamOptions<Input, Output = Input> {
  /** Without a schema only `instant()` works; the rest throws `OutputSchemaMissing`. */
  readonly schema?: OutputSchema<Input, Output> | undefined
  readonly pathStyle?: PathStyle
  /** More rules than those of the schema's `.meta({ ensure })`. */
  readonly ensure?: readonly EnsureRule[]
  readonly validators?: readonly KeyValidator[]
  /** Someone wants to read (`key`, `waitKeys`, `startWaiter`, `instant`; not `when`): starts a lazy run. */
  readonly onReader?: () => void
  /** A validator refused a key while the answer is still being written: it can be cut short and tried again. */
  readonly onInvalid?: (problem: OutputProblem) => void
  /** Every key that is awaited by anyone is there (or can no longer come): with `stopWhenSatisfied`, stop the call. */
  readonly onSatisfied?: () => void
  /** A handler failed while the answer is still being written. `settled()` rejects with it later in any case. */
  readonly onHandlerError?: (error: unknown) => void
}

/**
 * The readers' side and the writer's side of one structured answer, over any number of attempts:
 *
 * ```
 * for each attempt: write(delta)… end(); checked = await check()
 *   checked.ok -> close()          else, tries left -> reset(retryText(problems))          else -> fail(error)
 * ```
 */
export interface OutputStream<Input, Output = Input> extends OutputKeys<Input> {
  /** From 1. */
  readonly attempt: number
  /** The answer so far, live: never change it. `undefined` before anything was found. */
  readonly partial: unknown
  /** More text of the attempt. Never throws, whatever the text. */
  write(delta: string): void
  /** The attempt's text is over. */
  end(): ReadResult
  /**
   * Whether the ended attempt is acceptable: sound JSON, the ensured paths, validators of keys (waits for those that are
   * still at work), the schema, validators of the whole. Without a schema `data` is the value as it was read.
   */
  check(): Promise<CheckedOutput<Output>>
  /**
   * What is written from now on may turn out to be no answer, as before a tool call: keys, handlers and validators hear
   * of it when the attempt ends. `instant()` and `partial` go on.
   */
  hold(): void
  /** What was written so far is no answer: it begins again in the same attempt, and readers of `instant()` get a reset. */
  restart(reason: string): void
  /** Drops the attempt: readers get a reset, handlers' signals abort, the next attempt begins. */
  reset(reason: string): void
  /** The attempt is accepted as it is: whoever waits for a key that never came learns it now. */
  close(): void
  /** The run failed: whoever waits gets the error. */
  fail(error: unknown): void
  /** When closed and every handler has ended. Rejects with a handler's error, or the error given to `fail`. */
  settled(): Promise<void>
}

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
interface AnyKey {
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

/**
 * Paths into a type, as they are written in code: `title`, `items`, `items[0].title`, `items[*].title`, `scores.anna`,
 * `scores.*`; `''` is the whole. They are offered to depth 8 and checked to any depth by `ValueAt`, which also knows
 * those in slash style: `items/0/title`, `items/*`.
 */
export type PathOf<T> = '' | Below<T, '', []> | `${string}/${string}`

/** The type of what a path leads to, without `undefined`: what arrived is there. `never` for a path that leads nowhere. */
export type ValueAt<T, P extends string> = P extends '' ? T : IsSlashed<P> extends true ? WalkSlashed<T, P> : Walk<T, P>

/** `P` if it leads somewhere in `T`, else `never`: makes a wrong path a compile error where a path is a parameter. */
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

/** A key with a separator in it is quoted, as in `files["a.txt"]`. */
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

/** One member of a union that has the key is enough. */
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

/** The output schema has no such path. */
export function keyNotInSchema(path: string, known: readonly string[]): NamedError {
  const shown = known.slice(0, 20).join(', ')
  const more = known.length > 20 ? ` and ${known.length - 20} more` : ''
  return new NamedError(
    'KeyNotInSchema',
    `The output schema has no "${path}". It has: ${shown}${more}. Pass { mustInPrompt: false } to wait for it all the same.`,
    { data: { path, known: known.slice(0, 100) } },
  )
}

/** The answer ended without it. */
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
    'There are no keys to wait for without an output schema. Set one with .output(schema) first.',
  )
}

export function noHandlers(): NamedError {
  return new NamedError('NoHandlers', 'Nothing to wait for: register handlers with .when(key, handler) first.')
}
