import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { checkSurvivors } from './check-survivors.ts'
import { openHome } from './open-home.ts'
import { playRounds } from './play-rounds.ts'

const kills = process.env['TROUPE_TEST_FULL'] === '1' ? 50 : 2

it(
  `survives kill -9 at ${kills} random moments of streaming runs with tools`,
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'troupe-kill-'))
    const seed = Number(process.env['TROUPE_TEST_SEED'] ?? Date.now() % 1_000_000)
    const home = await openHome(folder)
    try {
      const played = await playRounds(home, { kills, sessions: 4, seed })
      const report = await checkSurvivors(home, played)
      if (process.env['TROUPE_TEST_REPORT'] === '1') process.stdout.write(`${JSON.stringify({ seed, ...report })}\n`)
      expect(report.problems, `seed ${seed}`).toEqual([])
      expect(report.kills).toBe(kills)
    } finally {
      await home.close()
      rmSync(folder, { recursive: true, force: true })
    }
  },
  80_000 + kills * 10_000,
)
