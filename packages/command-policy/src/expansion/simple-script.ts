/** A part of a word: literal text, a pattern, `{a,b}`, a variable, or the output of a command. */
export type WordPart =
  | { kind: 'text'; text: string }
  /** `*`, `?` or `[a-z]`. */
  | { kind: 'pattern'; text: string }
  | { kind: 'choice'; options: readonly string[] }
  /** It is split unless quoted. */
  | { kind: 'variable'; name: string; quoted: boolean; trim?: Trim; fallback?: true }
  /** `$((…))` with these variables. */
  | { kind: 'sum'; names: readonly string[] }
  /** `$(…)`, or `<(…)`, a file with the output. */
  | { kind: 'output'; steps: readonly ScriptStep[]; quoted: boolean; file: boolean }

/** `${name#pattern}` and the like. */
export interface Trim {
  operator: '#' | '##' | '%' | '%%'
  pattern: string
}

export interface RawWord {
  parts: WordPart[]
  raw: string
  /** Set for a plain unquoted word, which may be a keyword. */
  bare?: string
}

export interface ScriptRedirection {
  /** With its file descriptor: `2>`. For `<<<` the target is text, not a file. */
  operator: string
  target: RawWord
}

export interface SimpleCommand {
  kind: 'simple'
  words: RawWord[]
  redirections: ScriptRedirection[]
}

export interface Loop {
  kind: 'loop'
  name: string
  values: RawWord[]
  body: ScriptStep[]
  redirections: ScriptRedirection[]
}

/** `if`, `case`, `while read`, `{ … }` and `( … )`: lists that may run. */
export interface Group {
  kind: 'group'
  lists: ScriptStep[][]
  /** Variables that `while read` sets, and whether it reads up to a NUL. */
  names: readonly string[]
  nul?: boolean
  /** `IFS=,` removes separators from the line. */
  splits?: boolean
  subshell?: true
  /** The word that `case` compares with its patterns. */
  compared?: RawWord
  redirections: ScriptRedirection[]
}

/** `[[ … ]]`: tests joined by `&&` and `||`. */
export interface DoubleTest {
  kind: 'test'
  tests: RawWord[][]
}

export interface ScriptStep {
  joint: string
  /** The result is negated. */
  not: boolean
  command: SimpleCommand | Loop | Group | DoubleTest
}

export type WordList = readonly { at: number; text: string }[]

/** A script within `$(…)` or `bash -c`, with its words as written. */
export interface InnerScript {
  text: string
  words: WordList
}

export class UnsupportedSyntax extends Error {}
