import { existsSync } from 'node:fs'
import path from 'node:path'
import {
  acceptedLines,
  changeFiles,
  type ChangeMark,
  fileFacts,
  type Hunk,
  hunksOf,
  isInside,
  realPath,
  shownPath,
  takeSnapshot,
  undoable,
  withPathLocks,
} from '@troupe/core'
import { NamedError, newId, type Reverted } from '@troupe/protocol'
import { type ChatFiles, readHistory, walkBack } from './chat-changes.ts'
import { fileDiff } from './file-diff.ts'

/** The journal entry of a change that a person makes, not an agent. */
export function personMark(sessionId: string): ChangeMark {
  const id = newId('revert_')
  return { sessionId, messageId: id, runId: id, step: 0, toolCallId: id }
}

export interface FileToRevert {
  path: string
  version: string
  hunks?: readonly string[] | undefined
}

/** Restores a file, or some of its hunks, to what it was before the chat. */
export async function revertFile(chat: ChatFiles, given: FileToRevert): Promise<Reverted> {
  const { state, sessionId } = chat
  const mark = personMark(sessionId)
  const root = state.roots[0] ?? '/'
  const file = path.resolve(root, given.path)
  const own = (await state.undo.list({ sessionId })).filter((change) => change.path === file)
  if (own.length === 0 || !state.roots.some((one) => isInside(file, one))) throw nothingToRevert()
  const reason = await withPathLocks([file], attempt)
  if (reason === 'undo') return toReverted(await state.undo.undo(undoable(own), mark), mark, root)
  return toReverted({ restored: reason === undefined ? [file] : [], skipped: skip(reason) }, mark, root)

  function skip(why: string | undefined): { path: string; reason: string }[] {
    return why === undefined ? [] : [{ path: file, reason: why }]
  }

  /** Returns the reason to leave the file as it is, or `undo` if the journal can undo all of its changes. */
  async function attempt(): Promise<string | undefined> {
    if (realPath(file).path !== file) return 'its path now goes through a link'
    const now = await takeSnapshot(file, { shown: given.path })
    if ((now?.sha256 ?? '') !== given.version) return 'it has changed since it was shown'
    const original = await state.undo.original(file, { sessionId })
    if (original === undefined) return 'its earlier content is no longer kept'
    const before = original.bytes === null ? null : Buffer.from(original.bytes)
    const oldest = own.at(-1)?.before
    const { target, isWhole } = walkBack(undoable(own), now?.sha256 ?? null)
    if (given.hunks === undefined && isWhole && target === oldest) return 'undo'
    const wanted = given.hunks === undefined ? before : await withoutHunks(before, now?.bytes, given.hunks)
    if (wanted === undefined) return 'it has changed since it was shown'
    await changeFiles(
      [{ path: file, shown: given.path, before: now, after: wanted === null ? null : [wanted] }],
      ({ folder }) => state.undo.before(mark, file, now?.bytes ?? null, { ...fileFacts(now), folder }),
    )
    return undefined
  }

  /** The file without these hunks. Undefined if they are not the ones it has. */
  async function withoutHunks(
    before: Buffer | null,
    now: Buffer | undefined,
    wanted: readonly string[],
  ): Promise<Buffer | null | undefined> {
    const shown = { path: given.path, version: given.version, calls: [], secret: true }
    const diff = await fileDiff({ ...shown, before, after: now ?? null })
    const hunks = diff === undefined || diff.hunks.length === 0 ? [] : hunksOf(diff)
    if (wanted.some((id) => !hunks.some((hunk) => hunk.id === id))) return undefined
    if (hunks.some(({ lines }) => lines === undefined) || before === null || now === undefined) return before
    return toBytes(acceptedLines(toLines(now), toLines(before), hunks.map(swapped), ({ id }) => wanted.includes(id)))
  }
}

/** Accepting a swapped hunk takes it back. */
function swapped(hunk: Hunk): Hunk {
  return hunk.lines === undefined ? hunk : { ...hunk, lines: { before: hunk.lines.after, after: hunk.lines.before } }
}

/** Bytes as characters, so that any encoding stays exact. */
function toLines(bytes: Buffer): string[] {
  return bytes.toString('latin1').split(/(?<=\n)/)
}

function toBytes(lines: readonly string[]): Buffer {
  return Buffer.from(lines.join(''), 'latin1')
}

/** Undoes what a tool call or a turn changed. */
export async function revertCalls(
  chat: ChatFiles,
  { call, turn }: { call?: string; turn?: string },
): Promise<Reverted> {
  const { changes, turnOf } = await readHistory(chat)
  const meant = changes.filter((one) => (turn === undefined ? one.mark.toolCallId === call : turnOf(one) === turn))
  const todo = undoable(meant.toReversed())
  if (todo.length === 0) throw nothingToRevert()
  const mark = personMark(chat.sessionId)
  return toReverted(await chat.state.undo.undo(todo, mark), mark, chat.state.roots[0] ?? '/')
}

export function nothingToRevert(): NamedError {
  return new NamedError('NothingToRevert', 'There is nothing to revert: these changes are undone or no longer kept.', {
    status: 404,
  })
}

export function toReverted(
  { restored, skipped }: { restored: string[]; skipped: { path: string; reason: string }[] },
  mark: ChangeMark,
  root: string,
): Reverted {
  const shown = (file: string): string => shownPath(file, root)
  return {
    restored: restored.filter((file) => existsSync(file)).map(shown),
    removed: restored.filter((file) => !existsSync(file)).map(shown),
    skipped: skipped.map((one) => ({ ...one, path: shown(one.path) })),
    revertId: mark.toolCallId,
  }
}
