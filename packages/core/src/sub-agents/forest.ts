import type { AgentFrame } from '../agent-frame.ts'
import type { AgentDetails, AgentRecord } from '../store.ts'
import type { AgentHost } from './agent-host.ts'
import type { AgentNode } from './agent-node.ts'
import type { AgentReport, AgentStatus, Refusal } from './agents.ts'
import type { Delegator } from './prepare.ts'
import type { Slot } from './slots.ts'

/** A run of the tree, as its sub-agents need it. */
export interface TreeRun extends Delegator {
  runId: string
  /** Null for the master. */
  agentId: string | null
  signal: AbortSignal
  steer(message: { id: string; text: string }): Promise<void>
  /** An earlier process worked on it. */
  resumed: boolean
}

/** What links share. */
export interface AgentTreeContext {
  host: AgentHost
  sessionId: string
  parallel: number
  /** Those at work. */
  nodes: ReadonlyMap<string, AgentNode>
  begin(parent: TreeRun, record: AgentRecordWithDetails, slot: Slot): AgentNode
  reportOf(agentId: string, viewer: readonly AgentFrame[]): Promise<AgentReport | Refusal>
  now(): number
}

export type AgentRecordWithDetails = AgentRecord & { details: AgentDetails }

export function storedReport(record: AgentRecord, text: string): AgentReport {
  const { agentId, name, status, details } = record
  return {
    agentId,
    name,
    status: status as AgentStatus,
    text,
    steps: details?.steps ?? 0,
    tokens: details?.tokens ?? 0,
    ...(details?.note !== undefined && { note: details.note }),
  }
}
