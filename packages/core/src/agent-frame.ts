import type { AgentMark } from './protocol/message.ts'

/** One level of delegation. */
export interface AgentFrame extends AgentMark {
  /** The conversation of a sub-agent; absent for the master. */
  agentId?: string
  /** Absent: the default set. Empty: none. */
  allowedSubAgents?: string[]
  maxDepth?: number
  /** By each skill that its caller was at work with: what may run unasked. All of them must let a call pass. */
  unasked?: readonly (readonly string[])[]
}
