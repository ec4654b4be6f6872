import type { BigIntStats } from 'node:fs'
import type { AgentState, FileStamp } from '../tool/agent-state.ts'
import type { Snapshot } from './snapshot.ts'

type Reads = Pick<AgentState, 'reads'>

export interface SeenLines {
  first: number
  /** Infinity if the end of the file was reached. */
  last: number
}

/** Records the part of a file shown to the agent. Parts accumulate until the file changes. */
export function recordRead(
  { reads }: Reads,
  path: string,
  file: { stats: BigIntStats; sha256: string },
  seen: SeenLines | 'all' | 'some',
): void {
  const { sha256, stats } = file
  const now = { sha256, mtimeMs: Number(stats.mtimeMs), size: Number(stats.size), identity: identityOf(stats) }
  if (seen === 'all') {
    reads.set(path, { ...now, partial: false })
    return
  }
  const earlier = reads.get(path)
  const isSame = earlier !== undefined && !differs(earlier, now)
  if (isSame && !earlier.partial) return
  const shown = isSame ? (earlier.shown ?? []) : []
  const all = seen === 'some' ? shown : mergeRanges([...shown, [seen.first, seen.last]])
  const partial = !(all[0]?.[0] === 1 && all[0][1] === Infinity)
  reads.set(path, { ...now, partial, ...(partial && { shown: all }) })
}

export type FileKnowledge = 'all' | 'as-before' | 'part'

export function recordWrite(
  { reads }: Reads,
  path: string,
  sha256: string,
  stats: BigIntStats,
  known: FileKnowledge,
): void {
  const partial = known === 'part' || (known === 'as-before' && (reads.get(path)?.partial ?? true))
  const now = { sha256, mtimeMs: Number(stats.mtimeMs), size: Number(stats.size), identity: identityOf(stats) }
  reads.set(path, { ...now, partial })
}

/**
 * Returns the known hash of a file with these stats. A change within one file system clock tick can go unnoticed, so it
 * proves nothing. Use it to skip hashing where a wrong hash does no harm.
 */
export function knownHash({ reads }: Reads, path: string, stats: BigIntStats): string | undefined {
  const stamp = reads.get(path)
  return stamp !== undefined && stamp.sha256 !== '' && stamp.identity === identityOf(stats) ? stamp.sha256 : undefined
}

function identityOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`
}

export function requireRead({ reads }: Reads, path: string, shown: string): void {
  if (!reads.has(path)) throw new Error(`"${shown}" exists and you have not read it yet. Read it first.`)
}

/** True if the agent has read the file's current version. */
export function isCurrent({ reads }: Reads, path: string, now: Snapshot): boolean {
  const stamp = reads.get(path)
  if (stamp === undefined) return false
  const [mtimeMs, size] = [Number(now.stats.mtimeMs), Number(now.stats.size)]
  return !differs(stamp, { sha256: stamp.sha256 === '' ? '' : now.sha256, mtimeMs, size })
}

/** Throws unless the agent has read all of the file's current version. */
export function requireFullyRead(state: Reads, path: string, shown: string, now: Snapshot): void {
  requireRead(state, path, shown)
  if (!isCurrent(state, path, now)) {
    throw new Error(`"${shown}" has changed since you read it. Read it again before you change it.`)
  }
  const stamp = state.reads.get(path)
  if (stamp?.partial !== true) return
  throw new Error(
    `You have read only part of "${shown}", and this would replace all of it. Read the rest first (offset ${firstGap(stamp)}), or use Edit.`,
  )
}

function differs(stamp: FileStamp, now: { sha256: string; mtimeMs: number; size: number }): boolean {
  if (stamp.sha256 !== '' && now.sha256 !== '') return stamp.sha256 !== now.sha256
  return stamp.mtimeMs !== now.mtimeMs || stamp.size !== now.size
}

function firstGap({ shown = [] }: FileStamp): number {
  const [first] = shown
  return first === undefined || first[0] > 1 ? 1 : first[1] + 1
}

function mergeRanges(stretches: [number, number][]): [number, number][] {
  const result: [number, number][] = []
  for (const [first, last] of stretches.toSorted((a, b) => a[0] - b[0])) {
    const before = result.at(-1)
    if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last)
    else result.push([first, last])
  }
  return result
}
