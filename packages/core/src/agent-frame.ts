import type { AgentMark } from './protocol/message.ts'

/** One level of delegation. */
export interface AgentFrame extends AgentMark {
  /** The conversation of a sub-agent; absent for the master. */
  agentId?: string
  /** Absent: the default set. Empty: none. */
  allowedSubAgents?: string[]
  maxDepth?: number
}
