import type { ListedSession } from '../api/api.ts'
import { isRecord } from '../api/read-fields.ts'
import type { KeyValueStorage } from '../platform/storage.ts'

/** Which answers this browser has shown. */
export interface SeenChats {
  /** Everything up to this time counts as seen: the first visit, or the oldest time that is no longer kept. */
  since: number
  /** Time of the latest message that was shown, by chat. */
  times: Record<string, number>
}

const seenKey = 'troupe.seen'
const mostTimes = 500

type SeenSession = Pick<ListedSession, 'id' | 'updatedAt'>

/** True if the chat got a message that this browser has not shown. */
export function isUnread({ since, times }: SeenChats, { id, updatedAt }: SeenSession): boolean {
  return updatedAt > (times[id] ?? since)
}

/** Returns the same object if nothing changes. */
export function withSeen(seen: SeenChats, { id, updatedAt }: SeenSession): SeenChats {
  if (!isUnread(seen, { id, updatedAt })) return seen
  const entries = Object.entries({ ...seen.times, [id]: updatedAt }).toSorted(([, a], [, b]) => b - a)
  const left = entries.slice(mostTimes).map(([, time]) => time)
  return { since: Math.max(seen.since, ...left), times: Object.fromEntries(entries.slice(0, mostTimes)) }
}

export function readSeen(kept: KeyValueStorage, now: number): SeenChats {
  const stored = parse(kept.get(seenKey))
  if (stored !== undefined) return stored
  const seen = { since: now, times: {} }
  writeSeen(kept, seen)
  return seen
}

export function writeSeen(kept: KeyValueStorage, seen: SeenChats): void {
  kept.set(seenKey, JSON.stringify(seen))
}

function parse(text: string | null): SeenChats | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '')
    if (!isRecord(value) || typeof value['since'] !== 'number' || !isRecord(value['times'])) return undefined
    const times = Object.entries(value['times']).filter((entry): entry is [string, number] => Number.isFinite(entry[1]))
    return { since: value['since'], times: Object.fromEntries(times) }
  } catch {
    // Written by another version, or by hand.
    return undefined
  }
}
