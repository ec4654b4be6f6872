import { type Message, readEvents } from '@troupe/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readChat, shown, testServer, type TestServer, userMessage } from '../testing/test-server.ts'

let server: TestServer
const question = `import { defineTool } from '@troupe/core'
import { z } from 'zod'
export default defineTool({
  description: 'Asks.', input: z.object({}), readOnly: true, group: 'test',
  async *execute(_, ctx) {
    yield 'asking'
    const answer = await ctx.ask({ kind: 'question', title: 'Which?', content: { options: ['a', 'b'] } })
    yield 'asked'
    return answer
  },
})`

beforeAll(async () => {
  server = await testServer({ tools: { question } })
  server.script('ask', [
    [{ text: 'May I?' }, { call: { name: 'TestApproval', input: { message: 'Go?' }, id: 'c1' } }],
    [{ text: 'Done.' }],
  ])
})
afterAll(() => server.close())

const stored = async (sessionId: string): Promise<Message> => shown((await server.messages(sessionId)).at(-1)!)

describe('POST /ai/asks/:id', () => {
  it('answers once: 409 if closed, 422 for an invalid answer, 404 for an unknown id', async () => {
    await server.chat('asks', 'ask')
    const [ask] = (await server.json<{ asks: { id: string }[] }>('/ai/asks?sessionId=asks')).body.asks
    const target = `/ai/asks/${ask!.id}`
    expect(await server.json(target, { body: { answer: { type: 'plan', choice: 'edit' } } })).toMatchObject({
      status: 422,
      body: { error: { name: 'WrongAnswer' } },
    })
    expect(await server.json(target, { body: { answer: { type: 'maybe' } } })).toMatchObject({ status: 400 })
    const ended = server.runs.get('asks')!.done
    expect(await server.json(target, { body: { answer: { type: 'approve', data: { seats: 2 } } } })).toMatchObject({
      status: 200,
      body: { ask: { id: ask!.id, answer: { type: 'approve' } } },
    })
    expect(await server.json(target, { body: { answer: { type: 'deny' } } })).toMatchObject({
      status: 409,
      body: { error: { name: 'AskClosed' } },
    })
    expect(await server.json('/ai/asks/nobody', { body: { answer: { type: 'deny' } } })).toMatchObject({
      status: 404,
      body: { error: { name: 'AskNotFound' } },
    })
    await ended
    expect((await stored('asks')).parts.find((part) => 'output' in part)).toMatchObject({
      output: { data: { seats: 2 } },
    })
  })

  it('is accepted as soon as the stream has shown its id, registered or not', async () => {
    for (let i = 0; i < 20; i++) {
      const sessionId = `quick${i}`
      const body = { sessionId, message: userMessage('ask') }
      const response = await server.request('/ai/chat?hold=1', { body })
      const statuses: Promise<number>[] = []
      for await (const { chunk } of readEvents(response.body as ReadableStream<Uint8Array>)) {
        if (chunk.type !== 'tool-approval-request') continue
        const answered = server.json(`/ai/asks/${chunk.approvalId}`, { body: { answer: { type: 'approve' } } })
        statuses.push(answered.then(({ status }) => status))
      }
      expect(await Promise.all(statuses)).toEqual([200])
    }
  })

  it('an edited input runs instead of the model’s, which is kept', async () => {
    await server.chat('edited', 'ask')
    const [ask] = (await server.json<{ asks: { id: string }[] }>('/ai/asks?sessionId=edited')).body.asks
    const ended = server.runs.get('edited')!.done
    await server.json(`/ai/asks/${ask!.id}`, { body: { answer: { type: 'approve', input: { message: 'Edited' } } } })
    await ended
    const part = (await stored('edited')).parts.find((candidate) => 'output' in candidate)
    expect(part).toMatchObject({
      input: { message: 'Go?' },
      output: { message: 'Edited' },
      toolMetadata: { troupe: { executedInput: { message: 'Edited' } } },
    })
  })
})

describe('a question of a tool', () => {
  it('is shown with its content, answered in its own way, and stored with its answer; progress is not', async () => {
    server.script('question', [[{ call: { name: 'Question', input: {} } }], [{ text: 'Thanks.' }]])
    const waiting = await server.chat('question', 'question')
    expect(waiting.types).toContain('data-ask')
    expect(waiting.types).not.toContain('finish')
    const [ask] = (
      await server.json<{ asks: { id: string; kind: string; title: string; content: object }[] }>(
        '/ai/asks?sessionId=question',
      )
    ).body.asks
    expect(ask).toMatchObject({ kind: 'question', title: 'Which?', content: { options: ['a', 'b'] } })
    const target = `/ai/asks/${ask!.id}`
    expect((await server.json(target, { body: { answer: { type: 'approve' } } })).status).toBe(422)
    const followed = await server.request('/ai/chat/question/stream')
    expect((await server.json(target, { body: { answer: { type: 'answers', answers: { which: 'b' } } } })).status).toBe(
      200,
    )
    const whole = await readChat(followed)
    expect(
      whole.events.flatMap(({ chunk }) => (chunk.type === 'data-tool-progress' ? [chunk.data] : [])),
    ).toMatchObject([{ delta: 'asking' }, { delta: 'asked' }])
    expect(whole.message).toEqual(await stored('question'))
    expect(whole.message.parts.map(({ type }) => type)).toEqual([
      'step-start',
      'tool-Question',
      'data-ask',
      'data-ask-answer',
      'step-start',
      'text',
    ])
  })

  it('is denied automatically if nobody can answer, and so are approvals; the run continues', async () => {
    const asking = await server.chat('headless', 'ask', { headless: true })
    expect(asking.types.at(-1)).toBe('finish')
    expect(asking.message.parts).toContainEqual(
      expect.objectContaining({
        state: 'output-denied',
        approval: expect.objectContaining({
          approved: false,
          reason: expect.stringContaining('Nobody is available') as string,
        }) as object,
      }),
    )
    expect(asking.message.parts.at(-1)).toMatchObject({ text: 'Done.' })
    const questioned = await server.chat('headless', 'question', { headless: true })
    expect(questioned.message.parts).toContainEqual(
      expect.objectContaining({ type: 'tool-Question', state: 'output-error' }),
    )
    expect(questioned.types.at(-1)).toBe('finish')
  })
})
