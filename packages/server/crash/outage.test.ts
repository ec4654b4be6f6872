import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, vi } from 'vitest'
import { full } from '../../protocol/testing/test-effort.ts'
import { openPostgresStore } from '../src/stores/postgres/open-postgres.ts'
import { createTestDatabase, hasPostgres, query } from '../src/testing/postgres.ts'
import { type CrashNodes, openNodes } from './open-nodes.ts'

const waiting = { timeout: 60_000, interval: 50 }

it.runIf(hasPostgres && full)(
  'runs wait for a database that accepts no writes, and continue by themselves',
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'troupe-outage-'))
    const url = await createTestDatabase()
    const cluster = { leaseMs: 1500, beatMs: 300 }
    const nodes = await openNodes(folder, { count: 2, databaseUrl: url, seed: 1, cluster })
    try {
      // One run waits for an approval, the other is inside of a tool call that takes a while.
      const [asked, writing] = [await send(nodes, 'asked', 'ask:k1.'), await send(nodes, 'writing', 'write:k2.')]
      expect([asked.status, writing.status]).toEqual([200, 200])
      const [ask] = await vi.waitFor(async () => {
        const { asks } = (await (await nodes.request('/ai/asks')).json()) as { asks: { id: string }[] }
        expect(asks).toHaveLength(1)
        return asks
      }, waiting)
      await vi.waitFor(() => expect(writes(nodes)).toEqual(['k2']), waiting)
      await setReadOnly(url, 'on')
      await vi.waitFor(() => {
        for (const { lines } of nodes.live()) expect(lines.join('\n')).toContain('the lease of this node ran out')
      }, waiting)
      const answer = { method: 'POST', body: JSON.stringify({ answer: { type: 'approve' } }) }
      const early = await nodes.request(`/ai/asks/${ask?.id}`, answer)
      expect([503, 507]).toContain(early.status)
      await setReadOnly(url, 'off')
      await vi.waitFor(async () => {
        const given = await nodes.request(`/ai/asks/${ask?.id}`, answer)
        expect([200, 409]).toContain(given.status)
      }, waiting)
      const store = await openPostgresStore({ url })
      await vi.waitFor(async () => expect(await store.runs.unfinished()).toEqual([]), waiting)
      for (const sessionId of ['asked', 'writing']) {
        const runs = await store.runs.ofSession(sessionId)
        expect(runs.map(({ status }) => status)).toEqual(['done'])
        const leaf = (await store.messages.latestLeaf({ sessionId })) as string
        const texts = (await store.messages.get({ sessionId }, leaf))?.parts.flatMap((part) =>
          part.type === 'text' ? part.text : [],
        )
        expect(texts).toEqual(['I shall.', 'Done.'])
      }
      await store.close()
      expect(writes(nodes)).toEqual(['k2', 'k1'])
    } finally {
      await nodes.close()
      rmSync(folder, { recursive: true, force: true })
    }
  },
  180_000,
)

function send(nodes: CrashNodes, sessionId: string, text: string): Promise<Response> {
  const message = { id: `m-${sessionId}`, role: 'user', parts: [{ type: 'text', text }] }
  return nodes.request('/ai/chat?hold=1', { method: 'POST', body: JSON.stringify({ sessionId, message }) })
}

function writes({ workspace }: CrashNodes): string[] {
  return readFileSync(path.join(workspace, 'writes.txt'), 'utf8').trim().split('\n')
}

/** New connections get the setting, and the old ones are cut, as when a standby takes the place of the server. */
async function setReadOnly(url: string, value: 'on' | 'off'): Promise<void> {
  const name = url.slice(url.lastIndexOf('/') + 1)
  const server = url.replace(/[^/]*$/, 'postgres')
  await query(server, `alter database ${name} set default_transaction_read_only = ${value}`)
  await query(server, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
}
