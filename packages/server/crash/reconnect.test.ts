import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Ask } from '@troupe/core'
import type { StoredMessage } from '@troupe/protocol'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { full } from '../../protocol/testing/test-effort.ts'
import { type CrashHome, createReader, openHome, type Reader, type ServerProcess } from './open-home.ts'

let folder: string
let home: CrashHome

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'troupe-reconnect-'))
  home = await openHome(folder)
})

afterEach(async () => {
  await home.close()
  rmSync(folder, { recursive: true, force: true })
})

async function openAsk(server: ServerProcess): Promise<Ask> {
  return vi.waitFor(async () => {
    const { asks } = (await (await server.request('/ai/asks')).json()) as { asks: Ask[] }
    expect(asks).toHaveLength(1)
    return asks[0] as Ask
  }, 10_000)
}

async function comeBack(
  server: ServerProcess,
  seen: Reader,
  count: number,
): Promise<{ reader: Reader; read: Promise<void> }> {
  const reader = createReader()
  reader.events.push(...seen.events.slice(0, count))
  const after = reader.after()
  const headers = after === undefined ? {} : { 'last-event-id': String(after) }
  const response = await server.request('/ai/chat/s1/stream', { headers })
  expect(response.status).toBe(200)
  return { reader, read: reader.read(response.body as ReadableStream<Uint8Array>) }
}

describe.each(full ? ['and goes on', 'and is killed'] : ['and is killed'])('a server whose run waits %s', (what) => {
  it(
    'gives every reconnecting client the same message, byte for byte, regardless of its event id',
    { timeout: 60_000 },
    async () => {
      let server = await home.start()
      const message = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'ask:line.' }] }
      const response = await server.request('/ai/chat?hold=1', {
        method: 'POST',
        body: JSON.stringify({ sessionId: 's1', message }),
      })
      const first = createReader()
      const reading = first.read(response.body as ReadableStream<Uint8Array>).catch(() => undefined)
      const { id } = await openAsk(server)
      await vi.waitFor(() => expect(first.events.at(-1)?.chunk.type).toBe('tool-approval-request'), 10_000)
      const seen = createReader()
      seen.events.push(...first.events)
      if (what === 'and is killed') {
        await server.kill('SIGKILL')
        await reading
        server = await home.start()
        expect((await openAsk(server)).id).toBe(id)
      }
      const clients = await Promise.all(
        Array.from({ length: seen.events.length + 1 }, (_, count) => comeBack(server, seen, count)),
      )
      const answered = await server.request(`/ai/asks/${id}`, {
        method: 'POST',
        body: JSON.stringify({ answer: { type: 'approve' } }),
      })
      expect(answered.status).toBe(200)
      await Promise.all(clients.map(({ read }) => read))
      const { messages } = (await (await server.request('/ai/sessions/s1/messages')).json()) as {
        messages: StoredMessage[]
      }
      const { id: messageId, parts, metadata } = messages.at(-1) as StoredMessage
      const stored = JSON.stringify({ id: messageId, parts, metadata })
      expect(parts.map(({ type }) => type)).toEqual(['step-start', 'text', 'tool-AppendAsked', 'step-start', 'text'])
      for (const [count, { reader }] of clients.entries()) {
        const held = reader.message()
        expect(JSON.stringify({ id: held.id, parts: held.parts, metadata: held.metadata }), `had seen ${count}`).toBe(
          stored,
        )
      }
      // The first client stayed connected unless the server restarted.
      if (what === 'and goes on') {
        await reading
        expect(JSON.stringify(first.message().parts)).toBe(JSON.stringify(parts))
      }
    },
  )
})
