import type { AgentStatus } from '@troupe/core'
import type { ParamValues } from '@troupe/protocol'

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

export type { AgentInfo, AgentList } from '@troupe/protocol'

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

/** What a branch did to files: `GET /ai/sessions/:id/changes`. */
export interface BranchChanges {
  /** Each once, those that sub-agents and commands touched included. */
  files: string[]
  /** How many commands may have touched files that nobody knows of. */
  commands: number
}

/** What the next model call of a session will be sent, as `GET /ai/sessions/:id/context` tells it. */
export interface ContextInfo {
  model: string
  /** How many tokens the model takes; null where nobody has said. */
  window: number | null
  total: { tokens: number; cost?: number }
  /** In the order in which the model is told them. */
  pieces: ContextPiece[]
  cache: {
    lastCallAt: number | null
    /** The newest call went to another model. */
    modelChanged: boolean
    /** The first piece, by its name, that the newest call was not sent in the same way; all tools are `tools`. */
    brokenBy: string | null
    /** Of the newest answer. */
    inputTokens?: number
    cachedInputTokens?: number
  }
}

export type PieceKind = 'tool' | 'instructions' | 'summary' | 'message'

export interface ContextPiece {
  kind: PieceKind
  name: string
  tokens: number
  /** In dollars, as if nothing came from a cache. */
  cost?: number
  messageId?: string
  changed?: boolean
}

/** What a page says of itself. */
export interface TabNote {
  clientId: string
  tabId: string
  actions: string[]
  notes?: Readonly<Record<string, readonly string[]>>
  sessionId: string | null
  alive?: string[]
}

/** What became of something that a page was asked to do. */
export interface CallNote {
  sessionId: string
  clientId: string
  toolCallId: string
  status: 'success' | 'failed'
  output?: unknown
  errorText?: string
}

/** A page of the web as text to read. */
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

/** A command in the background. */
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

/** What a tool asks this page to do. */
export interface PageCall {
  askId: string
  sessionId: string
  toolCallId: string
  toolName: string
  /** The name of a file in `actions/`. */
  action: string
  input: unknown
  title: string
  /** It is done when the person clicks, and not before. */
  byPerson: boolean
  createdAt: number
  timeoutMs: number | null
}
