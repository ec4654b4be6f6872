import type { ReadResult } from './instant-event.ts'
import type { PathStyle } from './instant-event.ts'
import type { OutputKeys } from './output-keys.ts'
import type { OutputProblem } from './output-problem.ts'
import type { CheckedOutput, EnsureRule, OutputSchema } from './output-schema-types.ts'

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
