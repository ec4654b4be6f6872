import { setTimeout as delay } from 'node:timers/promises'
import { type Figures, openSoak, type SoakProcess } from './soak-process.ts'

const chats = 30

export const benches = [
  {
    name: '200 chats with one command each, all at once, 256 files may be open',
    bar: 'no failure; when idle under 60 files and at most 2 processes',
    async run() {
      const soak = await openSoak({ files: 256, idleMs: 5000 })
      try {
        const turns = Array.from({ length: 200 }, (_, number) => soak.turn(`chat-${number}`, 'soak/one-command'))
        const failed = (await Promise.allSettled(turns)).filter(({ status }) => status === 'rejected')
        await delay(8000)
        const { files, processes } = await soak.figures()
        return {
          value: `${failed.length} failed, ${files} files, ${processes} processes`,
          ok: failed.length === 0 && files < 60 && processes <= 2,
          detail: failed.length === 0 ? '' : String((failed[0] as PromiseRejectedResult).reason),
        }
      } finally {
        await soak.close()
      }
    },
  },
  {
    name: `soak: ${chats} chats with tools, half of the readers reconnect, some chats are deleted`,
    bar: 'in the second half no growth of files and processes, under 5 % of heap and memory; no failure',
    async run({ minutes = 1 }: { minutes?: number }) {
      // Idle pipes and shells are released before each measurement.
      const soak = await openSoak({ idleMs: 3000 })
      try {
        return judge(await measure(soak, minutes))
      } finally {
        await soak.close()
      }
    },
  },
]

interface Course {
  rows: (Figures & { minute: number; turns: number })[]
  failures: string[]
}

/** Each chat sends 20 messages in sequence and is then replaced by a new one. All pause during measurements. */
async function measure(soak: SoakProcess, minutes: number): Promise<Course> {
  const rows: Course['rows'] = []
  const failures: string[] = []
  const lengths = Array.from({ length: chats }, () => 0)
  let turns = 0
  const looks = 10
  const begun = performance.now()
  for (let look = 1; look <= looks; look++) {
    const until = begun + (minutes * 60_000 * look) / looks
    await Promise.all(lengths.map((_, number) => talk(number, until)))
    // Idle connections close after five seconds, idle pipes and shells after three.
    await delay(7000)
    const row = { ...(await soak.figures()), minute: (performance.now() - begun) / 60_000, turns }
    rows.push(row)
    console.error(line(row))
  }
  return { rows, failures }

  async function talk(number: number, until: number): Promise<void> {
    while (performance.now() < until) {
      const length = lengths[number] as number
      const sessionId = `soak-${number}-${Math.floor(length / 20)}`
      try {
        await (number % 2 === 0 ? soak.turn : soak.restlessTurn)(sessionId, 'soak/tools')
        if (length % 20 === 19) await soak.remove(sessionId)
      } catch (error) {
        const { message, cause } = error as Error & { cause?: { code?: string; message?: string } }
        failures.push(cause === undefined ? message : `${message}: ${cause.code ?? ''} ${cause.message ?? ''}`)
      }
      lengths[number] = length + 1
      turns++
    }
  }
}

function judge({ rows, failures }: Course) {
  const half = rows.slice(rows.length / 2)
  const growth = {
    files: rise(half.map(({ files }) => files)),
    processes: rise(half.map(({ processes }) => processes)),
    heap: rise(half.map(({ heap }) => heap)) / (half[0]?.heap ?? 1),
    rss: rise(half.map(({ rss }) => rss)) / (half[0]?.rss ?? 1),
  }
  const { files, processes, heap, rss } = growth
  return {
    value: `files +${files}, processes +${processes}, heap ${percent(heap)}, memory ${percent(rss)}; ${failures.length} failures`,
    ok: files <= 0 && processes <= 0 && heap < 0.05 && rss < 0.05 && failures.length === 0,
    detail: failures[0] ?? `${rows.at(-1)?.turns} turns`,
  }
}

/** Compares the median of the first third with that of the last: a single sample may hit a transient. */
function rise(values: readonly number[]): number {
  const third = Math.max(1, Math.floor(values.length / 3))
  const middle = (part: readonly number[]): number =>
    part.toSorted((a, b) => a - b)[Math.floor(part.length / 2)] as number
  return middle(values.slice(-third)) - middle(values.slice(0, third))
}

function line({ minute, turns, files, processes, heap, rss, journal }: Course['rows'][number]): string {
  const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`
  return `minute ${minute.toFixed(1)}: ${turns} turns, ${files} files, ${processes} processes, heap ${mb(heap)}, memory ${mb(rss)}, journal ${mb(journal)}`
}

const percent = (share: number): string => `${share < 0 ? '' : '+'}${(share * 100).toFixed(1)} %`
