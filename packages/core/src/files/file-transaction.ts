import { createHash } from 'node:crypto'
import { existsSync, unlinkSync } from 'node:fs'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { OpenChange, ReplacedPart } from '../tool/undo-journal.ts'
import { type FileOwner, type PreparedFile, prepareFile, writeError } from './atomic-write.ts'
import { isUnchanged, type Snapshot } from './snapshot.ts'

export interface FileChange {
  /** Real path. The caller has held its lock since taking `before`. */
  path: string
  /** Path as shown to the model. */
  shown: string
  /** State when the change was computed. Undefined if the file did not exist. */
  before: Snapshot | undefined
  /** New bytes in pieces. Null deletes the file. */
  after: readonly Uint8Array[] | null
  /** Changed parts, if the change is small. */
  replaced?: readonly ReplacedPart[] | undefined
  /** File whose permissions a new file gets. */
  like?: Snapshot | undefined
  /** Topmost folder that must be created for it, for the journal. */
  folder?: string
}

/**
 * Changes all files or none. Writes the new contents to temporary files and journals the old ones. Then, if no file has
 * changed meanwhile, renames each into place and rolls back on failure. Throws an Error for the model. Resolves with
 * the hash of each new content. New files belong to `owner`, if given.
 */
export async function changeFiles(
  changes: readonly FileChange[],
  journal: (change: FileChange) => Promise<OpenChange>,
  { signal, owner }: { signal?: AbortSignal | undefined; owner?: FileOwner | undefined } = {},
): Promise<(string | null)[]> {
  for (const change of changes) refuseReadOnly(change)
  const staging = stage(changes, journal, owner)
  // Hash while the disk is busy.
  const hashes = changes.map(({ after }) => (after === null ? null : sha256OfPieces(after)))
  const staged = await staging
  const done: StagedChange[] = []
  try {
    await refuseChanged(changes)
    signal?.throwIfAborted()
    for (const one of staged) {
      putInPlace(one)
      done.push(one)
      if (done.length % groupSize === 0) await setImmediate()
    }
    await inGroups(staged, ({ open }, index) => open.done(hashes[index] ?? null))
    return hashes
  } catch (error) {
    const lost = await rollBack(done)
    await Promise.all(staged.map((one) => discardStaged(one)))
    if (lost.length > 0)
      throw new Error(`${messageOf(error)} These could not be restored: ${lost.join('; ')}`, { cause: error })
    throw error
  }
}

interface StagedChange {
  change: FileChange
  open: OpenChange
  prepared: PreparedFile | undefined
}

/** Refuses to change read-only files, even if the OS would allow it (as for root). */
function refuseReadOnly({ before, shown }: FileChange): void {
  if (before === undefined || (before.stats.mode & 0o222n) !== 0n) return
  throw new Error(
    `"${shown}" is read-only, so it was not changed. Ask the user, or make it writable with a command first.`,
  )
}

/** Writes the new contents and journals the old ones concurrently. Does both or neither. */
async function stage(
  changes: readonly FileChange[],
  journal: (change: FileChange) => Promise<OpenChange>,
  owner: FileOwner | undefined,
): Promise<StagedChange[]> {
  const outcomes = await inGroups(changes, async (given) => {
    const folder = given.after === null ? undefined : firstMissing(path.dirname(given.path))
    const change = folder === undefined ? given : { ...given, folder }
    // Start writing the new content while the old one is hashed.
    const writing =
      change.after === null
        ? undefined
        : prepareFile(change.path, change.after, (change.before ?? change.like)?.stats, owner)
    const [prepared, open] = await Promise.allSettled([writing, journal(change)])
    return { change, open, prepared }
  })
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

const groupSize = 32

/** A patch may change thousands of files: a few at a time keep few of them open and the event loop free. */
async function inGroups<T, R>(items: readonly T[], work: (item: T, index: number) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let at = 0; at < items.length; at += groupSize) {
    results.push(...(await Promise.all(items.slice(at, at + groupSize).map((item, index) => work(item, at + index)))))
    if (results.length < items.length) await setImmediate()
  }
  return results
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
        ? `"${shown}" was just created by someone else, so nothing was changed. Read it first.`
        : `"${shown}" was changed by someone else during this call, so nothing was changed. Read it again.`,
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

/** Rolls back in reverse order. Returns the files that could not be restored. */
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
  // Keep the original error. If the journal cannot be written, it lists a change that never happened.
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

/** Tail of the lock queue per path. Shared by all sessions in the process, like the files. */
const lockQueues = new Map<string, Promise<void>>()

/**
 * Runs the callback while holding the locks of these real paths in this process. Acquires them in sorted order to avoid
 * deadlock.
 */
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
