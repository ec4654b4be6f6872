import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Feedback, ListedFeedback } from '@troupe/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testServer, type TestServer } from '../testing/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await testServer()
})
afterAll(() => server.close())

async function answer(sessionId: string, text = 'hello'): Promise<string> {
  await server.chat(sessionId, text)
  return (await server.messages(sessionId)).at(-1)!.id
}

const at = (sessionId: string, messageId: string): string => `/ai/sessions/${sessionId}/messages/${messageId}/feedback`
const rate = (sessionId: string, messageId: string, body: object) =>
  server.json<{ feedback: Feedback }>(at(sessionId, messageId), { method: 'PUT', body })
const list = async (query = ''): Promise<ListedFeedback[]> =>
  (await server.json<{ feedback: ListedFeedback[] }>(`/ai/feedback${query}`)).body.feedback

describe('feedback on an answer', () => {
  it('is stored with the answer, can be changed and removed, and names run, model and agent', async () => {
    const messageId = await answer('f1')
    const updated = async () =>
      (await server.json<{ session: { updatedAt: number } }>('/ai/sessions/f1')).body.session.updatedAt
    const before = await updated()
    expect(await rate('f1', messageId, { rating: 'up' })).toMatchObject({ status: 200 })
    const body = { rating: 'down', reasons: ['incorrect', 'incorrect', 'other'], text: '  مرحبا 🙃 ' }
    expect((await rate('f1', messageId, body)).body.feedback).toMatchObject({
      rating: 'down',
      reasons: ['incorrect', 'other'],
      text: 'مرحبا 🙃',
    })
    const [stored] = await list('?sessionId=f1')
    expect(stored).toMatchObject({
      sessionId: 'f1',
      messageId,
      rating: 'down',
      model: 'test/script',
      agent: 'master',
      runId: expect.stringMatching(/^run_/) as string,
      userMessageId: (await server.messages('f1'))[0]!.id,
    })
    expect((await server.messages('f1')).at(-1)?.metadata?.feedback?.rating).toBe('down')
    // An old chat stays where it is in the list.
    expect(await updated()).toBe(before)
    expect((await server.json(at('f1', messageId), { method: 'DELETE' })).status).toBe(200)
    expect((await server.json(at('f1', messageId), { method: 'DELETE' })).status).toBe(200)
    expect(await list('?sessionId=f1')).toEqual([])
  })

  it('is never sent to a model', async () => {
    const messageId = await answer('f2')
    await rate('f2', messageId, { rating: 'down', reasons: ['too-long'], text: 'a very private remark' })
    await server.chat('f2', 'again')
    expect(JSON.stringify(server.model.calls.at(-1))).not.toMatch(/private remark|too-long|feedback/)
  })

  it('is refused for user messages, unknown messages, wrong reasons and answers still being written', async () => {
    const messageId = await answer('f3')
    const [question] = await server.messages('f3')
    expect(await rate('f3', question!.id, { rating: 'up' })).toMatchObject({ status: 404 })
    expect(await rate('f3', 'nobody', { rating: 'up' })).toMatchObject({ status: 404 })
    expect(await rate('nobody', messageId, { rating: 'up' })).toMatchObject({ status: 404 })
    expect(await rate('f3', messageId, { rating: 'up', reasons: ['incorrect'] })).toMatchObject({ status: 400 })
    expect(await rate('f3', messageId, { rating: 'maybe' })).toMatchObject({ status: 400 })
    server.script('slow', [[{ text: 'half' }, { gate: 'never' }]])
    const running = server.chat('f3', 'slow')
    await server.model.reached('never')
    const { body } = await server.json<{ session: { run: { messageId: string } } }>('/ai/sessions/f3')
    expect(await rate('f3', body.session.run.messageId, { rating: 'up' })).toMatchObject({ status: 409 })
    await server.json('/ai/chat/f3/stop', { method: 'POST' })
    await running
  })

  it('is listed page by page and by rating, newest answer first', async () => {
    for (let i = 0; i < 5; i++)
      await rate('f4', await answer('f4', `message ${i}`), { rating: i % 2 === 0 ? 'up' : 'down' })
    const seen: string[] = []
    let cursor = ''
    do {
      const { body } = await server.json<{ feedback: ListedFeedback[]; nextCursor: string | null }>(
        `/ai/feedback?sessionId=f4&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`,
      )
      seen.push(...body.feedback.map(({ messageId }) => messageId))
      cursor = body.nextCursor ?? ''
    } while (cursor !== '')
    const answers = (await server.messages('f4')).filter(({ role }) => role === 'assistant').map(({ id }) => id)
    expect(seen).toEqual(answers.toReversed())
    expect((await list('?sessionId=f4&rating=down')).map(({ rating }) => rating)).toEqual(['down', 'down'])
  })

  it('survives a restart and an export and import; a fork has none', async () => {
    const home = mkdtempSync(path.join(tmpdir(), 'troupe-feedback-'))
    const workspace = path.join(home, 'workspace')
    const first = await testServer({ home, workspace })
    await first.chat('s', 'hello')
    const messageId = (await first.messages('s')).at(-1)!.id
    const target = `/ai/sessions/s/messages/${messageId}/feedback`
    await first.json(target, { method: 'PUT', body: { rating: 'up', reasons: ['clear'] } })
    const exported = await (await first.request('/ai/sessions/s/export?format=json')).text()
    const forked = await first.json<{ session: { id: string } }>('/ai/sessions/s/fork', { body: { messageId } })
    expect((await first.messages(forked.body.session.id)).at(-1)?.metadata?.feedback).toBeUndefined()
    await first.close()
    const again = await testServer({ home, workspace })
    const { body } = await again.json<{ feedback: ListedFeedback[] }>('/ai/feedback')
    expect(body.feedback.map((one) => one.messageId)).toEqual([messageId])
    await again.json('/ai/sessions/s', { method: 'DELETE' })
    const headers = { 'content-type': 'application/octet-stream' }
    await (await again.request('/ai/sessions/import', { body: Buffer.from(exported), headers })).text()
    expect((await again.messages('s')).at(-1)?.metadata?.feedback).toMatchObject({ rating: 'up', reasons: ['clear'] })
    await again.close()
    rmSync(home, { recursive: true, force: true })
  })
})
