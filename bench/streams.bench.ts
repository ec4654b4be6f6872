import { micros, rounds, times } from './measure.ts'
import { openStreams, type Variant } from './stream-process.ts'

const deltas = 1000

/** Measures CPU of the server process per delta, over real HTTP on loopback, with the reader in another process. */
async function cpu(variant: Variant, streams: number, count: number): Promise<number> {
  // The SDK's cost per delta does not depend on the length, and its rounds take minutes.
  const process = await openStreams(variant, variant === 'sdk' ? deltas / 4 : deltas)
  try {
    await process.cpuPerDelta(Math.min(streams, 20))
    await process.cpuPerDelta(Math.min(streams, 20))
    return await rounds(count, () => process.cpuPerDelta(streams))
  } finally {
    process.close()
  }
}

export const benches = [
  {
    name: 'server CPU per delta, one stream',
    bar: 'at most 3x a hand-written pass-through',
    async run() {
      const minimal = await cpu('minimal', 1, 15)
      const troupe = await cpu('troupe', 1, 15)
      return {
        value: times(troupe / minimal),
        ok: troupe / minimal <= 3,
        detail: `${micros(troupe)} against ${micros(minimal)}`,
      }
    },
  },
  {
    name: 'server CPU per delta, 500 live streams, journal on',
    bar: 'at most 6x the pass-through, at least 8x cheaper than createAgentUIStream',
    async run() {
      const minimal = await cpu('minimal', 500, 3)
      const troupe = await cpu('troupe', 500, 3)
      const sdk = await cpu('sdk', 500, 1)
      const ok = troupe / minimal <= 6 && sdk / troupe >= 8
      return {
        value: `${times(troupe / minimal)}, ${times(sdk / troupe)} cheaper`,
        ok,
        detail: `${micros(troupe)} against ${micros(minimal)} and ${micros(sdk)}`,
      }
    },
  },
  {
    name: 'heap per paused stream after 1,000 deltas, beyond its text',
    bar: 'at most 30 KiB',
    async run() {
      const process = await openStreams('troupe', deltas + 10, deltas)
      try {
        const streams = 500
        const { first, next } = await process.heapPerStream(streams)
        const beyondText = (bytes: number): number => (bytes - deltas * 7) / 1024
        return {
          value: `${beyondText(first).toFixed(1)} KiB`,
          ok: beyondText(first) <= 30,
          detail: `the first ${streams} streams; the next ${streams}: ${beyondText(next).toFixed(1)} KiB; text 7 KB each`,
        }
      } finally {
        process.close()
      }
    },
  },
]
