import type { ParamValues, StoredMessage } from '@troupe/protocol'
import type { Effect, Mode } from '../access/decision.ts'
import type { Budget } from '../agents/agent-definition.ts'

export interface Conversation {
  sessionId: string
  agentId?: string
}

export interface Workspace {
  id: string
  path: string
  trusted: boolean
  createdAt: number
  /** Names the folder itself, wherever it is. Null until it was first seen. */
  identity?: string | null
  /** False once the user removed it from the recent ones. */
  listed?: boolean
  /** Names the disk that the folder is on, if nodes on several disks share the store. */
  place?: string
  /** In the services of a session with a project: that project and those around it, outermost first. */
  projects?: readonly Project[]
}

export interface RecentWorkspace extends Workspace {
  /** Active sessions. */
  sessionCount: number
  usedAt: number
}

export interface Project {
  id: string
  workspaceId: string
  parentProjectId: string | null
  name: string
  path: string
  createdAt: number
}

export type SessionView = 'active' | 'archived' | 'trashed'

export interface Folder {
  id: string
  workspaceId: string
  parentFolderId: string | null
  name: string
  /** Number of active sessions in the folder. */
  sessionCount: number
  createdAt: number
}

export type NewFolder = Pick<Folder, 'id' | 'workspaceId' | 'name'> & { parentFolderId?: string | null }

export interface NewSession {
  id: string
  workspaceId: string
  projectId?: string | null
  title?: string
  model?: string | null
  agent?: string | null
  /** Default: `default`. */
  mode?: Mode
  params?: ParamValues
  /** The person who starts it. Null without accounts. */
  ownerId?: string | null
  createdAt?: number
}

export interface Session {
  id: string
  workspaceId: string
  projectId: string | null
  title: string
  renamed: boolean
  pinned: boolean
  archived: boolean
  folderId: string | null
  /** Null if it is not in the trash. */
  trashedAt: number | null
  model: string | null
  agent: string | null
  mode: Mode
  /** Rules the user set for this session only. */
  rules: SessionRule[]
  params?: ParamValues
  /** The person who started it. Null without accounts. */
  ownerId: string | null
  /** `workspace`: everyone who may use the workspace can read it. */
  visibility: 'private' | 'workspace'
  messageCount: number
  createdAt: number
  updatedAt: number
}

/** A person who looks at lists of one workspace that they may read. They see their own chats and shared ones. */
export interface Viewer {
  personId: string
  /** An owner of the organization, who also sees chats without an owner. */
  isOwner: boolean
}

export type SessionPatch = Partial<
  Pick<
    Session,
    | 'title'
    | 'pinned'
    | 'archived'
    | 'folderId'
    | 'model'
    | 'agent'
    | 'projectId'
    | 'mode'
    | 'rules'
    | 'params'
    | 'ownerId'
    | 'visibility'
  >
> & { trashed?: boolean }

export interface SessionRule {
  text: string
  effect: Effect
}

export interface StoredCall {
  sessionId: string
  toolCallId: string
  toolName: string
  input: unknown
  /** The model that made the call. Some models know tools by other names. */
  model?: string
  createdAt: number
}

export interface BranchPage {
  /** Null for an empty conversation. */
  leafMessageId: string | null
  messages: StoredMessage[]
  /** Position of each shown message among its siblings, 1-based. */
  siblings: Record<string, SiblingPlace>
  page: { hasMore: boolean; before: string | null }
}

export interface SiblingPlace {
  index: number
  total: number
  prev: string | null
  next: string | null
}

export interface SearchHit {
  sessionId: string
  messageId: string
  title: string
  role: StoredMessage['role']
  /** Plain text around the hit. Matches are enclosed in U+E000 and U+E001. */
  snippet: string
  createdAt: number
}

export interface Removal {
  id: string
  messageIds: string[]
}

export interface TextMatches {
  matches: TextMatch[]
  /** True if there are more matches than listed. */
  isCut: boolean
}

/** A message that contains a text, in its own text or in its tool calls. */
export interface TextMatch {
  messageId: string
  role: StoredMessage['role']
  count: number
  /** Matching calls, each with the number of text matches before it. */
  calls: { toolCallId: string; after: number }[]
  /** Same format as in `SearchHit`. */
  snippet: string
  isOnBranch: boolean
}

export interface TreeMessage {
  id: string
  parentMessageId: string | null
  role: StoredMessage['role']
  /** Its first words, or the names of its first tool calls. */
  text: string
  createdAt: number
  model?: string
  /** Includes its sub-agents, as does the cost. */
  tokens?: number
  cost?: number
  ending?: 'failed' | 'stopped'
}

/** A sub-agent's conversation. All depths are stored flat, and `parentAgentId` defines the tree. */
export interface AgentRecord {
  sessionId: string
  agentId: string
  parentAgentId: string | null
  name: string
  task: string
  agentType: string
  status: string
  title: string
  runId: string | null
  details?: AgentDetails
  createdAt: number
  updatedAt: number
}

export interface AgentDetails {
  parentRunId: string
  toolCallId: string
  background: boolean
  setup: AgentSetup
  told: PendingMessage[]
  steps: number
  tokens: number
  cost: number
  /** The share spent before it started to work for `parentRunId`. */
  earlier?: { steps: number; tokens: number; cost: number }
  note?: string
}

export type RunStatus = 'running' | 'waiting' | 'done' | 'failed' | 'aborted' | 'interrupted'

export interface RunRecord {
  id: string
  sessionId: string
  agentId: string | null
  /** The message to answer, and the answer being written. */
  userMessageId: string
  messageId: string
  status: RunStatus
  /** Everything needed to resume after a crash: model, agent, mode, client, tab, limits. */
  request: Record<string, unknown>
  /** Event numbers of this run are greater than `fromNumber`. */
  fromNumber: number
  createdAt: number
  endedAt: number | null
}

export interface Records {
  put(record: { workspaceId: string; name: string; data: Record<string, unknown> }): Promise<void>
  get(workspaceId: string, name: string): Promise<Record<string, unknown> | undefined>
  list(workspaceId: string): Promise<{ name: string; data: Record<string, unknown> }[]>
  remove(workspaceId: string, name: string): Promise<boolean>
}

/** Setup of a sub-agent, stored with it. Later edits of the definition do not affect it. */
export interface AgentSetup {
  prompt: string
  tools: readonly string[]
  model: string
  allowedSubAgents?: readonly string[]
  maxDepth?: number
  /** See `AgentFrame`. */
  unasked?: readonly (readonly string[])[]
  maxSteps?: number
  budget?: Budget
  params?: ParamValues
}

export interface PendingMessage {
  runId: string
  message: { id: string; text: string }
}

/** Numbers of model calls. `cost` is in US dollars. `unpricedTokens` are those of models without a known price. */
export interface UsageNumbers {
  calls: number
  inputTokens: number
  cachedTokens: number
  outputTokens: number
  cost: number
  unpricedTokens: number
}

export interface UsageEntry extends UsageNumbers {
  day: string
  /** `provider/model` */
  model: string
  /** Path of the workspace. */
  folder: string
  /** Id of the person in team mode. */
  person?: string | undefined
}

/** Counts only the calls of these. */
export interface UsageFilter {
  person?: string | undefined
  folder?: string | undefined
  model?: string | undefined
}

export interface UsageTotals {
  /** Oldest first. Days without model calls are absent. */
  days: (UsageNumbers & { day: string })[]
  /** The most expensive first, then the most used. At most 200 each. */
  models: (UsageNumbers & { model: string })[]
  folders: (UsageNumbers & { folder: string })[]
  /** Empty outside team mode. */
  people: (UsageNumbers & { person: string })[]
}
