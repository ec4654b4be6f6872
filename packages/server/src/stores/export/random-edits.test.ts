import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { openSqliteStore, type SqliteStore } from '../sqlite.ts'
import { message } from '../testing/builders.ts'

const streams = ['', 'g1'] as const

const edit = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant('add' as const), stream: fc.nat(1), below: fc.nat(20) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('replace' as const), stream: fc.nat(1), which: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('remove' as const), stream: fc.nat(1), which: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('reopen' as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('crash' as const), cut: fc.nat(300) }) },
)

it('after any edits, restarts and crashes, the files equal the database', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(edit, { minLength: 5, maxLength: 40 }), async (edits) => {
      const home = mkdtempSync(join(tmpdir(), 'troupe-random-'))
      let store = await openSqliteStore({ home })
      const { id: workspaceId } = await store.workspaces.open('/tmp/one')
      await store.sessions.create({ id: 's1', workspaceId })
      const ids: string[][] = [[], []]
      let count = 0
      for (const step of edits) {
        if (step.type === 'reopen') {
          await store.close()
          store = await openSqliteStore({ home })
        } else if (step.type === 'crash') {
          store = await crash(home, store, step.cut)
          await store.exported()
        } else {
          const known = ids[step.stream]!
          const at = { sessionId: 's1', ...(step.stream === 1 && { agentId: 'g1' }) }
          if (step.type === 'add') {
            const id = `m${count++}`
            await store.messages.add(at, message(id, known[step.below % (known.length + 1)] ?? null))
            known.push(id)
          } else if (known.length > 0) {
            const id = known[step.which % known.length]!
            if (step.type === 'replace') {
              await store.messages.replace(at, { id, parts: [{ type: 'text', text: 'y'.repeat(count++ % 7) }] })
            } else {
              const removed = new Set(await store.messages.remove(at, id))
              ids[step.stream] = known.filter((one) => !removed.has(one))
            }
          }
        }
        for (const stream of streams) expect(inFile(home, stream)).toEqual(inDatabase(home, stream))
      }
      await store.close()
      rmSync(home, { recursive: true })
    }),
    { numRuns: 12 },
  )
})

/** Simulates a crash: keeps the database, truncates the files, and skips the clean close. */
async function crash(home: string, store: SqliteStore, cut: number): Promise<SqliteStore> {
  const kept = `${home}-kept`
  mkdirSync(kept)
  const database = new DatabaseSync(join(home, 'troupe.db'))
  database.prepare('vacuum into ?').run(join(kept, 'troupe.db'))
  database.close()
  const file = join(home, 'sessions', 's1', 'messages.jsonl')
  if (existsSync(file)) truncateSync(file, Math.max(0, statSync(file).size - cut))
  await store.exported()
  renameSync(join(home, 'sessions'), join(kept, 'sessions'))
  await store.close()
  rmSync(home, { recursive: true })
  renameSync(kept, home)
  return openSqliteStore({ home })
}

function inFile(home: string, stream: string): string[][] {
  const file = join(home, 'sessions', 's1', stream === '' ? 'messages.jsonl' : `agents/${stream}/messages.jsonl`)
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => {
    const { id, parts } = JSON.parse(line) as { id: string; parts: unknown }
    return [id, JSON.stringify(parts)]
  })
}

function inDatabase(home: string, stream: string): string[][] {
  const database = new DatabaseSync(join(home, 'troupe.db'), { readOnly: true })
  const rows = database.prepare('select id, parts from message where agent_id = ? order by seq').all(stream)
  database.close()
  return rows.map((row) => [String(row['id']), String(row['parts'])])
}
