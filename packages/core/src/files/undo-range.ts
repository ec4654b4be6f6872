import type { Change, RanCommand } from './undo-journal.ts'

export type UndoScope = 'call' | 'step' | 'turn' | 'message'

export interface UndoRange {
  /** What the range is, as a person would name it: an id of the scope. */
  id: string
  /** Newest first; also those that are undone already. */
  changes: Change[]
  commands: RanCommand[]
}

/**
 * The changes and commands that a scope means, out of all of a session, newest first. Without an id: the newest that
 * still stands. `message` is everything from that answer on. Undefined when nothing of it is known.
 */
export function findUndoRange(
  scope: UndoScope,
  id: string | undefined,
  all: { changes: readonly Change[]; commands: readonly RanCommand[] },
): UndoRange | undefined {
  const newest = all.changes.find((change) => !change.undone && change.undoes === undefined)
  const wanted = id ?? (newest === undefined ? undefined : scopeKey(scope, newest.mark))
  if (wanted === undefined) return undefined
  const isMeant = ({ mark }: Pick<Change, 'mark'>): boolean => scopeKey(scope, mark) === wanted
  if (scope !== 'message') {
    const [changes, commands] = [all.changes.filter(isMeant), all.commands.filter(isMeant)]
    return changes.length + commands.length === 0 ? undefined : { id: wanted, changes, commands }
  }
  const oldest = [...all.changes, ...all.commands].filter(isMeant).map(({ createdAt }) => createdAt)
  if (oldest.length === 0) return undefined
  const last = all.changes.findLastIndex(isMeant)
  const from = Math.min(...oldest)
  return {
    id: wanted,
    // In the order of the journal: times may be equal.
    changes: all.changes.filter((change, index) => index <= last || change.createdAt > from),
    commands: all.commands.filter(({ createdAt }) => createdAt >= from),
  }
}

/** What is left to undo of a range: neither what is undone, nor an undo of something in the same range. */
export function undoable(changes: readonly Change[]): Change[] {
  const ids = new Set(changes.map((change) => change.id))
  return changes.filter(({ undone, undoes }) => !undone && (undoes === undefined || !ids.has(undoes)))
}

/** How a step, a call or a turn is named: a step belongs to an answer, so it is named with it. */
export function scopeKey(scope: UndoScope, { toolCallId, messageId, step }: Change['mark']): string {
  if (scope === 'call') return toolCallId
  return scope === 'step' ? `${messageId}:${step}` : messageId
}
