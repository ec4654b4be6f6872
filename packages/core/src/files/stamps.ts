import type { BigIntStats } from 'node:fs'
import type { AgentState, FileStamp } from '../agent-state.ts'
import type { Snapshot } from './snapshot.ts'

type Reads = Pick<AgentState, 'reads'>

export interface SeenLines {
  first: number
  /** Infinity when the end of the file was reached. */
  last: number
}

/** Remembers what an agent was shown of a file. Parts add up, as long as the file stays the same. */
export function stampRead(
  { reads }: Reads,
  path: string,
  file: { stats: BigIntStats; sha256: string },
  seen: SeenLines | 'all' | 'some',
): void {
  const now = { sha256: file.sha256, mtimeMs: Number(file.stats.mtimeMs), size: Number(file.stats.size) }
  if (seen === 'all') {
    reads.set(path, { ...now, partial: false })
    return
  }
  const earlier = reads.get(path)
  const isSame = earlier !== undefined && !differs(earlier, now)
  if (isSame && !earlier.partial) return
  const shown = isSame ? (earlier.shown ?? []) : []
  const all = seen === 'some' ? shown : joined([...shown, [seen.first, seen.last]])
  const partial = !(all[0]?.[0] === 1 && all[0][1] === Infinity)
  reads.set(path, { ...now, partial, ...(partial && { shown: all }) })
}

/** After a change: the agent knows what it wrote, and of the rest what it knew before. */
export function stampWritten({ reads }: Reads, path: string, sha256: string, stats: BigIntStats, isWhole: boolean): void {
  const partial = !isWhole && (reads.get(path)?.partial ?? true)
  reads.set(path, { sha256, mtimeMs: Number(stats.mtimeMs), size: Number(stats.size), partial })
}

/** Refuses to change a file that the agent has not seen as it is now. `whole`: as one that overwrites it must. */
export function requireRead({ reads }: Reads, path: string, shown: string, now: Snapshot, { whole }: { whole: boolean }): void {
  const stamp = reads.get(path)
  if (stamp === undefined) throw new Error(`"${shown}" exists and you have not read it yet. Read it first.`)
  const { stats, sha256 } = now
  if (differs(stamp, { sha256, mtimeMs: Number(stats.mtimeMs), size: Number(stats.size) })) {
    throw new Error(`"${shown}" has changed since you read it. Read it again, then decide what to change.`)
  }
  if (whole && stamp.partial) {
    const rest = firstGap(stamp)
    throw new Error(
      `You have read only a part of "${shown}", and this would replace all of it. Read the rest first (offset ${rest}), or use Edit.`,
    )
  }
}

function differs(stamp: FileStamp, now: { sha256: string; mtimeMs: number; size: number }): boolean {
  if (stamp.sha256 !== '' && now.sha256 !== '') return stamp.sha256 !== now.sha256
  return stamp.mtimeMs !== now.mtimeMs || stamp.size !== now.size
}

function firstGap({ shown = [] }: FileStamp): number {
  const [first] = shown
  return first === undefined || first[0] > 1 ? 1 : first[1] + 1
}

/** Stretches in order, those that touch made one. */
function joined(stretches: [number, number][]): [number, number][] {
  const result: [number, number][] = []
  for (const [first, last] of stretches.toSorted((a, b) => a[0] - b[0])) {
    const before = result.at(-1)
    if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last)
    else result.push([first, last])
  }
  return result
}
