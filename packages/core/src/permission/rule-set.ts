import type { Effect } from './decision.ts'
import type { RuleIndex } from './compile-rules.ts'
export type Layer = 'managed' | 'user' | 'project' | 'session' | 'flag'

/** A rule as it is written, and where it stands. */
export interface RuleLine {
  text: string
  effect: Effect
  layer: Layer
  /** The folder that `/` in a path rule starts from: the workspace, or the home for rules of the person. */
  base: string
}

/** What is wrong with a line. */
export interface RuleProblem {
  line: RuleLine
  /** A sentence for the person. */
  message: string
}

/** Rules made ready to be asked thousands of times a second; `compileRules` makes it. */
export interface RuleSet {
  readonly lines: readonly RuleLine[]
  /** Lines that cannot be read. An unreadable deny or ask rule makes the tool that it names ask, where it names one. */
  readonly problems: readonly RuleProblem[]
  readonly index: RuleIndex
}
