import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testServer, type TestServer } from '../testing/test-server.ts'

const page = (timeoutMs?: number): string => `import { defineTool } from '@troupe/core'
import { z } from 'zod'
export default defineTool({
  description: 'Asks the page.', input: z.object({}), readOnly: true, group: 'test',
  execute: (_, ctx) => ctx.ask({ kind: 'browser', title: 'Open'${timeoutMs === undefined ? '' : `, timeoutMs: ${timeoutMs}`} }),
})`

let server: TestServer
beforeAll(async () => {
  server = await testServer({ tools: { 'ask-page': page(), 'ask-quickly': page(50) } })
})
afterAll(() => server.close())

let sessions = 0
/** Starts a run that waits for a report from `page-1`. Returns its ids. */
async function waiting(): Promise<{ sessionId: string; toolCallId: string }> {
  const sessionId = `ack${++sessions}`
  const toolCallId = `call-${sessionId}`
  server.script(sessionId, [[{ call: { name: 'AskPage', input: {}, id: toolCallId } }], [{ text: 'Thanks.' }]])
  await server.chat(sessionId, sessionId, { clientId: 'page-1' })
  return { sessionId, toolCallId }
}

const ack = (body: object): Promise<{ status: number; body: { result?: string; error?: { name: string } } }> =>
  server.json('/ai/tools/ack', { body: { clientId: 'page-1', status: 'success', ...body } })

const outputs = async (sessionId: string): Promise<unknown[]> =>
  (await server.messages(sessionId)).at(-1)!.parts.flatMap((part) => ('output' in part ? [part.output] : []))

describe('POST /ai/tools/ack', () => {
  it('passes the page’s report to the waiting call, once', async () => {
    const { sessionId, toolCallId } = await waiting()
    const ended = server.runs.get(sessionId)!.done
    expect(await ack({ sessionId, toolCallId, output: { seen: 1 } })).toEqual({
      status: 200,
      body: { result: 'resolved' },
    })
    await ended
    expect(await outputs(sessionId)).toEqual([{ type: 'answers', answers: { status: 'success', output: { seen: 1 } } }])
    expect(await ack({ sessionId, toolCallId })).toMatchObject({ status: 409, body: { error: { name: 'AskClosed' } } })
  })

  it('a failure reaches the tool with its text', async () => {
    const { sessionId, toolCallId } = await waiting()
    const ended = server.runs.get(sessionId)!.done
    await ack({ sessionId, toolCallId, status: 'failed', errorText: 'No such page.' })
    await ended
    expect(await outputs(sessionId)).toEqual([
      { type: 'answers', answers: { status: 'failed', errorText: 'No such page.' } },
    ])
  })

  it('a report before the call’s request is kept for it, bound to session and client', async () => {
    await server.json('/ai/sessions', { body: { id: 'early' } })
    server.script('early', [[{ call: { name: 'AskPage', input: {}, id: 'soon' } }], [{ text: 'Thanks.' }]])
    const stored = { status: 200, body: { result: 'stored' } }
    expect(await ack({ sessionId: 'early', toolCallId: 'soon', output: 'right' })).toEqual(stored)
    expect(await ack({ sessionId: 'early', toolCallId: 'soon', clientId: 'page-2', output: 'forged' })).toEqual(stored)
    const second = await ack({ sessionId: 'early', toolCallId: 'soon', output: 'changed my mind' })
    expect(second).toMatchObject({ status: 409, body: { error: { name: 'AskClosed' } } })
    const chat = await server.chat('early', 'early', { clientId: 'page-1' })
    expect(chat.types.at(-1)).toBe('finish')
    expect(await outputs('early')).toEqual([{ type: 'answers', answers: { status: 'success', output: 'right' } }])
  })

  it('another page, another session and invalid reports are rejected and change nothing', async () => {
    const { sessionId, toolCallId } = await waiting()
    const before = server.written()
    const forbidden = { status: 403, body: { error: { name: 'ForeignClient' } } }
    expect(await ack({ sessionId, toolCallId, clientId: 'page-2' })).toMatchObject(forbidden)
    expect(await ack({ sessionId, toolCallId: 'unheard-of', clientId: 'page-2' })).toMatchObject(forbidden)
    expect(await ack({ sessionId: 'nobody', toolCallId })).toMatchObject({ status: 404 })
    for (const bad of [{ status: 'maybe' }, { clientId: '' }, { toolCallId: 1 }, { errorText: {} }, { more: 1 }])
      expect((await ack({ sessionId, toolCallId, ...bad })).status).toBe(400)
    const [ask] = (await server.json<{ asks: { id: string }[] }>(`/ai/asks?sessionId=${sessionId}`)).body.asks
    const answer = { type: 'answers', answers: {} }
    expect(await server.json(`/ai/asks/${ask!.id}`, { body: { answer } })).toMatchObject(forbidden)
    expect(await server.json(`/ai/asks/${ask!.id}`, { body: { answer, clientId: 'page-2' } })).toMatchObject(forbidden)
    expect(server.written()).toEqual(before)
    const ended = server.runs.get(sessionId)!.done
    expect((await server.json(`/ai/asks/${ask!.id}`, { body: { answer, clientId: 'page-1' } })).status).toBe(200)
    await ended
  })

  it('too many or too large reports are rejected', async () => {
    await server.json('/ai/sessions', { body: { id: 'flood' } })
    const large = await ack({ sessionId: 'flood', toolCallId: 'c', output: 'x'.repeat(300_000) })
    expect(large).toMatchObject({ status: 413, body: { error: { name: 'AnswerTooLarge' } } })
    const results = await Promise.all(
      Array.from({ length: 30 }, (_, i) => ack({ sessionId: 'flood', toolCallId: `c${i}` })),
    )
    expect(results.filter(({ status }) => status === 200)).toHaveLength(20)
    expect(results.filter(({ status }) => status === 429)).toHaveLength(10)
  })

  it('a page that never answers is a named error for the tool, and the run continues', async () => {
    server.script('slow', [[{ call: { name: 'AskQuickly', input: {}, id: 'quick' } }], [{ text: 'Then not.' }]])
    const chat = await server.chat('slow', 'slow', { clientId: 'page-1' })
    const [run] = await server.store.runs.ofSession('slow')
    await server.runs.get('slow')?.done
    expect(run).toMatchObject({ sessionId: 'slow' })
    expect(chat.types).not.toContain('finish')
    const { parts } = (await server.messages('slow')).at(-1)!
    expect(parts).toContainEqual(
      expect.objectContaining({
        state: 'output-error',
        errorText: expect.stringContaining('Nobody answered within 0.05 s') as string,
      }),
    )
    expect(parts.at(-1)).toMatchObject({ text: 'Then not.' })
    expect(await ack({ sessionId: 'slow', toolCallId: 'quick' })).toMatchObject({ status: 409 })
  })

  it('asks of a stopped run are closed', async () => {
    const { sessionId, toolCallId } = await waiting()
    await server.request(`/ai/chat/${sessionId}/stop`, { method: 'POST' })
    expect(await ack({ sessionId, toolCallId })).toMatchObject({ status: 409, body: { error: { name: 'AskClosed' } } })
  })
})
