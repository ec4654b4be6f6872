import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { StoredMessage } from '@troupe/protocol'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type CrashHome, createReader, openHome, type ServerProcess } from './open-home.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'troupe-full-'))
const disk = path.join(folder, 'disk')
const mounted = mount()
let home: CrashHome

/** Mounts a small disk. Needs root on Linux, and may fail even then. */
function mount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  mkdirSync(disk)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', disk], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

beforeAll(async () => {
  if (mounted) home = await openHome(disk)
})

afterAll(async () => {
  if (mounted) {
    await home.close()
    execFileSync('umount', [disk])
  }
  rmSync(folder, { recursive: true, force: true })
})

const filler = path.join(disk, 'filler')

function fillUp(): void {
  for (let size = 1 << 16; size >= 512; size /= 2) {
    try {
      for (;;) appendFileSync(filler, Buffer.alloc(size))
    } catch {
      // No room for a chunk of this size. A smaller one may still fit.
    }
  }
  expect(statfsSync(disk).bavail).toBe(0)
}

async function ask(server: ServerProcess, sessionId: string, id: string, text: string): Promise<Response> {
  const message = { id, role: 'user', parts: [{ type: 'text', text }] }
  return server.request('/ai/chat', { method: 'POST', body: JSON.stringify({ sessionId, message }) })
}

describe.runIf(mounted)('a disk that fills up', () => {
  it(
    'fails the run with a clear error, not the server, and everything continues when there is space',
    { timeout: 60_000 },
    async () => {
      const server = await home.start()
      const before = await ask(server, 'before', 'u0', 'flood:1.')
      await before.text()

      const response = await ask(server, 's1', 'u1', 'hang.')
      expect(response.status).toBe(200)
      const reader = createReader()
      const read = reader.read(response.body as ReadableStream<Uint8Array>)
      await vi.waitFor(() => expect(reader.events.length).toBeGreaterThan(10), 10_000)
      fillUp()
      await server
        .request('/ai/chat/s1/steer', { method: 'POST', body: JSON.stringify({ id: 'st1', text: 'go on' }) })
        .then((steered) => expect(steered.status).toBeGreaterThanOrEqual(500))
      const stopped = await server.request('/ai/chat/s1/stop', { method: 'POST', body: '{}' })
      expect(stopped.status).toBeGreaterThanOrEqual(500)
      await read
      const error = reader.events.find(({ chunk }) => chunk.type === 'error')
      expect(JSON.stringify(error?.chunk)).toMatch(/disk is full|no space|can no longer be written/i)
      const refused = await ask(server, 's2', 'u2', 'flood:1.')
      expect(refused.status).toBeGreaterThanOrEqual(500)
      expect((await server.request('/health')).status).toBe(200)

      rmSync(filler)
      const again = await ask(server, 's1', 'u3', 'flood:1.')
      expect(again.status).toBe(200)
      await again.text()
      const { messages } = (await (await server.request('/ai/sessions/s1/messages')).json()) as {
        messages: StoredMessage[]
      }
      expect(messages.map(({ id }) => id)).toEqual(expect.arrayContaining(['u1', 'u3']))
      expect(messages.at(-1)?.metadata).toMatchObject({ finishReason: 'stop' })
      expect(await server.kill('SIGTERM')).toBe(0)

      const next = await home.start()
      const kept = await next.request('/ai/sessions/s1/messages')
      expect(((await kept.json()) as { messages: StoredMessage[] }).messages).toEqual(messages)
      expect(await next.kill('SIGTERM')).toBe(0)
    },
  )
})
