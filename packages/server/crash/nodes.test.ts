import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { openPostgresStore } from '../src/stores/postgres/open-postgres.ts'
import { full } from '../../protocol/testing/test-effort.ts'
import { createTestDatabase, hasPostgres } from '../src/testing/postgres.ts'
import { checkPlayed, type Report } from './check-survivors.ts'
import { type CrashNodes, openNodes } from './open-nodes.ts'
import { type Played, playRounds } from './play-rounds.ts'

const kills = full ? 30 : 2

/** Shows a program another time. From Debian's package `faketime`. */
const faketime = ['x86_64', 'aarch64']
  .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketimeMT.so.1`)
  .find((file) => existsSync(file))

/** Longer than a lease, so that another node takes over meanwhile. */
const pauseMs = 60_000

describe.skipIf(!hasPostgres)('three nodes', () => {
  it(
    `survive ${kills} kills of a random node: nothing is lost, no write runs twice`,
    async () => {
      const report = await play((nodes, seed) => playRounds(nodes.asHome('kill'), { kills, sessions: 6, seed }))
      expect(report.problems).toEqual([])
    },
    120_000 + kills * 15_000,
  )

  it.runIf(full)(
    'survive a node that stands still until another took over, and then goes on',
    async () => {
      const options = { kills: 1, sessions: 6 }
      const report = await play((nodes, seed) => playRounds(nodes.asHome('pause', pauseMs), { ...options, seed }))
      expect(report.problems).toEqual([])
    },
    120_000 + pauseMs,
  )

  it.runIf(full && faketime !== undefined)(
    'survive kills while their clocks are minutes apart',
    async () => {
      const minutes = [-7, 0, 12]
      const env = (index: number) => ({
        LD_PRELOAD: faketime as string,
        FAKETIME: `${minutes[index % minutes.length]}m`.replace(/^(?=\d)/, '+'),
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
      })
      const options = { kills: 3, sessions: 4 }
      const report = await play((nodes, seed) => playRounds(nodes.asHome('kill'), { ...options, seed }), undefined, env)
      expect(report.problems).toEqual([])
    },
    180_000,
  )

  it.runIf(full)(
    'are replaced one by one while chats go on, and no run is interrupted',
    async () => {
      // A node that gets no CPU for seconds would lose a shorter lease, which interrupts runs.
      const report = await play(
        (nodes, seed) => playRounds(nodes.asHome('replace'), { kills: 3, sessions: 6, seed, calm: true }),
        { leaseMs: 30_000, beatMs: 1000 },
      )
      expect(report).toMatchObject({ interrupted: 0, unknownOutcomes: 0, resets: 0 })
    },
    180_000,
  )
})

async function play(
  work: (nodes: CrashNodes, seed: number) => Promise<Played>,
  cluster?: { leaseMs: number; beatMs: number },
  env?: (index: number) => Record<string, string>,
): Promise<Report> {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-nodes-'))
  const seed = Number(process.env['TROUPE_TEST_SEED'] ?? Date.now() % 1_000_000)
  const databaseUrl = await createTestDatabase()
  const nodes = await openNodes(folder, {
    count: 3,
    databaseUrl,
    seed,
    ...(cluster && { cluster }),
    ...(env && { env }),
  })
  try {
    const played = await work(nodes, seed)
    const store = await openPostgresStore({ url: databaseUrl })
    const report = await checkPlayed(store, nodes.workspace, { ...played, lines: nodes.lines() })
    await store.close()
    if (process.env['TROUPE_TEST_REPORT'] === '1' || report.problems.length > 0)
      process.stdout.write(`${JSON.stringify({ seed, ...report })}\n`)
    return report
  } finally {
    await nodes.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
