import type { AgentSource, AgentStatus } from '@troupe/core'
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
export interface SubAgentPlace {
  sessionId: string
  agentId: string
}

/** An agent as `GET /ai/agents` lists it. */
export interface AgentInfo {
  name: string
  description: string
  source: AgentSource
  enabled: boolean
  /** Why it cannot be used, or what should be looked at. */
  note?: string
  systemPrompt: string
  /** Languages that it has a prompt of its own for. */
  languages: string[]
  /** Names of tools and of groups. */
  tools: string[]
  /** Absent: the default set. Empty: nobody. */
  allowedSubAgents?: string[]
  model?: string
  maxDepth?: number
  maxSteps?: number
  /** Settings of its model. */
  params?: ParamValues
  /** Offered nowhere; whoever names it has it all the same. */
  hidden?: true
  /** The person turned it off. */
  turnedOff?: true
  /** The file that it comes from. */
  path?: string
}

export interface AgentList {
  agents: AgentInfo[]
  /** Files that could not be read. */
  problems: { path: string; message: string }[]
}

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
