import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Audit, openAudit } from '../packages/server/src/governance/audit.ts'
import { openTestSqlite, startTestPostgres } from '../packages/server/src/governance/testing/databases.ts'
import type { Db } from '../packages/server/src/stores/sql/context.ts'

const entries = Number(process.env['TROUPE_BENCH_AUDIT'] ?? 1_000_000)
const people = Array.from({ length: 200 }, (_, i) => ({ id: `person-${i}`, name: `Person${i} Name${i % 17}` }))
const actions = ['tool.allow', 'tool.ask', 'tool.deny', 'ask.answer', 'session.export', 'provider.change', 'sign.in']
const start = Date.UTC(2026, 0, 1)
const minute = 60_000

export const name = `audit log with ${entries.toLocaleString('en')} entries: a page of a search`
export const bar = 'p95 under 50 ms'

export async function run(): Promise<{ value: string; ok: boolean; detail: string }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-bench-'))
  try {
    const file = await openTestSqlite(path.join(folder, 'audit.db'))
    const onSqlite = await measure('SQLite', file.db)
    await file.close()
    const server = await startTestPostgres()
    const opened = await server?.open()
    const onPostgres = opened === undefined ? undefined : await measure('Postgres', opened.db)
    await opened?.close()
    await server?.stop()
    const found = [onSqlite, ...(onPostgres === undefined ? [] : [onPostgres])]
    return {
      value: found.map(({ name, p95 }) => `${name} ${p95.toFixed(1)} ms`).join(', '),
      ok: found.every(({ p95 }) => p95 < 50),
      detail: found.map(({ detail }) => detail).join('; '),
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(on: string, db: Db): Promise<{ name: string; p95: number; detail: string }> {
  let at = start
  const audit = openAudit({ db, clock: () => at })
  const begun = performance.now()
  for (let i = 0; i < entries;) {
    const batch: Promise<void>[] = []
    for (; batch.length < 200 && i < entries; i++) {
      at += 30 * 1000
      const action = actions[(i * 7 + (i >> 3)) % actions.length] as string
      batch.push(
        audit.record({
          actor: people[(i * 31) % people.length]!,
          action,
          target: { type: 'session', id: `s${i % 5000}` },
          outcome: i % 11 === 0 ? 'denied' : 'ok',
          detail: { tool: i % 3 === 0 ? 'Bash' : 'Write', command: `make part${i % 997} case${i % 10_007}` },
          requestId: `req-${i}`,
        }),
      )
    }
    await Promise.all(batch)
  }
  const written = (entries / (performance.now() - begun)) * 1000
  const taken = await times(audit, at)
  const sorted = taken.toSorted((one, other) => one.ms - other.ms)
  const p95 = sorted[Math.floor(sorted.length * 0.95)]!.ms
  const worst = sorted.at(-1)!
  const detail = `${on}: ${Math.round(written)} entries/s written, median ${sorted[Math.floor(sorted.length / 2)]!.ms.toFixed(1)} ms, slowest ${worst.ms.toFixed(0)} ms (${worst.what})`
  return { name: on, p95, detail }
}

async function times(audit: Audit, end: number): Promise<{ what: string; ms: number }[]> {
  const taken: { what: string; ms: number }[] = []
  for (let i = 0; i < 60; i++) {
    const person = people[(i * 13) % people.length]!
    const middle = start + ((end - start) * ((i * 17) % 60)) / 60
    const queries = {
      newest: {},
      actor: { actor: person.id },
      action: { action: actions[i % actions.length]! },
      'a rare target': { target: `s${(i * 71) % 5000}` },
      'a day': { from: middle, to: middle + 24 * 60 * minute },
      'a common word': { text: 'bash' },
      'a rare word': { text: `case${(i * 97) % 10_007}` },
      'two common words': { text: 'write denied' },
      'a person and a word': { actor: person.id, text: 'bash' },
      'a name': { text: `name${i % 17}` },
      'action, outcome, day': { action: 'tool.ask', outcome: 'denied', from: middle, to: middle + 24 * 60 * minute },
      nothing: { text: 'bash neverseen' },
      'a request': { text: `req-${i * 1009}` },
    }
    for (const [what, query] of Object.entries(queries)) {
      const begun = performance.now()
      const page = await audit.search(query)
      taken.push({ what, ms: performance.now() - begun })
      if (page.next === null || i % 10 !== 0) continue
      const again = performance.now()
      await audit.search({ ...query, before: page.next })
      taken.push({ what: `${what}, next page`, ms: performance.now() - again })
    }
  }
  return taken
}
