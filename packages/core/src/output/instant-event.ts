/**
 * How the end of a value is known.
 *
 * - `observed`: its end was read (the closing quote or bracket; after a number or a word the `,`, `]` or `}`), and its
 *   own text is JSON: `JSON.parse` of exactly that text gives this value.
 * - `final`: its text is JSON and the whole text ended after it, as with a number that is the whole answer.
 * - `repaired`: something in it had to be mended: a cut ending, a trailing comma, a comment, a quote, a raw newline.
 */
export type Completion = 'observed' | 'final' | 'repaired'

/** `items[0].title` or `items/0/title`. Either is understood wherever a path is taken. */
export type PathStyle = 'dot' | 'slash'

/**
 * One value of an answer has begun, grown or ended.
 *
 * Lists and objects come twice: when they open and when they are complete. Strings come with every piece of text that
 * adds to them and when they are complete. Numbers, booleans and null come once, complete.
 */
export interface InstantEvent {
  readonly type: 'value'
  /** `''` is the whole answer. A key that holds `.`, `[`, `/`… is quoted: `files["a.txt"].size`. */
  readonly path: string
  /** The path with every list index as `*`: `items[*].title`, or in slash style `items` `*` `title` joined by slashes. */
  readonly wildcardPath: string
  /** The list indexes along the path, outermost first. */
  readonly indexes: readonly number[]
  /**
   * What there is so far. A list or object that is not complete is the live one and grows, by strings when they are
   * complete: never change it.
   */
  readonly value: unknown
  /** What this event adds to a string; the text of a number, boolean or null; `''` for lists and objects. */
  readonly delta: string
  readonly isComplete: boolean
  /** Set if and only if `isComplete`. */
  readonly completion: Completion | undefined
}

/** Everything told before no longer counts: a better block of JSON was found, or the attempt was dropped. */
export interface ResetEvent {
  readonly type: 'reset'
  readonly reason: string
  /** The attempt that begins or goes on now; the first is 1. */
  readonly attempt: number
}

/** What the text of one attempt was, as JSON. */
export interface ReadResult {
  readonly found: boolean
  /** `undefined` when no JSON was found. */
  readonly value: unknown
  readonly completion: Completion | undefined
  /**
   * Set when the value is a guess (no JSON, a cut ending, a missing comma or bracket), as a sentence for the retry.
   * Comments, trailing commas, other quotes and raw newlines are read for what they mean and are not malformed.
   */
  readonly malformed: string | undefined
  /** The path of a key that is written twice. The value is the last one, as `JSON.parse` has it. */
  readonly repeated?: string
}
