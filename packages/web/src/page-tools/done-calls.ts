import { isRecord, textIn } from '../api/read-fields.ts'
import type { KeyValueStorage } from '../platform/storage.ts'

export interface CallOutcome {
  status: 'success' | 'failed'
  output?: unknown
  errorText?: string
}

/** Page calls that this browser has completed. No call runs twice in any tab, even after a reload. */
export interface DoneCalls {
  /** Returns the result to report again. */
  find(key: string): CallOutcome | undefined
  add(key: string, outcome: CallOutcome): void
}

/** Reported if the real result was too large to store and its page is gone. */
const lost: CallOutcome = {
  status: 'failed',
  errorText:
    'The page completed this call, but its result is lost: it was too long to keep while the page reloaded. Call again if you need it.',
}

const keptKey = 'troupe.calls'
const most = 60
const largest = 20_000

export function createDoneCalls(kept: KeyValueStorage): DoneCalls {
  return {
    find: (key) => read().find((one) => one.key === key)?.outcome,
    add(key, outcome) {
      const isSmall = JSON.stringify(outcome).length <= largest
      const entry = { key, outcome: isSmall ? outcome : lost }
      kept.set(keptKey, JSON.stringify([...read().filter((one) => one.key !== key), entry].slice(-most)))
    },
  }

  /** Read from storage each time, because other tabs write it too. */
  function read(): { key: string; outcome: CallOutcome }[] {
    try {
      const value: unknown = JSON.parse(kept.get(keptKey) ?? '[]')
      return Array.isArray(value) ? value.flatMap(readEntry) : []
    } catch {
      return []
    }
  }
}

function readEntry(value: unknown): { key: string; outcome: CallOutcome }[] {
  if (!isRecord(value) || !isRecord(value['outcome'])) return []
  const { status } = value['outcome']
  const key = textIn(value['key'])
  if (key === undefined || (status !== 'success' && status !== 'failed')) return []
  return [{ key, outcome: value['outcome'] as unknown as CallOutcome }]
}

/** Locks across tabs of the browser. A closed tab releases its locks. */
export interface TabLocks {
  /** Runs the callback under the lock. */
  alone<Result>(name: string, work: () => Promise<Result>): Promise<Result>
  /** Holds the tab's ID while the tab lives. False if another tab holds it, so this one is a duplicate. */
  live(tabId: string): Promise<boolean>
  /** Returns the IDs of live tabs. Undefined if unknown. */
  alive(): Promise<string[] | undefined>
}

const tabPrefix = 'troupe.tab.'
/** A reloaded page asks before its predecessor has released the lock. */
const patience = 1500

export function createTabLocks(locks: LockManager | undefined): TabLocks {
  if (locks === undefined) return alone()
  return {
    alone: (name, work) => locks.request(`troupe.call.${name}`, work) as Promise<Awaited<ReturnType<typeof work>>>,
    live: (tabId) =>
      new Promise((resolve) => {
        locks
          .request(`${tabPrefix}${tabId}`, { signal: AbortSignal.timeout(patience) }, () => {
            resolve(true)
            return new Promise(() => undefined)
          })
          .catch(() => resolve(false))
      }),
    async alive() {
      const { held = [] } = await locks.query()
      return held.flatMap(({ name }) => (name?.startsWith(tabPrefix) === true ? [name.slice(tabPrefix.length)] : []))
    },
  }
}

/** Fallback for browsers without locks, or pages that may not use them. */
function alone(): TabLocks {
  const turns = new Map<string, Promise<unknown>>()
  return {
    async alone(name, work) {
      await turns.get(name)?.catch(() => undefined)
      const turn = work()
      turns.set(name, turn)
      return turn
    },
    live: () => Promise.resolve(true),
    alive: () => Promise.resolve(undefined),
  }
}
