import { isRecord, textIn } from '../api/read-fields.ts'
import type { KeyValueStorage } from '../platform/storage.ts'

/** What became of a call, as the server is told. */
export interface CallOutcome {
  status: 'success' | 'failed'
  output?: unknown
  errorText?: string
}

/** The calls that this browser has carried out: none is carried out twice, in whatever tab, before or after a reload. */
export interface DoneCalls {
  /** What is to be told of it, if it has to be told again. */
  find(key: string): CallOutcome | undefined
  add(key: string, outcome: CallOutcome): void
}

/** Told instead of what came of a call, where a page that is gone by now was the last to know it. */
const lost: CallOutcome = {
  status: 'failed',
  errorText:
    'It was done in the page, but what came of it is lost: it was too long to be kept while the page was loaded anew. Call again if you need it.',
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

  /** Read anew each time: other tabs write it, too. */
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

/** What only one tab of the browser may do at a time. A tab that dies lets go. */
export interface TabLocks {
  /** Waits for its turn, then holds it until the work is done. */
  alone<Result>(name: string, work: () => Promise<Result>): Promise<Result>
  /** Holds the name of this tab for as long as it lives. False where another tab has it: this one is a copy. */
  live(tabId: string): Promise<boolean>
  /** The tabs of this browser that live; undefined where it cannot tell. */
  alive(): Promise<string[] | undefined>
}

const tabPrefix = 'troupe.tab.'
/** A page that is loaded anew asks before the one before it has let go. */
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

/** A browser without locks, or a page that may not use them. */
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
