import { existsSync } from 'node:fs'
import type { Display } from '@troupe/protocol'
import { z } from 'zod'
import { isInside, shownPath } from '../files/resolve-path.ts'
import { markOf } from '../files/undo-folder.ts'
import { printablePath } from '../text/format.ts'
import { defineTool, type ToolContext, withModelText } from '../tool/tool.ts'
import { type Change, type RanCommand, undoable } from '../tool/undo-journal.ts'

export default defineTool({
  description: `Restores files to their state before your tools changed them: one tool call, a step, a whole turn, or everything since a message. Without "id", undoes the latest one. Files that someone else has changed since are skipped and listed. Changes made by commands cannot be undone. To undo an undo, use its own call id.`,
  input: z.object({
    scope: z.enum(['call', 'step', 'turn', 'message']),
    id: z
      .string()
      .describe(
        'A call id; "<message id>:<step>" or a step number of this answer; the message id of a turn, or of the message to go back to',
      )
      .optional(),
  }),
  readOnly: false,
  deferred: true,
  group: 'file-write',
  // The files are known only after reading the journal, but all are in the workspace.
  touches: () => [{ kind: 'write', path: '.' }],
  title: ({ scope }) => `Undo the ${scope === 'message' ? 'changes since a message' : scope}`,
  permission: ({ scope, id }) => ({
    title: 'Restore files',
    summary: `Undo ${id === undefined ? `the last ${scope}` : `${scope} ${id}`}`,
  }),
  validate: ({ scope, id }) =>
    scope === 'message' && id === undefined ? 'Give the id of the message to go back to.' : undefined,
  async execute({ scope, id }, ctx): Promise<UndoOutput> {
    const { state } = ctx
    const all = await undoHistory(ctx)
    const wanted = scope === 'step' && id !== undefined && /^\d+$/.test(id) ? `${ctx.messageId}:${id}` : id
    const range = findUndoRange(scope, wanted, all)
    if (range === undefined) throw new Error(nothingToUndoMessage(scope, wanted, all.changes))
    const changes = undoable(range.changes)
    const [inside, outside] = [changes.filter(isReachable), changes.filter((change) => !isReachable(change))]
    const { restored, skipped } = await state.undo.undo(inside, markOf(ctx))
    for (const file of restored) state.reads.delete(file)
    const shown = (file: string): string => shownPath(file, state.roots[0] ?? file)
    const output: UndoOutput = {
      scope,
      id: range.id,
      restored: restored.filter((file) => existsSync(file)).map(shown),
      removed: restored.filter((file) => !existsSync(file)).map(shown),
      skipped: [
        ...skipped.map(({ path, reason }) => ({ path: shown(path), reason })),
        ...outside.map(({ path }) => ({ path, reason: 'it is now outside the workspace' })),
      ],
      commands: range.commands.map(({ command }) => command),
    }
    return withModelText(output, undoText(output))

    function isReachable({ path }: Change): boolean {
      return state.roots.some((root) => isInside(path, root))
    }
  },
  display: ({ scope, restored, removed, skipped }) => ({
    title: scope === 'message' ? 'Undo everything since a message' : `Undo a ${scope}`,
    summary: [
      `${restored.length} restored`,
      ...(removed.length > 0 ? [`${removed.length} removed`] : []),
      ...(skipped.length > 0 ? [`${skipped.length} skipped`] : []),
    ].join(', '),
    content: {
      kind: 'list',
      path: 'Restored or removed',
      entries: [...restored, ...removed].map((name) => ({ name, kind: 'file', depth: 0 })),
      left: 0,
    } satisfies Display,
  }),
})

interface UndoOutput {
  scope: UndoScope
  id: string
  restored: string[]
  removed: string[]
  skipped: { path: string; reason: string }[]
  /** Commands that ran in the range, newest first. */
  commands: string[]
}

async function undoHistory({
  state,
  session,
  toolCallId,
}: ToolContext): Promise<Pick<UndoRange, 'changes' | 'commands'>> {
  const filter = { sessionId: session.id }
  const [changes, commands] = await Promise.all([state.undo.list(filter), state.undo.commands(filter)])
  return { changes: changes.filter(({ mark }) => mark.toolCallId !== toolCallId), commands }
}

function nothingToUndoMessage(scope: UndoScope, id: string | undefined, changes: readonly Change[]): string {
  const known = [...new Set(undoable(changes).map(({ mark }) => scopeKey(scope, mark)))].slice(0, 10)
  if (known.length === 0)
    return 'There is nothing to undo: no tool has changed a file in this chat, or everything is already undone.'
  return `There is no recorded change for ${scope} ${id ?? ''}. These can be undone, newest first: ${known.join(', ')}. Older changes are no longer kept.`
}

function undoText({ restored, removed, skipped, commands }: UndoOutput): string {
  const lines: string[] = []
  if (restored.length > 0)
    lines.push(
      'Restored (read them again before you change them):',
      ...restored.map((path) => `  ${printablePath(path)}`),
    )
  if (removed.length > 0)
    lines.push('Removed, because they did not exist before:', ...removed.map((path) => `  ${printablePath(path)}`))
  if (restored.length + removed.length === 0) lines.push('Nothing was restored.')
  if (skipped.length > 0)
    lines.push('Skipped:', ...skipped.map(({ path, reason }) => `  ${printablePath(path)}: ${reason}`))
  if (commands.length === 0) lines.push('Only changes made by file tools can be undone, not those made by commands.')
  else {
    lines.push('Changes made by these commands cannot be undone:')
    lines.push(
      ...commands.slice(0, 20).map((command) => `  ${printablePath(command.split('\n')[0]?.slice(0, 200) ?? '')}`),
    )
    if (commands.length > 20) lines.push(`  and ${commands.length - 20} more`)
  }
  return lines.join('\n')
}

type UndoScope = 'call' | 'step' | 'turn' | 'message'

interface UndoRange {
  /** Id within the scope, as a person would name it. */
  id: string
  /** Newest first, including changes already undone. */
  changes: Change[]
  commands: RanCommand[]
}

/**
 * Selects the changes and commands of a scope from all those of a session, newest first. Without an id, selects the
 * newest that is still in effect. `message` covers everything from that answer on. Returns undefined if nothing is
 * known.
 */
function findUndoRange(
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
    // Use journal order, because times may be equal.
    changes: all.changes.filter((change, index) => index <= last || change.createdAt > from),
    commands: all.commands.filter(({ createdAt }) => createdAt >= from),
  }
}

/** Returns the key of a step, call or turn. A step is unique only within its answer, so its key includes both. */
function scopeKey(scope: UndoScope, { toolCallId, messageId, step }: Change['mark']): string {
  if (scope === 'call') return toolCallId
  return scope === 'step' ? `${messageId}:${step}` : messageId
}
