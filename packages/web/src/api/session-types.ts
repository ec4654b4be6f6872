import type { AgentStatus } from '@troupe/core'
import type { ParamValues } from '@troupe/protocol'

/** Sub-agent of a session, from `GET /ai/sessions/:id/agents`. Lists only the fields the page uses. */
export interface SubAgentInfo {
  agentId: string
  /** Null if its parent is the session's main agent. */
  parentAgentId: string | null
  name: string
  task: string
  status: AgentStatus
  createdAt: number
  updatedAt: number
  /** The fields below are missing for sub-agents of imported sessions. */
  toolCallId?: string
  background?: boolean
  steps?: number
  tokens?: number
  cost?: number
  model?: string
  /** Reason the answer may be incomplete. */
  note?: string
  /** Start of its latest turn, and the turn's duration once it ended. */
  startedAt?: number
  elapsedMs?: number
}

export interface SubAgentRef {
  sessionId: string
  agentId: string
}

export type { AgentInfo, AgentList } from '@troupe/protocol'

/** Stored definition of a workspace agent. Null removes a field. */
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

/** Tool from `GET /ai/tools`. */
export interface ToolInfo {
  name: string
  description: string
  status: 'enable' | 'disable'
  readOnly: boolean
  group: string
}

/** File changes of a branch, from `GET /ai/sessions/:id/changes`. */
export interface BranchChanges {
  /** Unique paths, including files changed by sub-agents and commands. */
  files: string[]
  /** Number of commands that may have changed other, unknown files. */
  commands: number
}

/** Context of the session's next model call, from `GET /ai/sessions/:id/context`. */
export interface ContextInfo {
  model: string
  /** Context window in tokens. Null if unknown. */
  window: number | null
  total: { tokens: number; cost?: number }
  /** In prompt order. */
  pieces: ContextPiece[]
  cache: {
    lastCallAt: number | null
    /** True if the latest call used another model. */
    modelChanged: boolean
    /** Name of the first piece that differs from the latest call. All tools together are `tools`. */
    brokenBy: string | null
    /** From the latest response. */
    inputTokens?: number
    cachedInputTokens?: number
  }
}

export type PieceKind = 'tool' | 'instructions' | 'summary' | 'message'

export interface ContextPiece {
  kind: PieceKind
  name: string
  tokens: number
  /** In dollars, as if nothing were cached. */
  cost?: number
  messageId?: string
  changed?: boolean
}

export interface TabNote {
  clientId: string
  tabId: string
  actions: string[]
  notes?: Readonly<Record<string, readonly string[]>>
  sessionId: string | null
  alive?: string[]
}

export interface CallNote {
  sessionId: string
  clientId: string
  toolCallId: string
  status: 'success' | 'failed'
  output?: unknown
  errorText?: string
}

export interface ReadablePage {
  url: string
  status: number
  title: string
  mediaType: string
  text: string
  isMarkdown: boolean
  note?: string
}

export interface FileInfo {
  path: string
  kind: 'text' | 'image' | 'binary'
  bytes: number
  text?: string
  isCut?: boolean
}

export interface TaskInfo {
  id: string
  kind: 'command' | 'terminal'
  command: string
  status: 'running' | 'ended' | 'stopped' | 'timed-out'
  exitCode: number | null
  startedAt: number
  endedAt: number | null
}

export interface TaskNews {
  task: TaskInfo
  text: string
  next: number
  lost: number
}

export interface PageCall {
  askId: string
  sessionId: string
  toolCallId: string
  toolName: string
  action: string
  input: unknown
  title: string
  /** True if the action must wait for a user click. */
  byPerson: boolean
  createdAt: number
  timeoutMs: number | null
}
