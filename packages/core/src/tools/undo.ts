import { existsSync } from 'node:fs'
import { z } from 'zod'
import { markOf } from '../files/change-mark.ts'
import { isInside, shownPath } from '../files/resolve-path.ts'
import type { Change } from '../files/undo-journal.ts'
import { scopeKey, findUndoRange, undoable, type UndoRange, type UndoScope } from '../files/undo-range.ts'
import type { Display } from '../protocol/display.ts'
import { printablePath } from '../files/show-name.ts'
import { defineTool, type ToolContext, withModelText } from '../tool.ts'

export default defineTool({
  description: `Puts files back to what they were before your tools changed them: one call, a step, a whole turn, or everything from a message on. Without "id" the newest of it. Files that somebody else changed since are left and named. What commands changed cannot be undone. An undo can be undone by its own call id.`,
  input: z.object({
    scope: z.enum(['call', 'step', 'turn', 'message']),
    id: z
      .string()
      .describe('A call id; "<message id>:<step>" or a step of this answer; the message id of a turn or to go back to')
      .optional(),
  }),
  readOnly: false,
  deferred: true,
  group: 'file-write',
  // Which files is known only once the journal is read; all of them lie in the workspace.
  touches: () => [{ kind: 'write', path: '.' }],
  title: ({ scope }) => `Undo the ${scope === 'message' ? 'changes since a message' : scope}`,
  permission: ({ scope, id }) => ({
    title: 'Put files back',
    summary: `Undo ${id === undefined ? `the last ${scope}` : `${scope} ${id}`}`,
  }),
  validate: ({ scope, id }) =>
    scope === 'message' && id === undefined ? 'Say which message to go back to: give its id.' : undefined,
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
        ...outside.map(({ path }) => ({ path, reason: 'it is outside the workspace now' })),
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
      `${restored.length} put back`,
      ...(removed.length > 0 ? [`${removed.length} removed`] : []),
      ...(skipped.length > 0 ? [`${skipped.length} left as ${skipped.length === 1 ? 'it is' : 'they are'}`] : []),
    ].join(', '),
    content: {
      kind: 'list',
      path: 'Put back or removed',
      entries: [...restored, ...removed].map((name) => ({ name, kind: 'file', depth: 0 })),
      left: 0,
    } satisfies Display,
  }),
})

interface UndoOutput {
  scope: UndoScope
  id: string
  /** Files that are what they were before. */
  restored: string[]
  /** Files that did not exist before, and are gone again. */
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
    return 'There is nothing to undo: no tool has changed a file in this session, or it is all undone.'
  return `No change of ${scope} ${id ?? ''} is known. Newest first, these can be undone: ${known.join(', ')}. Older changes are no longer kept.`
}

function undoText({ restored, removed, skipped, commands }: UndoOutput): string {
  const lines: string[] = []
  if (restored.length > 0)
    lines.push(
      'Put back (read them again before you change them):',
      ...restored.map((path) => `  ${printablePath(path)}`),
    )
  if (removed.length > 0)
    lines.push('Removed, since they did not exist before:', ...removed.map((path) => `  ${printablePath(path)}`))
  if (restored.length + removed.length === 0) lines.push('Nothing was put back.')
  if (skipped.length > 0)
    lines.push('Left as they are:', ...skipped.map(({ path, reason }) => `  ${printablePath(path)}: ${reason}`))
  if (commands.length === 0) lines.push('Only changes made by the file tools are undone, not those made by commands.')
  else {
    lines.push('What these commands changed cannot be undone:')
    lines.push(
      ...commands.slice(0, 20).map((command) => `  ${printablePath(command.split('\n')[0]?.slice(0, 200) ?? '')}`),
    )
    if (commands.length > 20) lines.push(`  and ${commands.length - 20} more`)
  }
  return lines.join('\n')
}
