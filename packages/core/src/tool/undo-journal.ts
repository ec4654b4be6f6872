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
  /** Absent when the process ended during the change, so that nobody knows. */
  after?: string | null
  createdAt: number
  /** This change was itself an undo, of that change. */
  undoes?: string
  /** It has been undone, and the undo still stands. */
  undone: boolean
}

/** A command that ran: what it changed is not known, so it cannot be undone. */
export interface RanCommand {
  mark: ChangeMark
  command: string
  createdAt: number
}

/** A change under way. One of the two is called. */
export interface OpenChange {
  /** The file is changed; `after` are its bytes now, or their hash. */
  done(after: Uint8Array | string | null): Promise<void>
  /** It was not changed after all. */
  cancel(): Promise<void>
}

/** What is known of a file besides its bytes. */
export interface FileFacts {
  sha256?: string
  /** Permissions, for the case that the file is to be made again. */
  mode?: number
  /** The topmost folder that has to be made for the file. */
  folder?: string
  /** When only small parts of a long file change: what stands at these places of the new file was this before. */
  replaced?: readonly ReplacedPart[]
}

export interface ReplacedPart {
  /** Bytes of the new file. */
  start: number
  length: number
  /** What was there. */
  bytes: Uint8Array
}

/**
 * Keeps what every file was before our tools changed it, by content hash, within a quota (1 GiB, oldest first).
 * Never a copy of a tree: only files that a tool is about to touch, and of long ones only the parts that change.
 */
export interface UndoJournal {
  /** Called before the first byte is written; durable when it resolves. */
  before(mark: ChangeMark, path: string, bytes: Uint8Array | null, facts?: FileFacts): Promise<OpenChange>
  /** Notes that a command ran, so that an undo can say what it does not cover. */
  command(mark: ChangeMark, command: string): Promise<void>
  /** Newest first. */
  list(filter: Partial<ChangeMark>): Promise<Change[]>
  /** Newest first. */
  commands(filter: Partial<ChangeMark>): Promise<RanCommand[]>
  /**
   * What a file was before the first of these changes of it, as far as that can still be gone back; `bytes` are null
   * where there was no file. Undefined where no such change of it is known.
   */
  original(path: string, filter: Partial<ChangeMark>): Promise<{ bytes: Uint8Array | null } | undefined>
  /**
   * Puts files back, newest change first. A file that was changed since by somebody else is left and named. The undo
   * is a change like any other, of the call that the mark names.
   */
  undo(changes: readonly Change[], mark?: ChangeMark): Promise<UndoOutcome>
  /** Takes away everything of a session, contents that no other names included. */
  forget(sessionId: string): Promise<void>
}

export interface UndoOutcome {
  restored: string[]
  skipped: { path: string; reason: string }[]
}
