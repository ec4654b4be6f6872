/** Which change: a call of a run that wrote an answer. */
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
  /** Hash of the bytes before and after; null where the file did not exist. */
  before: string | null
  after: string | null
  createdAt: number
}

/**
 * Keeps what every file was before our tools changed it, by content hash, within a quota (1 GiB, oldest first).
 * Never a copy of a tree: only files that a tool is about to touch.
 */
export interface UndoJournal {
  /** Called before the first byte is written; durable when it resolves. `after` is told by `done`. */
  before(mark: ChangeMark, path: string, bytes: Uint8Array | null): Promise<{ done(after: Uint8Array | null): Promise<void> }>
  /** Newest first. */
  list(filter: Partial<ChangeMark>): Promise<Change[]>
  /** Puts files back, newest change first. A file that was changed since by somebody else is left and named. */
  undo(changes: readonly Change[]): Promise<{ restored: string[]; skipped: { path: string; reason: string }[] }>
}
