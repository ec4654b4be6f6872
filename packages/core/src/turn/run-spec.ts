import type { KeyValidator } from '../output/output-stream-types.ts'
import type { EnsureRule, OutputSchema } from '../output/output-schema-types.ts'
import type { Tool } from '../tool.ts'
import type { AgentOptions } from './agent-options.ts'
import type { LearnedCapabilities } from './capabilities.ts'
import type { Extension } from './extension.ts'
import type { Slots } from './slots.ts'
import type { Turn } from './turn.ts'

/** Everything of a turn that its run needs, as it was when the run was made. Nothing of it changes afterwards. */
export interface TurnSpec {
  readonly settings: AgentOptions
  readonly learnt: LearnedCapabilities
  readonly slots: Slots
  readonly schema?: OutputSchema<unknown, unknown>
  /** What the output slot says in words. */
  readonly words?: string
  readonly ensure: readonly EnsureRule[]
  readonly validators: readonly KeyValidator[]
  readonly retries: number
  /** What becomes of an answer that is still not accepted when no retry is left. */
  readonly otherwise: 'throw' | 'last'
  readonly tools: readonly Tool[]
  /** The tools as text, for external planning. */
  readonly toolTexts: () => unknown
  readonly extensions: readonly Extension[]
  readonly emptyTurn: () => Turn
}
