import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type Ctx, type Sink, streamResponse } from './route.ts'

let server: Server
let sinks: Sink[]
let ended: number
beforeEach(async () => {
  sinks = []
  ended = 0
  server = createServer((incoming, outgoing) => {
    void streamResponse({ req: { method: incoming.method }, env: { incoming, outgoing } } as unknown as Ctx, attach)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(async () => {
  vi.useRealTimers()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

function attach(sink: Sink): () => void {
  sinks.push(sink)
  return () => void ended++
}

const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

async function next(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  return new TextDecoder().decode((await reader.read()).value)
}

it('a silent stream gets keep-alive comments, and ends', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const response = await fetch(address())
  const reader = response.body!.getReader()
  sinks[0]!.write('data: 1\n\n')
  expect(await next(reader)).toBe('data: 1\n\n')
  vi.advanceTimersByTime(15_000)
  expect(await next(reader)).toBe(': keep-alive\n\n')
  sinks[0]!.end()
  expect(await next(reader)).toBe('data: [DONE]\n\n')
  expect((await reader.read()).done).toBe(true)
})

it('a client that disconnects ends its subscription', async () => {
  const closing = new AbortController()
  await fetch(address(), { signal: closing.signal })
  closing.abort()
  await vi.waitFor(() => expect(ended).toBe(1))
})

it('in process, it waits for a slow reader, and ends when the reader stops', async () => {
  const response = streamResponse({ req: { method: 'GET' } } as unknown as Ctx, attach)
  const sink = sinks[0]!
  const text = 'x'.repeat(10_000)
  expect(sink.write(text)).toBeGreaterThanOrEqual(10_000 - 1)
  expect(sink.write(text)).toBeGreaterThanOrEqual(20_000 - 1)
  const drained = new Promise<void>((resolve) => sink.onDrain(resolve))
  const reader = response.body!.getReader()
  await reader.read()
  await reader.read()
  void reader.read()
  await drained
  await reader.cancel()
  expect(ended).toBe(1)
})
