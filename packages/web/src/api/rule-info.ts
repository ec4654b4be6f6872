import type { Decision, Effect, Layer, Mode } from '@troupe/core'

/** A rule as `GET /ai/rules` lists it. */
export interface RuleInfo {
  id: string
  text: string
  effect: Effect
  layer: Layer
  /** Null: it is kept with its session. */
  file: string | null
  /** False where the file is changed by hand alone. */
  editable: boolean
  /** Why it cannot be read. */
  problem?: string
}

/** What decides besides rules, and what the page must say about it. */
export interface PermissionFacts {
  /** What new sessions begin in. */
  mode: Mode
  /** Whether the server lets sessions be in the mode in which nothing asks. */
  bypass: boolean
  sandbox: SandboxFacts
}

export interface SandboxFacts {
  available: boolean
  text: string
  /** What to do so that there is one. */
  fix?: string
}

export interface RuleList extends PermissionFacts {
  rules: RuleInfo[]
  /** What is wrong with rules or their files, in sentences. */
  warnings: string[]
}

export type RuleScope = 'session' | 'project' | 'always'

export interface NewRule {
  text: string
  effect: Effect
  scope: RuleScope
  sessionId?: string
}

/** What a rule would have changed for the last calls. */
export interface RuleTest {
  calls: number
  before: Record<Effect, number>
  after: Record<Effect, number>
  changed: number
  /** The first of them. */
  changes: RuleChange[]
  warnings: string[]
}

export interface RuleChange {
  sessionId: string
  toolCallId: string
  toolName: string
  input: unknown
  createdAt: number
  before: RuleDecision
  after: RuleDecision
}

export type RuleDecision = Pick<Decision, 'decision' | 'reason' | 'rule'>

/** Where a rule has to be written to stand where this one stands. */
export function scopeOf({ layer, file }: Pick<RuleInfo, 'layer' | 'file'>): RuleScope {
  if (file === null) return 'session'
  return layer === 'user' ? 'always' : 'project'
}
