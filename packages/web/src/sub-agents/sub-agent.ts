import type { AgentStatus } from '@troupe/core'

/** A sub-agent as the page shows it: what is stored of it, and what its stream has told since. */
export interface SubAgent {
  agentId: string
  /** Null: it works for the agent that the session talks to. */
  parentAgentId: string | null
  /** The call that started it; null until it is known. */
  toolCallId: string | null
  name: string
  task: string
  status: AgentStatus
  background: boolean
  /** Of its newest turn while it works, of all of them afterwards; those below it count. */
  steps: number
  tokens: number
  /** Known when it has ended. */
  cost: number | null
  model: string | null
  /** Why its answer may not be whole. */
  note: string | null
  startedAt: number
  /** How long its newest turn took; null until it has ended. */
  elapsedMs: number | null
  doing: CurrentCall | null
  /** The last line that it has written. */
  line: string
  /** How much it asks the person itself. */
  asks: number
  /** The call that started it tells how it stands; else its own chunks have to. */
  isReported: boolean
}

/** The call that it is at. */
export interface CurrentCall {
  title: string
  target: string | undefined
}

export function isAgentActive({ status }: Pick<SubAgent, 'status'>): boolean {
  return status === 'pending' || status === 'running' || status === 'waiting'
}
