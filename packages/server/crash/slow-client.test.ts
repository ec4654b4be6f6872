import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import net from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { StoredMessage } from '@troupe/protocol'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { floodPiece } from './model-server.ts'
import { type CrashHome, createReader, openHome, type ServerProcess } from './open-home.ts'

const megabytes = 8
const lastChunk = '\r\n0\r\n\r\n'

let folder: string
let home: CrashHome

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'troupe-slow-'))
  home = await openHome(folder)
})

afterEach(async () => {
  await home.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A client that sends its question, then reads nothing from the socket until `wake` is called. */
async function sleepyClient(server: ServerProcess, body: string): Promise<{ wake(): Promise<Buffer> }> {
  const socket = net.connect(server.port, '127.0.0.1')
  await once(socket, 'connect')
  socket.pause()
  const head = [
    'POST /ai/chat HTTP/1.1',
    `host: 127.0.0.1:${server.port}`,
    `authorization: Bearer ${server.token}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  return {
    async wake() {
      const chunks: Buffer[] = []
      const complete = new Promise<void>((resolve) => {
        socket.on('data', (chunk) => {
          chunks.push(chunk)
          if (chunk.subarray(-lastChunk.length).toString('latin1') === lastChunk) resolve()
        })
      })
      socket.resume()
      await complete
      socket.destroy()
      return Buffer.concat(chunks)
    },
  }
}

function dechunked(response: Buffer): Buffer {
  const pieces: Buffer[] = []
  let at = response.indexOf('\r\n\r\n') + 4
  for (;;) {
    const end = response.indexOf('\r\n', at)
    const length = Number.parseInt(response.toString('latin1', at, end), 16)
    if (!(length > 0)) return Buffer.concat(pieces)
    pieces.push(response.subarray(end + 2, end + 2 + length))
    at = end + 4 + length
  }
}

describe('a client that reads nothing', () => {
  it(
    `is owed about a mebibyte while ${megabytes} MB stream, and catches up completely`,
    { timeout: 120_000 },
    async () => {
      const server = await home.start()
      const body = JSON.stringify({
        sessionId: 's1',
        message: { id: 'u1', role: 'user', parts: [{ type: 'text', text: `flood:${megabytes * 1e6}.` }] },
      })
      const client = await sleepyClient(server, body)
      await vi.waitFor(
        async () => {
          const { session } = (await (await server.request('/ai/sessions/s1')).json()) as {
            session?: { run: unknown; messageCount: number }
          }
          expect(session).toMatchObject({ run: null, messageCount: 2 })
        },
        { timeout: 60_000, interval: 100 },
      )
      const owed = server.largestBacklog()
      expect(owed).toBeGreaterThan(1 << 19)
      expect(owed).toBeLessThan(1.5 * (1 << 20))

      const response = await client.wake()
      expect(server.largestBacklog()).toBeLessThan(1.5 * (1 << 20))
      const reader = createReader()
      await reader.read(new Blob([dechunked(response)]).stream())
      const text = floodPiece.repeat(Math.ceil((megabytes * 1e6) / floodPiece.length)) + ' The end.'
      const seen = reader.message()
      expect(seen.parts.find((part) => part.type === 'text')?.text === text).toBe(true)
      const stored = (await (await server.request('/ai/sessions/s1/messages')).json()) as { messages: StoredMessage[] }
      expect(JSON.stringify(stored.messages.at(-1)?.parts) === JSON.stringify(seen.parts)).toBe(true)
    },
  )
})
