import { execFileSync } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, vi } from 'vitest'
import { full } from '../../protocol/testing/test-effort.ts'
import { openPostgresStore } from '../src/stores/postgres/open-postgres.ts'
import { createTestDatabase, hasPostgres, query } from '../src/testing/postgres.ts'
import {
  createServerFolder,
  findPostgres,
  startPostgresServer,
  stopPostgresServer,
} from '../src/testing/postgres-server.ts'
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

/** Needs to mount a small disk. */
const canMount = process.platform === 'linux' && process.getuid?.() === 0

it.runIf(hasPostgres && full && canMount)(
  'runs wait for a database whose disk is full, say so, and continue once there is space',
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'troupe-full-'))
    const disk = await openSmallDisk()
    const cluster = { leaseMs: 1500, beatMs: 300 }
    const nodes = await openNodes(folder, { count: 2, databaseUrl: disk.url, seed: 1, cluster })
    try {
      expect((await send(nodes, 'asked', 'ask:k1.')).status).toBe(200)
      const [ask] = await vi.waitFor(async () => {
        const { asks } = (await (await nodes.request('/ai/asks')).json()) as { asks: { id: string }[] }
        expect(asks).toHaveLength(1)
        return asks
      }, waiting)
      expect((await send(nodes, 'writing', 'write:k2.')).status).toBe(200)
      await vi.waitFor(() => expect(writes(nodes)).toEqual(['k2']), waiting)
      disk.fill()
      // Small rows may still fit into the pages that the server has.
      const long = 'a long text '.repeat(20_000)
      await vi.waitFor(async () => {
        const refused = await send(nodes, 'late', long)
        const { error } = (await refused.json()) as { error: { name: string } }
        expect([error.name, refused.status]).toEqual(['DiskFull', 507])
      }, waiting)
      disk.empty()
      await vi.waitFor(async () => {
        const answer = { method: 'POST', body: JSON.stringify({ answer: { type: 'approve' } }) }
        expect([200, 409]).toContain((await nodes.request(`/ai/asks/${ask?.id}`, answer)).status)
      }, waiting)
      await vi.waitFor(async () => expect((await send(nodes, 'late', 'hello')).status).toBe(200), waiting)
      const store = await openPostgresStore({ url: disk.url })
      await vi.waitFor(async () => expect(await store.runs.unfinished()).toEqual([]), waiting)
      for (const sessionId of ['asked', 'writing'])
        expect((await store.runs.ofSession(sessionId)).map(({ status }) => status)).toEqual(['done'])
      await store.close()
      expect(writes(nodes)).toEqual(['k2', 'k1'])
    } finally {
      await nodes.close()
      await disk.close()
      rmSync(folder, { recursive: true, force: true })
    }
  },
  240_000,
)

/** A server whose data is on a disk of its own. Its write-ahead log has a place elsewhere, as in many installations. */
async function openSmallDisk() {
  const place = createServerFolder('full')
  const server = await startPostgresServer(findPostgres() as string, place)
  const url = `postgres://troupe@127.0.0.1:${server.port}`
  const small = `${place.folder}/small`
  mkdirSync(small)
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', small])
  chownSync(small, place.as.uid as number, place.as.gid as number)
  await query(`${url}/postgres`, `create tablespace small location '${small}'`)
  await query(`${url}/postgres`, 'create database outage template template0 tablespace small')
  const filler = path.join(small, 'filler')
  return {
    url: `${url}/outage`,
    fill() {
      const { bavail, bsize } = statfsSync(small)
      writeFileSync(filler, Buffer.alloc(bavail * bsize))
    },
    empty: () => rmSync(filler),
    async close() {
      await stopPostgresServer(server.pid, `${place.folder}/none`)
      execFileSync('umount', ['-l', small])
      rmSync(place.folder, { recursive: true, force: true })
    },
  }
}

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
