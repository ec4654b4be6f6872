import { createHash } from 'node:crypto'
import { existsSync, unlinkSync } from 'node:fs'
import path from 'node:path'
import type { OpenChange, ReplacedPart } from '../tool/undo-journal.ts'
import { type PreparedFile, prepareFile, writeError } from './atomic-write.ts'
import { isUnchanged, type Snapshot } from './snapshot.ts'

/** What one file is to become. */
export interface FileChange {
  /** Real path, whose lock the caller holds since `before` was taken. */
  path: string
  /** How the model knows it. */
  shown: string
  /** What it was when the change was worked out; undefined where there was none. */
  before: Snapshot | undefined
  /** The new bytes, in pieces; null deletes it. */
  after: readonly Uint8Array[] | null
  /** Where it differs from what it was, when that is little. */
  replaced?: readonly ReplacedPart[] | undefined
  /** Whose permissions a new file gets. */
  like?: Snapshot | undefined
  /** For the journal: the topmost folder that has to be made for it. */
  folder?: string
}

/**
 * Changes files, all or none: the new contents are written beside them and the old ones journaled first; then, if
 * every file still is what it was, each is put in place by a rename. What fails in between is put back. Throws an
 * Error for the model. Resolves with the hash of each new content.
 */
export async function changeFiles(
  changes: readonly FileChange[],
  journal: (change: FileChange) => Promise<OpenChange>,
  signal?: AbortSignal,
): Promise<(string | null)[]> {
  for (const change of changes) refuseReadOnly(change)
  const staging = stage(changes, journal)
  // Worked out while the disk is busy.
  const hashes = changes.map(({ after }) => (after === null ? null : sha256OfPieces(after)))
  const staged = await staging
  const done: StagedChange[] = []
  try {
    await refuseChanged(changes)
    signal?.throwIfAborted()
    for (const one of staged) {
      putInPlace(one)
      done.push(one)
    }
    await Promise.all(staged.map(({ open }, index) => open.done(hashes[index] ?? null)))
    return hashes
  } catch (error) {
    const lost = await rollBack(done)
    await Promise.all(staged.map((one) => discardStaged(one)))
    if (lost.length > 0)
      throw new Error(`${messageOf(error)} These could not be put back: ${lost.join('; ')}`, { cause: error })
    throw error
  }
}

interface StagedChange {
  change: FileChange
  open: OpenChange
  prepared: PreparedFile | undefined
}

/** Files that nobody may write are left alone, also by those whom the system would let. */
function refuseReadOnly({ before, shown }: FileChange): void {
  if (before === undefined || (before.stats.mode & 0o222n) !== 0n) return
  throw new Error(
    `"${shown}" is read-only, so it was not changed. Ask the person, or make it writable with a command first.`,
  )
}

/** Writes the new contents and journals the old ones at the same time; either both or neither. */
async function stage(
  changes: readonly FileChange[],
  journal: (change: FileChange) => Promise<OpenChange>,
): Promise<StagedChange[]> {
  const outcomes = await Promise.all(
    changes.map(async (given) => {
      const folder = given.after === null ? undefined : firstMissing(path.dirname(given.path))
      const change = folder === undefined ? given : { ...given, folder }
      // The new content is on its way to the disk while the hash of the old one is worked out.
      const writing =
        change.after === null
          ? undefined
          : prepareFile(change.path, change.after, (change.before ?? change.like)?.stats)
      const [prepared, open] = await Promise.allSettled([writing, journal(change)])
      return { change, open, prepared }
    }),
  )
  const failed = outcomes.find(({ open, prepared }) => open.status === 'rejected' || prepared.status === 'rejected')
  if (failed === undefined) {
    return outcomes.map(({ change, open, prepared }) => ({
      change,
      open: settledValue(open)!,
      prepared: settledValue(prepared),
    }))
  }
  await Promise.all(
    outcomes.map(({ open, prepared }) => discardStaged({ open: settledValue(open), prepared: settledValue(prepared) })),
  )
  const { change, open, prepared } = failed
  throw writeError([open, prepared].find((one) => one.status === 'rejected')?.reason, change.shown)
}

function firstMissing(folder: string): string | undefined {
  let missing: string | undefined
  for (let each = folder; !existsSync(each); each = path.dirname(each)) missing = each
  return missing
}

async function refuseChanged(changes: readonly FileChange[]): Promise<void> {
  for (const { path, shown, before } of changes) {
    if (await isUnchanged(path, before)) continue
    throw new Error(
      before === undefined
        ? `"${shown}" has been made by somebody else just now, so nothing was changed. Read it first.`
        : `"${shown}" was changed by somebody else while this call worked on it, so nothing was changed. Read it again.`,
    )
  }
}

function putInPlace({ change, prepared }: StagedChange): void {
  try {
    if (prepared === undefined) unlinkSync(change.path)
    else prepared.commit({ isNew: change.before === undefined })
  } catch (error) {
    throw writeError(error, change.shown)
  }
}

/** Newest first. Names what could not be put back. */
async function rollBack(done: readonly StagedChange[]): Promise<string[]> {
  const lost: string[] = []
  for (const { change } of done.toReversed()) {
    try {
      if (change.before === undefined) unlinkSync(change.path)
      else {
        const prepared = await prepareFile(change.path, [change.before.bytes], change.before.stats)
        prepared.commit({ isNew: false })
      }
    } catch (error) {
      lost.push(`"${change.shown}" (${messageOf(error)})`)
    }
  }
  return lost
}

async function discardStaged({
  open,
  prepared,
}: {
  open?: OpenChange | undefined
  prepared?: PreparedFile | undefined
}): Promise<void> {
  prepared?.discard()
  // The failure that led here is the one to tell; a journal that cannot be written any more shows a change that was none.
  await open?.cancel().catch(() => undefined)
}

function sha256OfPieces(pieces: readonly Uint8Array[]): string {
  const sha256 = createHash('sha256')
  for (const piece of pieces) sha256.update(piece)
  return sha256.digest('hex')
}

function settledValue<T>(settled: PromiseSettledResult<T>): T | undefined {
  return settled.status === 'fulfilled' ? settled.value : undefined
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The last in line for each path. Files are shared by all sessions of a process, so the lines are too. */
const lockQueues = new Map<string, Promise<void>>()

/** Runs while nobody else of this process changes one of these files. Real paths; taken in order, so nobody waits in a circle. */
export async function withPathLocks<T>(paths: readonly string[], work: () => Promise<T>): Promise<T> {
  const releases: (() => void)[] = []
  try {
    for (const path of [...new Set(paths)].toSorted()) releases.push(await acquireLock(path))
    return await work()
  } finally {
    for (const release of releases) release()
  }
}

async function acquireLock(path: string): Promise<() => void> {
  const before = lockQueues.get(path)
  const { promise, resolve } = Promise.withResolvers<void>()
  lockQueues.set(path, promise)
  await before
  return () => {
    if (lockQueues.get(path) === promise) lockQueues.delete(path)
    resolve()
  }
}
