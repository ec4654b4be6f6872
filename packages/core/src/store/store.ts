import type { Frame, ParamValues, StoredMessage } from '@troupe/protocol'
import type { Effect, Mode } from '../access/decision.ts'
import type { Budget } from '../agents/agent-definition.ts'
import type { Answer, Ask } from '../tool/asks.ts'

/**
 * The truth: sessions, message trees, run logs, asks, definitions, rules, settings.
 *
 * Contracts of every implementation (one contract test proves them):
 * - a promise that resolved means durable: it survives `kill -9` and power loss;
 * - everything of a session is found only through its own workspace;
 * - opening one branch costs what the branch costs, not what the session does;
 * - objects handed in are not kept by reference, objects handed out are fresh.
 */
export interface Store {
  workspaces: {
    /** Finds or creates the workspace at this folder. The id is stable for the life of the store. */
    open(path: string): Promise<Workspace>
    get(id: string): Promise<Workspace | undefined>
    list(): Promise<Workspace[]>
    /** Finds or creates a project at a folder inside the workspace; its parent is the nearest project around it. */
    openProject(workspaceId: string, path: string): Promise<Project>
    projects(workspaceId: string): Promise<Project[]>
    /** The person has said that what this folder brings may take effect. */
    trust(id: string, trusted: boolean): Promise<void>
  }
  sessions: {
    /** Throws `SessionExists` (409). */
    create(session: NewSession): Promise<Session>
    get(id: string): Promise<Session | undefined>
    /**
     * Newest first; `active` has the pinned before all others. With `query`: those whose title or messages match.
     * Without `view` all that are not in the trash. `folderId` null: those that lie in no folder.
     */
    list(options: {
      workspaceId: string
      query?: string
      view?: SessionView
      folderId?: string | null
      cursor?: string
      limit?: number
    }): Promise<{ sessions: Session[]; nextCursor: string | null }>
    /** `title` set here counts as renamed by the person. Throws `SessionNotFound` and `FolderNotFound` (404). */
    update(id: string, patch: SessionPatch): Promise<Session>
    /** Sessions of every workspace that went into the trash before this time, oldest first. */
    trashedBefore(time: number): Promise<string[]>
    /** Removes the session with all that belongs to it, the exported folder included. */
    delete(id: string): Promise<void>
  }
  /** What a person keeps sessions in. A folder in a folder holds no further ones. */
  folders: {
    /** By name. */
    list(workspaceId: string): Promise<Folder[]>
    /** Throws `FolderExists` (409), `FolderNotFound` (404) and `FolderTooDeep` (409). */
    create(folder: NewFolder): Promise<Folder>
    /** Throws `FolderNotFound` (404), `FolderTooDeep` (409). */
    update(id: string, patch: { name?: string; parentFolderId?: string | null }): Promise<Folder>
    /** What lies in it, sessions and folders, moves to where it lay. Throws `FolderNotFound` (404). */
    delete(id: string): Promise<void>
  }
  messages: {
    /**
     * Adds a leaf below `parentMessageId`. Throws `MessageExists` (409), `MessageNotFound` (404) for an unknown parent.
     * The session's title follows the first user message until it is renamed; its `updatedAt` moves.
     */
    add(at: Conversation, message: StoredMessage): Promise<void>
    /** Replaces parts and metadata of a stored message (the answer of a waiting run, a merged approval). */
    replace(at: Conversation, message: Pick<StoredMessage, 'id' | 'parts' | 'metadata'>): Promise<void>
    get(at: Conversation, id: string): Promise<StoredMessage | undefined>
    /** Root to leaf, a few at a time. Costs the branch alone; a cycle ends the walk and is logged, never looped. */
    walk(at: Conversation, leafId: string): AsyncGenerator<StoredMessage>
    /** The same as a list. */
    chain(at: Conversation, leafId: string): Promise<StoredMessage[]>
    /** A page from the tail of one branch. Without `leaf` the newest branch is shown. */
    branch(at: Conversation, options?: { leaf?: string; before?: string; limit?: number }): Promise<BranchPage>
    /** Every message of a conversation, in the order in which they were stored; `after` is the last page's `next`. */
    page(
      at: Conversation,
      options?: { after?: number; limit?: number },
    ): Promise<{ messages: StoredMessage[]; next: number | null }>
    /** The newest leaf in the whole tree, or below one message. */
    latestLeaf(at: Conversation, belowId?: string): Promise<string | undefined>
    /** Whether a message, in whichever session, holds the blob. Looks at all of them: not for every request. */
    usesBlob(sha256: string): Promise<boolean>
    /** Removes a message and everything below it; returns the removed ids. Throws `MessageNotFound` (404). */
    remove(at: Conversation, id: string): Promise<string[]>
    /**
     * Takes out a message with everything below it, or everything but one branch, so that it can be brought back whole.
     * Until then it is as good as removed. Throws `MessageNotFound` (404).
     */
    takeOut(at: Conversation, what: { below: string } | { allBut: string }): Promise<Removal>
    /** Throws `RemovalNotFound` (404), `ParentGone` or `MessageExists` (409). Returns the ids that are there again. */
    bringBack(at: Conversation, removalId: string): Promise<string[]>
    /** Removes for good what was taken out more than a day ago. */
    purge(): Promise<void>
    search(options: { workspaceId: string; query: string; sessionId?: string; limit?: number }): Promise<SearchHit[]>
    /** Messages of one conversation that hold this text, case and accents aside: those of the branch first, in its order. */
    matches(at: Conversation, options: { text: string; leaf?: string }): Promise<TextMatches>
    /** Every message in little, in the order in which they came. */
    tree(at: Conversation): Promise<TreeMessage[]>
    /** Messages that no walk from a root reaches (lost parents, cycles): shown, not lost. */
    strays(at: Conversation): Promise<StoredMessage[]>
  }
  agents: {
    /** Inserts or updates the record of a sub-agent conversation. */
    put(agent: AgentRecord): Promise<void>
    get(sessionId: string, agentId: string): Promise<AgentRecord | undefined>
    list(sessionId: string): Promise<AgentRecord[]>
  }
  runs: {
    create(run: RunRecord): Promise<void>
    update(id: string, patch: Partial<Omit<RunRecord, 'id' | 'sessionId'>>): Promise<void>
    get(id: string): Promise<RunRecord | undefined>
    /** Runs whose status is `running` or `waiting`, oldest first. */
    unfinished(): Promise<RunRecord[]>
    ofSession(sessionId: string): Promise<RunRecord[]>
    /** The run that wrote this answer, newest first. */
    ofMessage(sessionId: string, messageId: string): Promise<RunRecord[]>
    /** The highest number that any frame or run of the session holds; 0 when none. */
    lastNumber(sessionId: string): Promise<number>
  }
  frames: {
    /** All in one durable commit. */
    append(frames: Frame[]): Promise<void>
    /** Frames of a run that hold anything after number n, in order; at most `limit`. */
    read(runId: string, after?: number, limit?: number): Promise<Frame[]>
    /** Joins all frames of an ended run into one (deltas joined), for replay. */
    merge(runId: string): Promise<void>
  }
  calls: {
    /** Every call id that a message of the session has held, on whichever branch or agent. */
    ids(sessionId: string): Promise<string[]>
    /** The last calls of a workspace's sessions, newest first: those whose input is whole, on whichever branch or agent. */
    recent(options: { workspaceId: string; limit: number }): Promise<StoredCall[]>
  }
  asks: {
    /** Inserts; an ask with the same id is left as it is. */
    open(ask: Ask): Promise<Ask>
    get(id: string): Promise<Ask | undefined>
    list(options: { sessionId?: string; runId?: string; open?: boolean }): Promise<Ask[]>
    /** Throws `AskNotFound` (404), `AskClosed` (409). */
    answer(id: string, answer: Answer): Promise<Ask>
    /** Closes every open ask of a run without an answer. */
    closeRun(runId: string): Promise<void>
    /** Closes an open ask without an answer; one that is closed stays as it is. */
    close(id: string): Promise<void>
  }
  definitions: Records
  settings: {
    get(key: string): Promise<unknown>
    set(key: string, value: unknown): Promise<void>
  }
  /** Several writes as one commit. */
  transaction<T>(work: (store: Store) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Which conversation: the session's own, or one of its sub-agents'. */
export interface Conversation {
  sessionId: string
  agentId?: string
}

export interface Workspace {
  id: string
  path: string
  trusted: boolean
  createdAt: number
}

export interface Project {
  id: string
  workspaceId: string
  parentProjectId: string | null
  path: string
  createdAt: number
}

/** Part of a list: at hand, put aside, or thrown away. */
export type SessionView = 'active' | 'archived' | 'trashed'

export interface Folder {
  id: string
  workspaceId: string
  /** The folder that it lies in. */
  parentFolderId: string | null
  name: string
  /** How many sessions lie in it and are at hand. */
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
  /** The folder that the person keeps it in. */
  folderId: string | null
  /** When it went into the trash; null where it did not. */
  trashedAt: number | null
  model: string | null
  agent: string | null
  mode: Mode
  /** What the person allowed, refused or wants to be asked in this session alone. */
  rules: SessionRule[]
  /** Settings of its model that the person has chosen, by name; absent when there is none. */
  params?: ParamValues
  messageCount: number
  createdAt: number
  updatedAt: number
}

export type SessionPatch = Partial<
  Pick<
    Session,
    'title' | 'pinned' | 'archived' | 'folderId' | 'model' | 'agent' | 'projectId' | 'mode' | 'rules' | 'params'
  >
> & { trashed?: boolean }

export interface SessionRule {
  text: string
  effect: Effect
}

/** A call as the model made it. */
export interface StoredCall {
  sessionId: string
  toolCallId: string
  toolName: string
  input: unknown
  /** Whose call it was; models know some tools by other names. */
  model?: string
  createdAt: number
}

export interface BranchPage {
  /** Null for an empty conversation. */
  leafMessageId: string | null
  messages: StoredMessage[]
  /** For each shown message that has siblings or not: where it stands among them, 1-based. */
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
  /** Plain text around the hit; matches stand between U+E000 and U+E001. */
  snippet: string
  createdAt: number
}

/** What was taken out of a conversation together. */
export interface Removal {
  id: string
  messageIds: string[]
}

export interface TextMatches {
  matches: TextMatch[]
  /** There are more than are told. */
  isCut: boolean
}

/** A message that holds a text, in what it says or in its calls. */
export interface TextMatch {
  messageId: string
  role: StoredMessage['role']
  /** How many times what it says does. */
  count: number
  /** Calls that hold it, with how many of those times come before each. */
  calls: { toolCallId: string; after: number }[]
  /** As in `SearchHit`. */
  snippet: string
  isOnBranch: boolean
}

/** A message as a picture of the tree needs it. */
export interface TreeMessage {
  id: string
  parentMessageId: string | null
  role: StoredMessage['role']
  /** Its first words, or the names of the tools that it calls first. */
  text: string
  createdAt: number
  model?: string
  /** With those of its sub-agents; so is the cost. */
  tokens?: number
  cost?: number
  ending?: 'failed' | 'stopped'
}

/** A sub-agent's conversation; all depths lie flat, `parentAgentId` tells the tree. */
export interface AgentRecord {
  sessionId: string
  agentId: string
  parentAgentId: string | null
  name: string
  task: string
  agentType: string
  status: string
  title: string
  /** Its newest run. */
  runId: string | null
  details?: AgentDetails
  createdAt: number
  updatedAt: number
}

/** What a sub-agent was started by and with, and what it has spent. */
export interface AgentDetails {
  parentRunId: string
  toolCallId: string
  background: boolean
  setup: AgentSetup
  /** What it still has to answer. */
  told: PendingMessage[]
  steps: number
  tokens: number
  cost: number
  /** What of that it had spent before it came to work for `parentRunId`. */
  earlier?: { steps: number; tokens: number; cost: number }
  /** Why its answer may not be whole. */
  note?: string
}

export type RunStatus = 'running' | 'waiting' | 'done' | 'failed' | 'aborted' | 'interrupted'

export interface RunRecord {
  id: string
  sessionId: string
  agentId: string | null
  /** The message that is being answered, and the answer being written. */
  userMessageId: string
  messageId: string
  status: RunStatus
  /** Everything needed to go on after a crash: model, agent, mode, client, tab, limits. */
  request: Record<string, unknown>
  /** Numbers of this run are greater than `fromNumber`. */
  fromNumber: number
  createdAt: number
  endedAt: number | null
}

/** Small documents that belong to a workspace: agent definitions. */
export interface Records {
  put(record: { workspaceId: string; name: string; data: Record<string, unknown> }): Promise<void>
  get(workspaceId: string, name: string): Promise<Record<string, unknown> | undefined>
  list(workspaceId: string): Promise<{ name: string; data: Record<string, unknown> }[]>
  remove(workspaceId: string, name: string): Promise<boolean>
}

/** What a sub-agent was started with. Stored with it: an edited definition does not change an agent that is there. */
export interface AgentSetup {
  prompt: string
  /** Names of tools. */
  tools: readonly string[]
  model: string
  allowedSubAgents?: readonly string[]
  maxDepth?: number
  /** See `AgentFrame`. */
  unasked?: readonly (readonly string[])[]
  maxSteps?: number
  budget?: Budget
  /** Settings of the model. */
  params?: ParamValues
}

/** Something that a sub-agent is told, and the run that answers it. */
export interface PendingMessage {
  runId: string
  message: { id: string; text: string }
}
