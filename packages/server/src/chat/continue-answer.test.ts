import type { Message, Part } from '@troupe/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Chat, readChat, shown, testServer, type TestServer, userMessage } from '../testing/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await testServer()
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

/** Builds an SDK client's copy of the answer with its approvals answered. */
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
  it('ends the POST without `finish`, is stored in its current state, and is in the list of asks', async () => {
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

  it('continues when the POST has the answer, and the rest fits the client’s copy', async () => {
    const waiting = await server.chat('approve', 'ask')
    const copy = answered(waiting.message, true)
    const tail = await post('approve', [userMessage('ask', 'whatever'), copy])
    expect(tail.types[0]).toBe('tool-approval-response')
    expect(tail.types.at(-1)).toBe('finish')
    expect(await joined(copy, tail)).toEqual(await stored('approve'))
    expect((await server.json<{ asks: [] }>('/ai/asks?sessionId=approve')).body.asks).toEqual([])
  })

  it('ends the turn after a denial without a reason, and continues after one with a reason', async () => {
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

  it('stays open with ?hold=1 and in the GET stream', async () => {
    const held = await server.request('/ai/chat?hold=1', { body: { sessionId: 'hold', message: userMessage('ask') } })
    const run = server.runs.get('hold')!
    await run.settled()
    const followed = await server.request('/ai/chat/hold/stream')
    const [ask] = (await server.json<{ asks: { id: string }[] }>('/ai/asks?sessionId=hold')).body.asks
    expect((await server.json('/ai/asks/' + ask!.id, { body: { answer: { type: 'approve' } } })).status).toBe(200)
    const [a, b] = await Promise.all([readChat(held), readChat(followed)])
    expect(a.types.at(-1)).toBe('finish')
    expect(b.message).toEqual(a.message)
    expect(a.message).toEqual(await stored('hold'))
  })

  it('does not end the POST while the model is still writing', async () => {
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

  it('with two asks accepts both answers in one POST', async () => {
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

  it('is never 409 for the answers of a second tab, even if the first was faster', async () => {
    const first = await server.chat('tabs', 'ask twice')
    const stale = answered(first.message, true)
    await post('tabs', [stale])
    // The run continued and waits again. The stale tab gets the events it missed.
    const late = await joined(stale, await post('tabs', [stale]))
    expect(late).toEqual(await stored('tabs'))
    await post('tabs', [answered(late, true)])
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

  it('an answer without a waiting run is rejected, and nothing is stored', async () => {
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
