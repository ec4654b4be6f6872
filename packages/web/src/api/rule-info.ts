import type { Decision, Effect } from '@troupe/core'
import type { RuleInfo, RuleList } from '@troupe/core/protocol'

export type { RuleInfo, RuleList } from '@troupe/core/protocol'

/** What decides besides rules, and what the page must say about it. */
export type PermissionInfo = Omit<RuleList, 'rules' | 'warnings'>
export type SandboxInfo = RuleList['sandbox']

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
export function ruleScope({ layer, file }: Pick<RuleInfo, 'layer' | 'file'>): RuleScope {
  if (file === null) return 'session'
  return layer === 'user' ? 'always' : 'project'
}
