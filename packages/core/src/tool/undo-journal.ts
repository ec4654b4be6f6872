/** The origin of a change: a call of a run that wrote an answer. */
export interface ChangeMark {
  sessionId: string
  agentId?: string
  messageId: string
  runId: string
  step: number
  toolCallId: string
}

export interface Change {
  id: string
  mark: ChangeMark
  path: string
  /** Hash of the bytes before and after, or null if the file did not exist. */
  before: string | null
  /** Absent if the process ended during the change, so the result is unknown. */
  after?: string | null
  createdAt: number
  /** Set if this change is an undo of that change. */
  undoes?: string
  /** Undone, and the undo is still in effect. */
  undone: boolean
}

/** A command that ran. Its changes are unknown, so it cannot be undone. */
export interface RanCommand {
  mark: ChangeMark
  command: string
  createdAt: number
}

/** A change in progress. Call exactly one of the two methods. */
export interface OpenChange {
  /** Completes the change. `after`: the new bytes or their hash. */
  done(after: Uint8Array | string | null): Promise<void>
  cancel(): Promise<void>
}

export interface FileFacts {
  sha256?: string
  /** Permissions, for recreating the file. */
  mode?: number
  /** Topmost folder to create for the file. */
  folder?: string
  /** Original bytes at these positions of the new file, if only small parts of a long file change. */
  replaced?: readonly ReplacedPart[]
}

export interface ReplacedPart {
  /** Byte offset in the new file. */
  start: number
  length: number
  bytes: Uint8Array
}

/**
 * Keeps file contents from before our tools change them, by content hash, within a quota of 1 GiB (oldest dropped
 * first). Never copies a tree: stores only files a tool is about to change, and only the changed parts of long ones.
 */
export interface UndoJournal {
  /** Call before the first byte is written. Durable when it resolves. */
  before(mark: ChangeMark, path: string, bytes: Uint8Array | null, facts?: FileFacts): Promise<OpenChange>
  /** Records that a command ran, so that an undo can report what it does not cover. */
  command(mark: ChangeMark, command: string): Promise<void>
  /** Newest first. */
  list(filter: Partial<ChangeMark>): Promise<Change[]>
  /** Newest first. */
  commands(filter: Partial<ChangeMark>): Promise<RanCommand[]>
  /**
   * Returns a file's content before the first of these changes, as far as it can still be restored. `bytes` is null if
   * there was no file. Undefined if no such change is known.
   */
  original(path: string, filter: Partial<ChangeMark>): Promise<{ bytes: Uint8Array | null } | undefined>
  /** Returns the version of a file with this hash, if it is there or still kept. */
  version(path: string, sha256: string): Promise<Uint8Array | undefined>
  /**
   * Restores files, newest change first. Skips and reports files that someone else changed since. The undo is itself a
   * change, recorded under `mark`.
   */
  undo(changes: readonly Change[], mark?: ChangeMark): Promise<UndoOutcome>
  /** Deletes all data of a session, including contents that no other session references. */
  forget(sessionId: string): Promise<void>
}

export interface UndoOutcome {
  restored: string[]
  skipped: { path: string; reason: string }[]
}

/** Excludes changes already undone, and undos of changes in the same list. */
export function undoable(changes: readonly Change[]): Change[] {
  const ids = new Set(changes.map((change) => change.id))
  return changes.filter(({ undone, undoes }) => !undone && (undoes === undefined || !ids.has(undoes)))
}
