import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Ask } from '@troupe/core'
import type { StoredMessage } from '@troupe/protocol'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type CrashHome, createReader, openHome, type Reader, type ServerProcess } from './open-home.ts'

let folder: string
let home: CrashHome

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'troupe-term-'))
  home = await openHome(folder)
})

afterEach(async () => {
  await home.close()
  rmSync(folder, { recursive: true, force: true })
})

async function ask(
  server: ServerProcess,
  sessionId: string,
  text: string,
): Promise<{ reader: Reader; read: Promise<void> }> {
  const message = { id: `${sessionId}-question`, role: 'user', parts: [{ type: 'text', text }] }
  const response = await server.request('/ai/chat?hold=1', {
    method: 'POST',
    body: JSON.stringify({ sessionId, message }),
  })
  expect(response.status).toBe(200)
  const reader = createReader()
  return { reader, read: reader.read(response.body as ReadableStream<Uint8Array>) }
}

async function answerOf(server: ServerProcess, sessionId: string): Promise<StoredMessage> {
  const { messages } = (await (await server.request(`/ai/sessions/${sessionId}/messages`)).json()) as {
    messages: StoredMessage[]
  }
  return messages.at(-1) as StoredMessage
}

async function openAsks(server: ServerProcess): Promise<Ask[]> {
  return ((await (await server.request('/ai/asks')).json()) as { asks: Ask[] }).asks
}

describe('SIGTERM', () => {
  it('ends runs at a safe point, keeps those that wait, and exits 0', { timeout: 60_000 }, async () => {
    const server = await home.start()
    const speaking = await ask(server, 'speaking', 'hang.')
    const waiting = await ask(server, 'waiting', 'ask:line2.')
    await vi.waitFor(() => expect(speaking.reader.events.length).toBeGreaterThan(10), 10_000)
    await vi.waitFor(async () => expect(await openAsks(server)).toHaveLength(1), 10_000)
    const [asked] = await openAsks(server)
    // Last, so that its tool still runs when the signal arrives.
    const writing = await ask(server, 'writing', 'write:line.')
    await vi.waitFor(() => expect(readFileSync(path.join(home.workspace, 'writes.txt'), 'utf8')).toBe('line\n'), 10_000)
    const begun = performance.now()
    expect(await server.kill('SIGTERM')).toBe(0)
    expect(performance.now() - begun).toBeLessThan(20_000)
    expect(server.lines).toEqual([])
    await Promise.all([speaking.read, writing.read, waiting.read])
    for (const { reader } of [speaking, writing]) {
      expect(reader.events.slice(-2).map(({ chunk }) => chunk.type)).toEqual(['abort', 'finish'])
    }
    expect(waiting.reader.finished()).toBe(false)

    const next = await home.start()
    const spoken = await answerOf(next, 'speaking')
    expect(spoken.metadata).toMatchObject({ interrupted: true })
    expect(JSON.stringify(spoken.parts)).toContain('Let me think')
    const written = await answerOf(next, 'writing')
    expect(written.metadata).toMatchObject({ interrupted: true })
    expect(written.parts).toEqual(
      expect.arrayContaining([expect.objectContaining({ state: 'output-available', output: { key: 'line' } })]),
    )
    await vi.waitFor(
      async () => expect(await openAsks(next)).toMatchObject([{ id: asked?.id, sessionId: 'waiting' }]),
      10_000,
    )
    const answered = await next.request(`/ai/asks/${asked?.id}`, {
      method: 'POST',
      body: JSON.stringify({ answer: { type: 'approve' } }),
    })
    expect(answered.status).toBe(200)
    await vi.waitFor(
      async () => expect((await answerOf(next, 'waiting')).metadata).toMatchObject({ finishReason: 'stop' }),
      10_000,
    )
    expect(readFileSync(path.join(home.workspace, 'writes.txt'), 'utf8')).toBe('line\nline2\n')
    expect(await next.kill('SIGTERM')).toBe(0)
  })
})
