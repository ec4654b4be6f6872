import type { Buffer } from 'node:buffer'
import { existsSync, lstatSync, rmSync } from 'node:fs'
import { chmod, readdir } from 'node:fs/promises'
import path from 'node:path'
import { newId } from '@troupe/protocol'
import type { ToolContext } from '../tool/tool.ts'
import type { Change, ChangeMark, FileFacts, OpenChange, UndoJournal, UndoOutcome } from '../tool/undo-journal.ts'
import { removeEmptyFolders } from './atomic-write.ts'
import { changeFiles, type FileChange, withPathLocks } from './file-transaction.ts'
import { isInside, realPath } from './resolve-path.ts'
import { sha256Of, type Snapshot, takeSnapshot } from './snapshot.ts'
import {
  applyReverse,
  isObjectPinned,
  openUndoIndex,
  packReverse,
  pinObject,
  readObject,
  saveObject,
  type StoredChange,
  unpinObject,
} from './undo-store.ts'

interface UndoFolderOptions {
  /** Mode bits that a restored file may have. Not setuid or setgid in team mode, because the owner differs. */
  modes?: number
  /** Maximum bytes of stored content. The oldest changes are dropped first. */
  quota?: number
}

/**
 * File-based journal: `objects/<hash>` holds contents, `index.jsonl` the changes. Creates nothing before the first
 * change. One process may open a folder several times; across processes, only the owner of the home may.
 */
export function openUndoFolder(
  folder: string,
  { quota = 2 ** 30, modes = 0o7777 }: UndoFolderOptions = {},
): UndoJournal {
  const objects = path.join(folder, 'objects')
  const index = openUndoIndex(folder)
  /** Upper bound of stored bytes. Recounted exactly only when it exceeds the quota. */
  let atMost = Infinity

  const objectPath = (sha256: string): string => path.join(objects, sha256.slice(0, 2), sha256.slice(2))

  async function before(
    mark: ChangeMark,
    file: string,
    bytes: Uint8Array | null,
    facts: FileFacts = {},
    undoes?: string,
  ): Promise<OpenChange> {
    const id = newId()
    const sha256 = bytes === null ? null : (facts.sha256 ?? sha256Of(bytes))
    const reverse = facts.replaced === undefined ? undefined : packReverse(facts.replaced)
    const reverseHash = reverse === undefined ? undefined : sha256Of(reverse)
    const kept = reverse ?? bytes
    const size = kept === null || kept.length > quota ? 0 : kept.length
    const object = objectPath(reverseHash ?? sha256 ?? '')
    pinObject(object)
    try {
      if (kept !== null && kept.length <= quota) await saveObject(object, kept)
      await index.append(
        {
          type: 'before',
          id,
          mark,
          path: file,
          before: sha256,
          size,
          createdAt: Date.now(),
          reverse: reverseHash,
          mode: facts.mode,
          folder: facts.folder,
          undoes,
        },
        { sync: true },
      )
    } finally {
      unpinObject(object)
    }
    atMost += size
    // Do not evict the content an undo is about to restore.
    if (undoes === undefined) await keepQuota(id)
    return {
      // No sync: the line survives a process crash, and the next change makes it durable.
      done: (after) =>
        index.append(
          { type: 'after', id, after: after === null || typeof after === 'string' ? after : sha256Of(after) },
          { sync: false },
        ),
      cancel: () => index.append({ type: 'cancel', id }, { sync: false }),
    }
  }

  async function keepQuota(newest?: string): Promise<void> {
    if (atMost <= quota && index.changes.size <= maxChanges) return
    const uses = new Map<string, { count: number; size: number }>()
    let total = 0
    for (const change of index.changes.values()) {
      const object = objectHash(change)
      if (object === null) continue
      const use = uses.get(object)
      if (use === undefined) total += change.size
      uses.set(object, { count: (use?.count ?? 0) + 1, size: change.size })
    }
    atMost = total
    if (total <= quota && index.changes.size <= maxChanges) return
    const goal = { bytes: quota * 0.9, changes: maxChanges * 0.9 }
    const gone = new Set<string>()
    for (const change of index.changes.values()) {
      if (change.id === newest || (total <= goal.bytes && index.changes.size - gone.size <= goal.changes)) break
      gone.add(change.id)
      const use = uses.get(objectHash(change) ?? '')
      if (use !== undefined && --use.count === 0) total -= use.size
    }
    atMost = total
    const oldest = index.changes.values().find(({ id }) => !gone.has(id))?.createdAt ?? 0
    await index.rewrite((entry) => ('id' in entry ? gone.has(entry.id) : entry.createdAt < oldest), sweep)
  }

  async function sweep(): Promise<void> {
    const named = new Set([...index.changes.values()].map(objectHash))
    for (const head of existsSync(objects) ? await readdir(objects) : []) {
      for (const rest of await readdir(path.join(objects, head))) {
        const object = path.join(objects, head, rest)
        // Check and delete synchronously, so nothing can start to use the object in between.
        if (!named.has(head + rest) && !isObjectPinned(object.replace(/\.tmp$/, ''))) rmSync(object, { force: true })
      }
    }
  }

  async function undoOne(change: StoredChange, mark: ChangeMark | undefined): Promise<string | undefined> {
    const { path: file, before: wanted, after } = change
    if (realPath(file).path !== file) return 'its path now goes through a link'
    if (lstatSync(file, { throwIfNoEntry: false })?.isFile() === false) return 'it is no longer a file'
    const now = await takeSnapshot(file)
    const sha256 = now?.sha256 ?? null
    if (after === undefined) return sha256 === wanted ? undefined : 'the process ended while it was being changed'
    if (sha256 !== after) return changedReason(sha256, after)
    const bytes = wanted === null ? null : await contentOf(change, wanted, now?.bytes)
    if (bytes === undefined) return 'its earlier content is no longer kept'
    const own = mark ?? { ...change.mark, toolCallId: `undo-${change.mark.toolCallId}` }
    await changeFiles(
      [{ path: file, shown: file, before: now, after: bytes === null ? null : [bytes] }],
      ({ folder }) => before(own, file, now?.bytes ?? null, { ...fileFacts(now), folder }, change.id),
    )
    if (bytes === null) removeMade(file)
    if (now === undefined && change.mode !== undefined) await chmod(file, change.mode & modes)
    return undefined
  }

  /** Also removes folders created for deleted files, if empty. */
  function removeMade(file: string): void {
    const made = [...index.changes.values()].flatMap(({ folder: top }) =>
      top !== undefined && isInside(file, top) ? [top] : [],
    )
    const top = made.toSorted((a, b) => a.length - b.length)[0]
    if (top !== undefined) removeEmptyFolders(path.dirname(file), top)
  }

  /** Returns the previous content, or undefined if it is missing or damaged. */
  async function contentOf(change: StoredChange, wanted: string, now?: Buffer): Promise<Buffer | undefined> {
    if (change.reverse === undefined) return readObject(objectPath(wanted), wanted)
    const packed = await readObject(objectPath(change.reverse), change.reverse)
    if (packed === undefined || now === undefined) return undefined
    const bytes = applyReverse(now, packed)
    return sha256Of(bytes) === wanted ? bytes : undefined
  }

  return {
    before: (mark, file, bytes, facts) => before(mark, file, bytes, facts),
    command: (mark, command) =>
      index.append({ type: 'command', mark, command: command.slice(0, 500), createdAt: Date.now() }, { sync: false }),
    async list(filter) {
      await index.refresh()
      const undone = undoneIds(index.changes)
      return [...index.changes.values()]
        .filter(({ mark }) => matchesFilter(mark, filter))
        .map(({ size: _, mode: __, reverse: ___, folder: ____, ...change }): Change => ({
          ...change,
          undone: undone.has(change.id),
        }))
        .toReversed()
    },
    async commands(filter) {
      await index.refresh()
      return index.commands.filter(({ mark }) => matchesFilter(mark, filter)).toReversed()
    },
    async original(file, filter) {
      await index.refresh()
      const changes = [...index.changes.values()].filter((one) => one.path === file && matchesFilter(one.mark, filter))
      if (changes.length === 0) return undefined
      let bytes = (await takeSnapshot(file))?.bytes ?? null
      let found: { bytes: Buffer | null } | undefined
      for (const change of changes.toReversed()) {
        const was = change.before === null ? null : await contentOf(change, change.before, bytes ?? undefined)
        if (was === undefined) break
        bytes = was
        found = { bytes }
      }
      return found
    },
    async version(file, sha256) {
      await index.refresh()
      return versionOf(file, sha256, 0)
    },
    async undo(changes, mark) {
      await index.refresh()
      const outcome: UndoOutcome = { restored: [], skipped: [] }
      const left = new Set<string>()
      for (const { id, path: file } of changes) {
        const stored = index.changes.get(id)
        // A newer change of this file was skipped, so older ones cannot be undone.
        if (left.has(file)) continue
        const reason = stored === undefined ? 'this change is no longer kept' : await attempt(stored, mark)
        if (reason === undefined) {
          if (!outcome.restored.includes(file)) outcome.restored.push(file)
          continue
        }
        left.add(file)
        outcome.skipped.push({ path: file, reason })
      }
      await keepQuota()
      return outcome
    },
    async forget(sessionId) {
      await index.refresh()
      const isGone = ({ mark }: { mark: ChangeMark }): boolean => mark.sessionId === sessionId
      if (![...index.changes.values(), ...index.commands].some(isGone)) return
      await index.rewrite(isGone, sweep)
    },
  }

  /** A long file keeps only the parts that changed, so its versions are found from the newest back. */
  async function versionOf(file: string, sha256: string, depth: number): Promise<Buffer | undefined> {
    const kept = await readObject(objectPath(sha256), sha256)
    if (kept !== undefined) return kept
    const now = await takeSnapshot(file).catch(() => undefined)
    if (now?.sha256 === sha256) return now.bytes
    if (depth >= maxReverse) return undefined
    const next = [...index.changes.values()].findLast(
      (one) => one.path === file && one.before === sha256 && one.reverse !== undefined && one.after != null,
    )
    const after = next?.after == null ? undefined : await versionOf(file, next.after, depth + 1)
    return next === undefined || after === undefined ? undefined : contentOf(next, sha256, after)
  }

  async function attempt(change: StoredChange, mark: ChangeMark | undefined): Promise<string | undefined> {
    try {
      return await withPathLocks([change.path], () => undoOne(change, mark))
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }
}

/** Steps back from the file as it is. */
const maxReverse = 200

/** Limits journals of many small changes. */
const maxChanges = 50_000

function objectHash({ before, reverse }: StoredChange): string | null {
  return reverse ?? before
}

/** A change is undone while an undo of it is in effect. An undo can itself be undone. */
function undoneIds(changes: Map<string, StoredChange>): Set<string> {
  const undone = new Set<string>()
  for (const { id, undoes } of [...changes.values()].toReversed()) {
    if (undoes !== undefined && !undone.has(id)) undone.add(undoes)
  }
  return undone
}

function matchesFilter(mark: ChangeMark, filter: Partial<ChangeMark>): boolean {
  return Object.entries(filter).every(([key, value]) => value === undefined || mark[key as keyof ChangeMark] === value)
}

function changedReason(now: string | null, after: string | null): string {
  if (now === null) return 'it has been deleted since'
  return after === null
    ? 'it has been created again since'
    : 'it has been changed since by someone else or by a command'
}

/** Facts about a file that the journal stores besides its content. */
export function fileFacts(snapshot: Snapshot | undefined): FileFacts {
  return snapshot === undefined ? {} : { sha256: snapshot.sha256, mode: Number(snapshot.stats.mode) }
}

export function markOf(ctx: ToolContext): ChangeMark {
  return {
    sessionId: ctx.session.id,
    agentId: ctx.agent.agentId,
    messageId: ctx.messageId,
    runId: ctx.run.id,
    step: ctx.run.step,
    toolCallId: ctx.toolCallId,
  }
}

export function journalFor(ctx: ToolContext): (change: FileChange) => Promise<OpenChange> {
  const mark = markOf(ctx)
  return ({ path, before, replaced, folder }) =>
    ctx.state.undo.before(mark, path, before?.bytes ?? null, {
      ...fileFacts(before),
      replaced,
      folder,
    })
}
