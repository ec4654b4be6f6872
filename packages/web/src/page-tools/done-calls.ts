import type { KeyValueStorage } from '../api/kept.ts'
import { isRecord, textIn } from '../displays/parts/read-fields.ts'

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
