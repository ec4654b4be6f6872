import type { AgentStatus } from '@troupe/core'
import type { ParamValues } from '@troupe/core/protocol'

/** A sub-agent of a session as `GET /ai/sessions/:id/agents` lists it, as far as the page uses it. */
export interface SubAgentInfo {
  agentId: string
  /** Null: it works for the agent that the session talks to. */
  parentAgentId: string | null
  name: string
  task: string
  status: AgentStatus
  createdAt: number
  updatedAt: number
  /** What follows is missing in sub-agents of imported sessions. */
  toolCallId?: string
  background?: boolean
  steps?: number
  tokens?: number
  cost?: number
  model?: string
  /** Why its answer may not be whole. */
  note?: string
  /** When its newest turn began, and how long that took once it has ended. */
  startedAt?: number
  elapsedMs?: number
}

/** Whose conversation it is. */
export interface SubAgentRef {
  sessionId: string
  agentId: string
}

export type { AgentInfo, AgentList } from '@troupe/core/protocol'

/** What is stored of an agent of the workspace. Null takes a field away. */
export interface AgentDefinitionBody {
  enabled: boolean
  description: string
  systemPrompt: string
  toolKeys: string[]
  allowedSubAgents: string[] | null
  model: string | null
  maxDepth: number | null
  maxSteps: number | null
  params: ParamValues | null
}

/** A tool as `GET /ai/tools` lists it. */
export interface ToolInfo {
  name: string
  description: string
  status: 'enable' | 'disable'
  readOnly: boolean
  group: string
}
