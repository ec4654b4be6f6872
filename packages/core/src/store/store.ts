import type { Comparison, Frame, StoredMessage } from '@troupe/protocol'
import type { Answer, Ask } from '../tool/asks.ts'
import type {
  AgentRecord,
  BranchPage,
  Conversation,
  Folder,
  NewFolder,
  NewSession,
  Project,
  RecentWorkspace,
  Records,
  Removal,
  RunRecord,
  SearchHit,
  Session,
  SessionPatch,
  SessionView,
  StoredCall,
  TextMatches,
  TreeMessage,
  UsageEntry,
  UsageFilter,
  UsageTotals,
  Viewer,
  Workspace,
} from './records.ts'

/**
 * Source of truth: sessions, message trees, run logs, asks, definitions, rules, settings.
 *
 * Contracts of every implementation, verified by one contract test:
 * - a resolved promise means durable: the write survives `kill -9` and power loss;
 * - the data of a session is reachable only through its own workspace;
 * - the cost of opening a branch depends on the branch, not on the session;
 * - arguments are not kept by reference, and returned objects are fresh.
 */
export interface Store {
  workspaces: {
    /** Finds or creates the workspace of this folder. Its id is stable for the life of the store. */
    open(path: string): Promise<Workspace>
    get(id: string): Promise<Workspace | undefined>
    list(): Promise<Workspace[]>
    /** Listed workspaces by last use, newest first. */
    recent(limit?: number, viewer?: Viewer): Promise<RecentWorkspace[]>
    /** Notes that the user opened it, or removes it from the recent ones. Its sessions stay. */
    setListed(id: string, listed: boolean): Promise<void>
    /** Workspaces last seen with this identity. */
    identified(identity: string): Promise<Workspace[]>
    /** Records which folder is at the path. Trust belongs to the identity, so another folder there is not trusted. */
    identify(id: string, identity: string): Promise<Workspace>
    /** Follows a moved folder, with its projects. Throws `WorkspaceExists` (409) if another workspace has the path. */
    move(id: string, path: string): Promise<Workspace>
    /**
     * Finds or creates a project at a folder inside the workspace. Its parent is the nearest enclosing project. The
     * default name is that of the folder.
     */
    openProject(workspaceId: string, path: string, name?: string): Promise<Project>
    projects(workspaceId: string): Promise<Project[]>
    /**
     * Forgets a project. Its sessions and the projects inside it move to the project around it, or to the workspace.
     * Throws `ProjectNotFound` (404).
     */
    forgetProject(workspaceId: string, id: string): Promise<void>
    /** Records that the user trusts the configuration in this folder. */
    trust(id: string, trusted: boolean): Promise<void>
  }
  sessions: {
    /** Throws `SessionExists` (409). */
    create(session: NewSession): Promise<Session>
    get(id: string): Promise<Session | undefined>
    /**
     * Newest first. In `active`, pinned sessions come first. `query` filters by title and messages. Without `view`,
     * returns all sessions outside of the trash. `folderId` null: sessions in no folder. `withoutShared`: without those
     * that others shared with the viewer.
     */
    list(options: {
      workspaceId: string
      query?: string
      view?: SessionView
      folderId?: string | null
      viewer?: Viewer
      withoutShared?: boolean
      cursor?: string
      limit?: number
    }): Promise<{ sessions: Session[]; nextCursor: string | null }>
    /** A `title` set here counts as renamed by the user. Throws `SessionNotFound` and `FolderNotFound` (404). */
    update(id: string, patch: SessionPatch): Promise<Session>
    /** Sessions of all workspaces trashed before this time, oldest first. */
    trashedBefore(time: number): Promise<string[]>
    /** Removes the session with all its data, including the exported folder. */
    delete(id: string): Promise<void>
  }
  /** Folders for sessions. They nest only one level deep. */
  folders: {
    /** Sorted by name. */
    list(workspaceId: string, viewer?: Viewer): Promise<Folder[]>
    /** Throws `FolderExists` (409), `FolderNotFound` (404) and `FolderTooDeep` (409). */
    create(folder: NewFolder): Promise<Folder>
    /** Throws `FolderNotFound` (404) and `FolderTooDeep` (409). */
    update(id: string, patch: { name?: string; parentFolderId?: string | null }): Promise<Folder>
    /** Moves its sessions and folders to its parent. Throws `FolderNotFound` (404). */
    delete(id: string): Promise<void>
  }
  messages: {
    /**
     * Adds a leaf below `parentMessageId`. Throws `MessageExists` (409), or `MessageNotFound` (404) for an unknown
     * parent. The session's title follows the first user message until it is renamed. Updates the session's
     * `updatedAt`.
     */
    add(at: Conversation, message: StoredMessage): Promise<void>
    /**
     * Replaces parts and metadata of a stored message, such as the answer of a waiting run or a merged approval. With
     * `quiet`, the session keeps its `updatedAt`, and so its place in the list.
     */
    replace(
      at: Conversation,
      message: Pick<StoredMessage, 'id' | 'parts' | 'metadata'>,
      options?: { quiet?: boolean },
    ): Promise<void>
    get(at: Conversation, id: string): Promise<StoredMessage | undefined>
    /**
     * Walks from root to leaf in small batches. The cost depends on the branch alone. A cycle is logged and ends the
     * walk.
     */
    walk(at: Conversation, leafId: string): AsyncGenerator<StoredMessage>
    chain(at: Conversation, leafId: string): Promise<StoredMessage[]>
    /** Returns a page from the end of one branch. Default `leaf`: the newest branch. */
    branch(at: Conversation, options?: { leaf?: string; before?: string; limit?: number }): Promise<BranchPage>
    /** Returns all messages of a conversation in storage order. `after` is the `next` of the last page. */
    page(
      at: Conversation,
      options?: { after?: number; limit?: number },
    ): Promise<{ messages: StoredMessage[]; next: number | null }>
    latestLeaf(at: Conversation, belowId?: string): Promise<string | undefined>
    /** Returns the comparison of the question that this message answers, if several models answer it. */
    comparisonOf(at: Conversation, answerId: string): Promise<Comparison | undefined>
    /**
     * True if a message in any session references the blob. Scans all messages, so do not call it for every request.
     */
    usesBlob(sha256: string): Promise<boolean>
    /** Removes a message and its descendants. Returns the removed ids. Throws `MessageNotFound` (404). */
    remove(at: Conversation, id: string): Promise<string[]>
    /**
     * Takes out a message with its descendants, or everything except one branch. Treated as removed until restored with
     * `bringBack`. Throws `MessageNotFound` (404).
     */
    takeOut(at: Conversation, what: { below: string } | { allBut: string }): Promise<Removal>
    /** Returns the restored ids. Throws `RemovalNotFound` (404), `ParentGone` or `MessageExists` (409). */
    bringBack(at: Conversation, removalId: string): Promise<string[]>
    /** Permanently deletes messages taken out more than a day ago. */
    purge(): Promise<void>
    search(options: {
      workspaceId: string
      query: string
      sessionId?: string
      limit?: number
      viewer?: Viewer
    }): Promise<SearchHit[]>
    /**
     * Finds messages of one conversation that contain a text, ignoring case and accents. Messages of the branch come
     * first, in its order.
     */
    matches(at: Conversation, options: { text: string; leaf?: string }): Promise<TextMatches>
    /** Returns every message in short form, in order of arrival. */
    tree(at: Conversation): Promise<TreeMessage[]>
    /**
     * Rated answers of a workspace, newest first, outside of the trash. `cursor` is the `nextCursor` of the last page.
     */
    rated(options: RatedQuery): Promise<{ messages: RatedMessage[]; nextCursor: string | null }>
    /** Messages unreachable from a root because of lost parents or cycles. They are shown, not dropped. */
    strays(at: Conversation): Promise<StoredMessage[]>
  }
  agents: {
    put(agent: AgentRecord): Promise<void>
    get(sessionId: string, agentId: string): Promise<AgentRecord | undefined>
    list(sessionId: string): Promise<AgentRecord[]>
  }
  runs: {
    /** Stores a run, or the new state of a known one. */
    put(run: RunRecord): Promise<void>
    get(id: string): Promise<RunRecord | undefined>
    /** Runs with status `running` or `waiting`, oldest first. */
    unfinished(): Promise<RunRecord[]>
    ofSession(sessionId: string): Promise<RunRecord[]>
    /** The runs that wrote this answer, newest first. */
    ofMessage(sessionId: string, messageId: string): Promise<RunRecord[]>
    /** The highest number in any frame or run of the session, or 0. */
    lastNumber(sessionId: string): Promise<number>
  }
  frames: {
    /**
     * Writes all frames in one durable commit, with the runs that begin with them. Returns the runs whose frames were
     * refused, because another process continues them.
     */
    append(frames: Frame[], begun?: RunRecord[]): Promise<string[]>
    /** Returns up to `limit` frames of a run with content after number n, in order. */
    read(runId: string, after?: number, limit?: number): Promise<Frame[]>
    /** Merges all frames of an ended run into one, with joined deltas, for replay. */
    merge(runId: string): Promise<void>
  }
  calls: {
    /** Every call id used by a message of the session, on any branch or agent. */
    ids(sessionId: string): Promise<string[]>
    /** The latest calls in a workspace with complete input, on any branch or agent, newest first. */
    recent(options: { workspaceId: string; limit: number; viewer?: Viewer }): Promise<StoredCall[]>
  }
  /** Usage of model calls, by local day (`YYYY-MM-DD`), model and folder. It outlives its chats. */
  usage: {
    /** Adds to the totals in one commit. */
    add(entries: readonly UsageEntry[]): Promise<void>
    /**
     * Totals since a day, of all folders or of some. The cost depends on the days, models and folders, not on the chats.
     */
    totals(options: UsageFilter & { from: string; folders?: readonly string[] }): Promise<UsageTotals>
    /** Cost of the days that start with this text: a day, or a month (`YYYY-MM`). */
    cost(period: string, filter?: UsageFilter): Promise<number>
    /** The stored rows since a day, oldest first, in pages. */
    rows(options: UsageFilter & { from: string }): AsyncIterable<UsageEntry[]>
  }
  asks: {
    /** Inserts an ask. Leaves an existing ask with the same id unchanged. */
    open(ask: Ask): Promise<Ask>
    get(id: string): Promise<Ask | undefined>
    list(options: { sessionId?: string; runId?: string; open?: boolean }): Promise<Ask[]>
    /** Throws `AskNotFound` (404) and `AskClosed` (409). */
    answer(id: string, answer: Answer): Promise<Ask>
    /** Closes every open ask of a run without an answer. */
    closeRun(runId: string): Promise<void>
    /** Closes an open ask without an answer. No effect on a closed ask. */
    close(id: string): Promise<void>
  }
  definitions: Records
  settings: {
    get(key: string): Promise<unknown>
    set(key: string, value: unknown): Promise<void>
    /** Replaces a value by one made from it. Other processes wait. `change` may run more than once. */
    update(key: string, change: (value: unknown) => unknown): Promise<void>
  }
  /**
   * Short messages between all processes that use this store. One can be lost while the connection is down, so it only
   * says that there is something to read.
   */
  signals: {
    /**
     * Sends it once the commit is done, also to this process. Equal ones in one commit may arrive as one. Throws
     * `InvalidSignal` for a channel that is no lower-case name, or a payload of 8,000 bytes or more.
     */
    notify(channel: string, payload: string): Promise<void>
    /** Resolves once nothing sent from now on is missed. Returns a function that stops listening. */
    listen(channel: string, listener: SignalListener): Promise<() => Promise<void>>
  }
  /**
   * Runs several writes in one commit. `work` may run more than once if other processes write to the same rows. A read
   * that begins later sees either everything or nothing of it.
   */
  transaction<T>(work: (store: Store) => Promise<T>, options?: TransactionOptions): Promise<T>
  close(): Promise<void>
}

export interface SignalListener {
  onSignal(payload: string): void
  /** Called whenever listening began again after an interruption: read what you follow, since signals may be lost. */
  onReconnect(): void
}

export interface RatedQuery {
  workspaceId: string
  sessionId?: string
  viewer?: Viewer
  rating?: 'up' | 'down'
  cursor?: string
  limit?: number
}

export interface RatedMessage {
  sessionId: string
  message: StoredMessage
}

export interface TransactionOptions {
  /** Does not wait for the readable files, which follow with the session's next commit or a moment later. */
  exportLater?: boolean
  /** Begins at the end of this turn of the event loop, so that requests which arrive together share one commit. */
  canGather?: boolean
  /** Joins the next commit, within 250 ms. A crash before it loses the change, so only for what can be made again. */
  canWait?: boolean
}
