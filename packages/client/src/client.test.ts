import { afterAll, beforeAll, expect, it } from 'vitest'
import { testServer, type TestServer } from '../../server/src/testing/test-server.ts'
import { addressOf } from './call.ts'
import { type Client, createClient } from './client.ts'

let server: TestServer
let client: Client
beforeAll(async () => {
  server = await testServer({ listen: true })
  client = createClient({ url: `http://127.0.0.1:${server.port}`, token: server.token })
})
afterAll(() => server.close())

it('streams an answer and calls endpoints with their types', async () => {
  const message = { id: 'm1', role: 'user' as const, parts: [{ type: 'text' as const, text: 'hello' }] }
  let text = ''
  for await (const chunk of client.chat({ sessionId: 'client', message }))
    if (chunk.type === 'text-delta') text += chunk.delta
  expect(text).toBe('You said: hello')
  const { asks } = await client.call('GET /ai/asks', { query: { sessionId: 'client' } })
  expect(asks).toEqual([])
})

it('throws the error of the server, with its name, status and data', async () => {
  await expect(client.call('GET /ai/asks', { query: { sessionId: 'nobody' } })).rejects.toMatchObject({
    name: 'SessionNotFound',
    status: 404,
  })
  const stranger = createClient({ url: `http://127.0.0.1:${server.port}/`, token: 'wrong' })
  await expect(stranger.call('GET /ai/asks')).rejects.toMatchObject({ name: 'Unauthorized', status: 401 })
})

it('fills parameters, and leaves out values that are undefined', () => {
  expect(addressOf('/ai/a/:id/b/:name', { params: { id: 'x', name: 'y/z' }, query: { a: 1, b: undefined } })).toBe(
    '/ai/a/x/b/y%2Fz?a=1',
  )
})
