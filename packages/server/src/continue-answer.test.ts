import type { Message, Part } from '@troupe/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readChat, shown, testServer, userMessage, type Chat, type TestServer } from '../test/test-server.ts'

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
  server.script('ask two', [
    [
      { call: { name: 'TestApproval', input: { message: 'A' }, id: 'a' } },
      { call: { name: 'TestApproval', input: { message: 'B' }, id: 'b' } },
    ],
    [{ text: 'Both.' }],
  ])
  server.script('ask twice', [
    [{ call: { name: 'TestApproval', input: { message: 'A' }, id: 'a' } }],
    [{ text: 'Once more.' }, { call: { name: 'TestApproval', input: { message: 'B' }, id: 'b' } }],
    [{ text: 'Twice.' }],
  ])
})
afterAll(() => server.close())

interface Asked {
  state: string
  approval: { id: string; approved?: boolean; reason?: string }
}

const askedParts = (message: Message): (Part & Asked)[] =>
  message.parts.filter((part): part is Part & Asked => 'approval' in part && part.state === 'approval-requested')

/** What a client of the SDK sends: its copy of the answer with its approvals answered. */
function answered(message: Message, approved: boolean, reason?: string): Message {
  const parts = message.parts.map((part) => {
    if (!('approval' in part) || part.state !== 'approval-requested') return part
    return {
      ...part,
      state: 'approval-responded',
      approval: { ...part.approval, approved, ...(reason !== undefined && { reason }) },
    }
  })
  return { ...message, parts: parts as Part[] }
}

const post = async (id: string, messages: unknown[], query = ''): Promise<Chat> =>
  readChat(await server.request(`/ai/chat${query}`, { body: { id, messages } }))

/** The client's message after the tail that the second POST sent. */
async function joined(copy: Message, tail: Chat): Promise<Message> {
  const { createFold } = await import('@troupe/core')
  const fold = createFold(copy)
  for (const { chunk } of tail.events) fold.push(chunk)
  return fold.snapshot()
}

async function untilAsked(sessionId: string): Promise<void> {
  while ((await server.json<{ asks: [] }>(`/ai/asks?sessionId=${sessionId}`)).body.asks.length === 0)
    await new Promise((resolve) => setImmediate(resolve))
}

const stored = async (sessionId: string): Promise<Message> => shown((await server.messages(sessionId)).at(-1)!)

describe('a run that waits for a person', () => {
  it('ends the POST without `finish`, is stored as it stands, and shows in the list of asks', async () => {
    const waiting = await server.chat('wait', 'ask')
    expect(waiting.types).toContain('tool-approval-request')
    expect(waiting.types).not.toContain('finish')
    const [part] = askedParts(waiting.message)
    expect(await stored('wait')).toEqual(waiting.message)
    const { body } = await server.json<{ asks: object[] }>('/ai/asks?sessionId=wait')
    expect(body.asks).toMatchObject([
      {
        id: part!.approval.id,
        kind: 'approval',
        sessionId: 'wait',
        toolName: 'TestApproval',
        title: 'Go?',
        input: { message: 'Go?' },
        agentPath: ['master'],
      },
    ])
    expect((await server.json<{ session: object }>('/ai/sessions/wait')).body.session).toMatchObject({
      run: { status: 'waiting', messageId: waiting.message.id },
    })
    expect(await server.chat('wait', 'something else')).toMatchObject({ status: 409, error: { name: 'SessionBusy' } })
  })

  it('goes on when the POST brings the answer, and what follows fits the copy of the client', async () => {
    const waiting = await server.chat('approve', 'ask')
    const copy = answered(waiting.message, true)
    const tail = await post('approve', [userMessage('ask', 'whatever'), copy])
    expect(tail.types[0]).toBe('tool-approval-response')
    expect(tail.types.at(-1)).toBe('finish')
    expect(await joined(copy, tail)).toEqual(await stored('approve'))
    expect((await server.json<{ asks: [] }>('/ai/asks?sessionId=approve')).body.asks).toEqual([])
  })

  it('refused without a reason ends the turn, with one goes on', async () => {
    const first = await server.chat('deny', 'ask')
    const ended = await post('deny', [answered(first.message, false)])
    const message = await joined(answered(first.message, false), ended)
    expect(message.parts.at(-1)).toMatchObject({ state: 'output-denied', approval: { approved: false } })
    expect(message.metadata?.stopped).toMatchObject({ reason: 'denied' })
    expect(message).toEqual(await stored('deny'))
    const second = await server.chat('deny2', 'ask')
    const copy = answered(second.message, false, 'not today')
    const goesOn = await joined(copy, await post('deny2', [copy]))
    expect(goesOn.parts.at(-1)).toMatchObject({ type: 'text', text: 'Done.' })
    expect(goesOn).toEqual(await stored('deny2'))
    const told = server.model.calls.at(-1)!.prompt.findLast(({ role }) => role === 'tool')
    expect(JSON.stringify(told)).toContain('not today')
  })

  it('is held open by ?hold=1 and by the GET stream', async () => {
    const held = await server.request('/ai/chat?hold=1', { body: { sessionId: 'hold', message: userMessage('ask') } })
    const run = server.live.get('hold')!
    await run.settled()
    const followed = await server.request('/ai/chat/hold/stream')
    const [ask] = (await server.json<{ asks: { id: string }[] }>('/ai/asks?sessionId=hold')).body.asks
    expect((await server.json('/ai/asks/' + ask!.id, { body: { answer: { type: 'approve' } } })).status).toBe(200)
    const [a, b] = await Promise.all([readChat(held), readChat(followed)])
    expect(a.types.at(-1)).toBe('finish')
    expect(b.message).toEqual(a.message)
    expect(a.message).toEqual(await stored('hold'))
  })

  it('does not end the POST while the model still speaks: nobody else is needed for that', async () => {
    server.script('ask early', [
      [{ call: { name: 'TestApproval', input: {}, id: 'e' } }, { gate: 'early' }, { text: 'and there is more' }],
      [{ text: 'End.' }],
    ])
    const response = await server.request('/ai/chat', {
      body: { sessionId: 'early', message: userMessage('ask early') },
    })
    await server.model.reached('early')
    await untilAsked('early')
    server.model.open('early')
    const { message } = await readChat(response)
    expect(message.parts.at(-1)).toMatchObject({ type: 'text', text: 'and there is more' })
    const copy = answered(message, true)
    expect(await joined(copy, await post('early', [copy]))).toEqual(await stored('early'))
  })

  it('with two asks takes both answers from one POST', async () => {
    const waiting = await server.chat('two', 'ask two')
    expect(askedParts(waiting.message)).toHaveLength(2)
    const copy = answered(waiting.message, true)
    const tail = await post('two', [copy])
    expect(tail.types.at(-1)).toBe('finish')
    expect(await joined(copy, tail)).toEqual(await stored('two'))
  })

  it('that asks again ends the second POST as well', async () => {
    const first = await server.chat('twice', 'ask twice')
    const copy = answered(first.message, true)
    const tail = await post('twice', [copy])
    expect(tail.types).toContain('tool-approval-request')
    expect(tail.types).not.toContain('finish')
    const second = await joined(copy, tail)
    expect(second).toEqual(await stored('twice'))
    const copy2 = answered(second, true)
    expect(await joined(copy2, await post('twice', [copy2]))).toEqual(await stored('twice'))
  })

  it('is never 409 for the answers of a second tab, also when the first was quicker', async () => {
    const first = await server.chat('tabs', 'ask twice')
    const stale = answered(first.message, true)
    await post('tabs', [stale])
    // The run has gone on and waits again: the stale tab gets what it has not seen.
    const late = await joined(stale, await post('tabs', [stale]))
    expect(late).toEqual(await stored('tabs'))
    await post('tabs', [answered(late, true)])
    // And now it has ended.
    const tail = await post('tabs', [stale])
    expect(tail.status).toBe(200)
    expect(await joined(stale, tail)).toEqual(await stored('tabs'))
    const { body } = await server.json<{ message: object }>('/ai/chat', {
      body: { id: 'tabs', messages: [stale], responseMode: 'json' },
    })
    expect(body.message).toEqual((await server.messages('tabs')).at(-1))
  })

  it('does not take answers to asks of another run', async () => {
    const mine = await server.chat('mine', 'ask')
    const other = await server.chat('other', 'ask')
    const forged = { ...mine.message, parts: answered(other.message, true).parts }
    expect(await post('mine', [forged])).toMatchObject({ status: 409, error: { name: 'NothingAnswered' } })
    expect((await server.json<{ asks: [] }>('/ai/asks?sessionId=other')).body.asks).toHaveLength(1)
  })

  it('an answer that no run waits for is told so, and nothing is written', async () => {
    const { message } = await server.chat('over', 'x')
    const before = server.written()
    expect(await post('over', [message])).toMatchObject({ status: 409, error: { name: 'NoWaitingRun' } })
    expect(await post('over', [{ ...message, id: 'unknown' }])).toMatchObject({
      status: 409,
      error: { name: 'NoWaitingRun' },
    })
    expect(await post('not-there', [message])).toMatchObject({ status: 404, error: { name: 'SessionNotFound' } })
    expect(server.written()).toEqual(before)
  })
})

describe('POST /ai/asks/:id', () => {
  it('answers once: 409 when closed, 422 for the wrong shape, 404 for the unknown', async () => {
    await server.chat('asks', 'ask')
    const [ask] = (await server.json<{ asks: { id: string }[] }>('/ai/asks?sessionId=asks')).body.asks
    const target = `/ai/asks/${ask!.id}`
    expect(await server.json(target, { body: { answer: { type: 'plan', choice: 'edit' } } })).toMatchObject({
      status: 422,
      body: { error: { name: 'WrongAnswer' } },
    })
    expect(await server.json(target, { body: { answer: { type: 'maybe' } } })).toMatchObject({ status: 400 })
    const ended = server.live.get('asks')!.done
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

  it('an edited input runs instead of the one of the model, which stays beside it', async () => {
    await server.chat('edited', 'ask')
    const [ask] = (await server.json<{ asks: { id: string }[] }>('/ai/asks?sessionId=edited')).body.asks
    const ended = server.live.get('edited')!.done
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

  it('is refused by itself where nobody is there, and so is what needs an approval; the run goes on', async () => {
    const asking = await server.chat('headless', 'ask', { headless: true })
    expect(asking.types.at(-1)).toBe('finish')
    expect(asking.message.parts).toContainEqual(
      expect.objectContaining({
        state: 'output-denied',
        approval: expect.objectContaining({
          approved: false,
          reason: expect.stringContaining('Nobody is here') as string,
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

describe('stop and steer', () => {
  it('stop ends a streaming run: what had come stays, the message says so, the next turn works', async () => {
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

  it('a steering message is in the answer and is told to the model at the next step', async () => {
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

  it('are 409 NoRun when idle and 404 for a session that is not there', async () => {
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
      const run = server.live.get('del')!
      expect((await server.json(target, { method: 'DELETE' })).status).toBe(200)
      expect(server.live.get('del')).toBeUndefined()
      await run.done
      await running
      expect(await server.store.messages.get({ sessionId: 'del' }, run.messageId)).toBeUndefined()
    }
  })
})
