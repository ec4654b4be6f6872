import { openProvider, type BenchServer, type ServerKind } from './end-to-end-process.ts'
import { median, micros, times } from './measure.ts'

const kinds: ServerKind[] = ['troupe', 'sdk', 'forward']

/**
 * Three servers behind the same HTTP load and the same provider. Their rounds alternate, so that a busy machine slows
 * all of them alike.
 */
async function compare<T>(
  warmUp: number,
  rounds: number,
  measure: (server: BenchServer) => Promise<T>,
): Promise<Record<ServerKind, T[]>> {
  const provider = await openProvider()
  const servers: [ServerKind, BenchServer][] = []
  try {
    for (const kind of kinds) servers.push([kind, await provider.open(kind)])
    const values: Record<ServerKind, T[]> = { troupe: [], sdk: [], forward: [] }
    for (let round = 0; round < warmUp + rounds; round++)
      for (const [kind, server] of servers) {
        const value = await measure(server)
        if (round >= warmUp) values[kind].push(value)
      }
    return values
  } finally {
    for (const [, server] of servers) server.close()
    provider.close()
  }
}

/** The mean, since work that a turn leaves to later turns counts, too. */
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
const millis = (value: number): string => `${(value / 1000).toFixed(2)} ms`

async function shortTurns(chats: number, warmUp: number, rounds: number) {
  const values = await compare(warmUp, rounds, (server) => server.shortTurns(chats))
  const cost = (kind: ServerKind, part: 'beforeFirstWord' | 'whole'): number =>
    mean(values[kind].map((value) => value[part]))
  const ratio = cost('troupe', 'beforeFirstWord') / cost('sdk', 'beforeFirstWord')
  const list = (part: 'beforeFirstWord' | 'whole'): string => kinds.map((kind) => millis(cost(kind, part))).join(' / ')
  return {
    value: times(ratio),
    ok: ratio <= 1.2,
    detail: `Troupe / streamText / pass-through: ${list('beforeFirstWord')}; whole turn ${list('whole')}`,
  }
}

export const benches = [
  {
    name: 'end to end: CPU of a turn before the first word, one chat after another',
    bar: 'at most 1.2x a streamText server',
    run: () => shortTurns(1, 150, 100),
  },
  {
    name: 'end to end: CPU of a turn before the first word, 8 chats at once',
    bar: 'at most 1.2x a streamText server',
    run: () => shortTurns(8, 30, 30),
  },
  {
    name: 'end to end: CPU per delta, 500 words, 16 chats at once',
    bar: 'at most 3x a hand-written pass-through',
    async run() {
      const values = await compare(3, 5, (server) => server.longTurns(16))
      const cost = (kind: ServerKind): number => median(values[kind])
      const ratio = cost('troupe') / cost('forward')
      return {
        value: times(ratio),
        ok: ratio <= 3,
        detail: `Troupe / streamText / pass-through: ${kinds.map((kind) => micros(cost(kind))).join(' / ')}`,
      }
    },
  },
]
