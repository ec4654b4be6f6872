export type Effect = 'allow' | 'ask' | 'deny'
export type Layer = 'managed' | 'user' | 'project' | 'session' | 'flag'

/** A rule as it is written, and where it stands. */
export interface RuleLine {
  text: string
  effect: Effect
  layer: Layer
  /** The folder that `/` in a path rule starts from: the workspace, or the home for rules of the person. */
  base: string
}

/** Rules made ready to be asked thousands of times a second. */
export interface RuleSet {
  readonly lines: readonly RuleLine[]
}
