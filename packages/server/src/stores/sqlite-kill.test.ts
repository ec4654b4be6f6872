import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import type { StoredMessage } from '@troupe/protocol'
import { expect, it } from 'vitest'
import { openSqliteStore } from './sqlite.ts'

const child = join(import.meta.dirname, 'testing', 'insert-until-killed.ts')
const full = process.env['TROUPE_TEST_FULL'] === '1'
const [kills, more] = full ? [10, 13] : [4, 39]

it('a store that is killed again and again keeps everything it acknowledged', { timeout: 120_000 }, async () => {
  const home = mkdtempSync(join(tmpdir(), 'troupe-kill-'))
  const sizes = new Map<string, number>()
  const frames = new Map<string, number>()
  for (let round = 0; round < kills; round++) {
    for (const line of await writeUntilKilled(home, round, 5 + round * more)) {
      const [kind, first, second, size] = line.split(' ')
      if (kind === 'message') sizes.set(`${first} ${second}`, Number(size))
      else frames.set(first!, Number(second))
    }
    const store = await openSqliteStore({ home })
    await store.exported()
    for (const [key, size] of sizes) {
      const [sessionId, id] = key.split(' ') as [string, string]
      const part = (await store.messages.get({ sessionId }, id))?.parts[0]
      // The replacement may be stored but not acknowledged.
      const length = part?.type === 'text' ? part.text.length : -1
      expect([`${key} ${size}`, `${key} ${size + 1}`]).toContain(`${key} ${length}`)
    }
    for (const [runId, seq] of frames) expect((await store.frames.read(runId)).length).toBeGreaterThanOrEqual(seq)
    for (const sessionId of ['s1', 's2', 's3']) {
      if (!(await store.sessions.get(sessionId))) continue
      const leaf = await store.messages.latestLeaf({ sessionId })
      const stored = leaf === undefined ? [] : await store.messages.chain({ sessionId }, leaf)
      expect(exportedMessages(home, sessionId)).toEqual(stored)
    }
    await store.close()
    const database = new DatabaseSync(join(home, 'troupe.db'), { readOnly: true })
    expect(database.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
    database.close()
  }
  expect(sizes.size).toBeGreaterThan(kills * 5)
  rmSync(home, { recursive: true })
})

/** A chat killed before its first message has no file of them. */
function exportedMessages(home: string, sessionId: string): StoredMessage[] {
  const file = join(home, 'sessions', sessionId, 'messages.jsonl')
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []
  return lines.map((line) => JSON.parse(line) as StoredMessage)
}

/** Kills the writer once it has acknowledged `count` lines. Returns all lines before its end. */
async function writeUntilKilled(home: string, round: number, count: number): Promise<string[]> {
  const writer = spawn(process.execPath, ['--conditions=troupe-source', child, home, String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(writer, 'exit')
  const lines: string[] = []
  for await (const line of createInterface({ input: writer.stdout })) {
    lines.push(line)
    if (lines.length === count) writer.kill('SIGKILL')
  }
  expect(await ended).toEqual([null, 'SIGKILL'])
  return lines
}
