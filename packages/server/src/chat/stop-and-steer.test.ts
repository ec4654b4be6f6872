import type { Message } from '@troupe/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shown, testServer, type TestServer, userMessage } from '../testing/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await testServer()
  server.script('ask', [
    [{ text: 'May I?' }, { call: { name: 'TestApproval', input: { message: 'Go?' }, id: 'c1' } }],
    [{ text: 'Done.' }],
  ])
})
afterAll(() => server.close())

const stored = async (sessionId: string): Promise<Message> => shown((await server.messages(sessionId)).at(-1)!)

describe('stop and steer', () => {
  it('stop ends a streaming run: the text so far is kept, the message is marked, the next turn works', async () => {
    server.script('stop me', [[{ text: 'half an ans' }, { gate: 'never' }, { text: 'wer' }]])
    const running = server.chat('stop', 'stop me')
    await server.model.reached('never')
    const { status, body } = await server.json<{ runId: string; ms: number }>('/ai/chat/stop/stop', { method: 'POST' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ stopped: true, runId: expect.stringMatching(/^run_/) as string })
    const { message, types } = await running
    expect(types).toContain('abort')
    expect(message.metadata).toMatchObject({ aborted: true })
    expect((await stored('stop')).parts).toContainEqual({ type: 'text', text: 'half an ans', state: 'done' })
    expect((await server.chat('stop', 'next')).message.parts.at(-1)).toMatchObject({ text: 'You said: next' })
  })

  it('stop of a waiting run closes its asks and leaves no open call', async () => {
    await server.chat('stop2', 'ask')
    expect((await server.json('/ai/chat/stop2/stop', { method: 'POST' })).status).toBe(200)
    const message = await stored('stop2')
    expect(message.parts.at(-1)).toMatchObject({ state: 'output-error' })
    expect((await server.json<{ asks: [] }>('/ai/asks?sessionId=stop2')).body.asks).toEqual([])
    expect((await server.chat('stop2', 'next')).status).toBe(200)
  })

  it('a steering message is in the answer and reaches the model at the next step', async () => {
    server.script('steer me', [
      [{ text: 'a' }, { gate: 'steer' }, { call: { name: 'TimeNow', input: {} } }],
      [{ text: 'unused' }],
    ])
    server.script('rather b', [[{ text: 'b' }]])
    const running = server.chat('steer', 'steer me')
    await server.model.reached('steer')
    expect(await server.json('/ai/chat/steer/steer', { body: { id: 'st1', text: 'rather b' } })).toMatchObject({
      status: 200,
      body: { id: 'st1' },
    })
    server.model.open('steer')
    const { message } = await running
    expect(message.parts).toContainEqual({
      type: 'steering-message',
      id: 'st1',
      parts: [{ type: 'text', text: 'rather b' }],
    })
    expect(message.parts.at(-1)).toMatchObject({ text: 'b' })
    expect(message).toEqual(await stored('steer'))
  })

  it('are 409 NoRun when idle and 404 for a missing session', async () => {
    await server.chat('calm', 'x')
    expect(await server.json('/ai/chat/calm/stop', { method: 'POST' })).toMatchObject({
      status: 409,
      body: { error: { name: 'NoRun' } },
    })
    expect(await server.json('/ai/chat/calm/steer', { body: { id: 'x', text: 'y' } })).toMatchObject({
      status: 409,
      body: { error: { name: 'NoRun' } },
    })
    expect(await server.json('/ai/chat/nobody/stop', { method: 'POST' })).toMatchObject({
      status: 404,
      body: { error: { name: 'SessionNotFound' } },
    })
    expect(await server.json('/ai/chat/nobody/steer', { body: { id: 'x', text: 'y' } })).toMatchObject({ status: 404 })
  })

  it('deleting a session or a message stops the run inside and waits for it', async () => {
    for (const target of ['/ai/sessions/del', '/ai/sessions/del/messages/d1']) {
      server.script('delete me', [[{ text: 'a' }, { gate: target }]])
      const running = server.chat('del', userMessage('delete me', 'd1'))
      await server.model.reached(target)
      const run = server.runs.get('del')!
      expect((await server.json(target, { method: 'DELETE' })).status).toBe(200)
      expect(server.runs.get('del')).toBeUndefined()
      await run.done
      await running
      expect(await server.store.messages.get({ sessionId: 'del' }, run.messageId)).toBeUndefined()
    }
  })
})
