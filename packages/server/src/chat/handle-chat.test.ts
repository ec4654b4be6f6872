import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readChat, shown, testServer, type TestServer, userMessage } from '../testing/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await testServer()
})
afterAll(() => server.close())

const texts = (messages: readonly { parts: readonly object[] }[]) =>
  messages.map(({ parts }) => parts.flatMap((part) => ('text' in part ? [part.text] : [])).join(''))

describe('a new message', () => {
  it('creates the session, is stored, and its answer equals the folded stream', async () => {
    const answer = await server.chat('new', userMessage('hello there', 'first'))
    expect(answer.status).toBe(200)
    expect(answer.types.at(-1)).toBe('finish')
    const [question, stored] = await server.messages('new')
    expect(question).toMatchObject({
      id: 'first',
      role: 'user',
      parentMessageId: null,
      parts: [{ type: 'text', text: 'hello there' }],
    })
    expect(stored).toMatchObject({ parentMessageId: 'first', role: 'assistant' })
    expect(shown(stored!)).toEqual(answer.message)
    const { body } = await server.json<{ session: object }>('/ai/sessions/new')
    expect(body.session).toMatchObject({
      id: 'new',
      title: 'hello there',
      model: 'test/script',
      messageCount: 2,
      run: null,
    })
  })

  it('is rejected without an id, and nothing is stored', async () => {
    const before = server.written()
    const { status, error } = await server.chat('noid', { role: 'user', parts: [{ type: 'text', text: 'x' }] })
    expect([status, error?.name]).toEqual([400, 'BadRequest'])
    expect(error?.message).toContain('message.id')
    const missing = await server.json('/ai/chat', { body: { message: userMessage('x') } })
    expect(missing).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('sessionId') as string } },
    })
    expect(server.written()).toEqual(before)
  })

  it('can have its session as `id` and itself as the last of `messages`', async () => {
    const answer = await readChat(
      await server.request('/ai/chat', { body: { id: 'sdk', messages: [userMessage('one', 'm1')] } }),
    )
    expect(texts([answer.message])).toEqual(['You said: one'])
    expect((await server.messages('sdk'))[0]?.id).toBe('m1')
  })

  it('is a child of the named parent, a null parent, the previous message, or the current leaf, in this order', async () => {
    const id = 'parents'
    const first = await server.chat(id, userMessage('1', 'p1'))
    await server.chat(id, userMessage('2', 'p2'))
    await server.chat(id, userMessage('named', 'p3'), {
      parentMessageId: first.message.id,
      messages: [userMessage('x', 'p2'), userMessage('named', 'p3')],
    })
    await server.chat(id, userMessage('root', 'p4'), { parentMessageId: null })
    const before = { id: first.message.id, role: 'assistant', parts: [] }
    await readChat(
      await server.request('/ai/chat', { body: { id, messages: [before, userMessage('after it', 'p5')] } }),
    )
    const newest = (await server.chat(id, userMessage('leaf', 'p6'))).message.id
    await readChat(
      await server.request('/ai/chat', {
        body: { id, messages: [userMessage('x', 'stranger'), userMessage('unknown before', 'p7')] },
      }),
    )
    const parents = await Promise.all(
      ['p1', 'p2', 'p3', 'p4', 'p5', 'p7'].map((message) => server.store.messages.get({ sessionId: id }, message)),
    )
    expect(parents.map((message) => message?.parentMessageId)).toEqual([
      null,
      first.message.id,
      first.message.id,
      null,
      first.message.id,
      newest,
    ])
  })

  it('with a parent from another session is rejected, and nothing is stored, not even a session', async () => {
    await server.chat('has-one', userMessage('x', 'elsewhere'))
    const before = server.written()
    for (const sessionId of ['has-one', 'fresh-one']) {
      const { status, error } = await server.chat(sessionId, userMessage('x', 'orphan'), { parentMessageId: 'nowhere' })
      expect([status, error?.name]).toEqual([404, 'MessageNotFound'])
    }
    expect((await server.chat('fresh-two', userMessage('x'), { parentMessageId: 'elsewhere' })).error?.name).toBe(
      'MessageNotFound',
    )
    expect(server.written()).toEqual(before)
  })

  it('for an unknown model is rejected by name before anything is stored, including attachments', async () => {
    const before = server.written()
    const message = {
      ...userMessage('see'),
      parts: [{ type: 'file', mediaType: 'text/plain', url: 'data:text/plain,unseen' }],
    }
    for (const [model, name] of [
      ['nowhere/at-all', 'ProviderNotFound'],
      ['demo/none', 'ModelNotFound'],
      ['openai/gpt-5', 'ProviderNotConfigured'],
    ]) {
      const { status, error } = await server.chat('modelless', message, { model })
      expect(error?.name).toBe(name)
      expect(status).toBeGreaterThanOrEqual(400)
      expect(status).toBeLessThan(500)
    }
    expect(server.written()).toEqual(before)
  })

  it('accepts `chatModelId` as `model`, and the session remembers it', async () => {
    const { message } = await server.chat('old-spelling', 'hello', { chatModelId: 'demo/tour' })
    expect(message.metadata?.model).toBe('demo/tour')
    const next = await server.chat('old-spelling', 'hello again')
    expect(next.message.metadata?.model).toBe('demo/tour')
  })

  it('gets 409 SessionBusy with the run while another is answered', async () => {
    server.script('busy', [[{ text: 'a' }, { gate: 'busy' }, { text: 'b' }]])
    const running = server.chat('busy', 'busy')
    await server.model.reached('busy')
    const run = server.runs.get('busy')
    const before = server.written()
    expect(await server.chat('busy', 'another')).toMatchObject({
      status: 409,
      error: { name: 'SessionBusy', data: { runId: run?.id } },
    })
    expect(await server.chat('busy', userMessage('edited', run?.userMessageId))).toMatchObject({
      status: 409,
      error: { name: 'SessionBusy' },
    })
    expect(await server.json('/ai/chat', { body: { id: 'busy', trigger: 'regenerate-message' } })).toMatchObject({
      status: 409,
    })
    expect(server.written()['table message']).toBe(before['table message'])
    server.model.open('busy')
    expect(texts([(await running).message])).toEqual(['ab'])
    expect((await server.chat('busy', 'another')).status).toBe(200)
  })

  it('is stored once, even if several clients send it at the same time', async () => {
    const message = userMessage('all at once', 'burst')
    const answers = await Promise.all(Array.from({ length: 8 }, () => server.chat('burst', message)))
    expect(new Set(answers.map((answer) => JSON.stringify(answer.message))).size).toBe(1)
    expect(await server.messages('burst')).toHaveLength(2)
    const others = await Promise.all(
      Array.from({ length: 8 }, (_, i) => server.chat('burst2', userMessage(`other ${i}`, `b${i}`))),
    )
    expect(others.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(1)
    const refused = others.filter(({ status }) => status !== 200)
    expect(refused.map(({ status, error }) => [status, error?.name, typeof error?.data['runId']])).toEqual(
      refused.map(() => [409, 'SessionBusy', 'string']),
    )
    const { body } = await server.json<{ session: { messageCount: number } }>('/ai/sessions/burst2')
    expect(body.session.messageCount).toBe(2 * others.filter(({ status }) => status === 200).length)
  })

  it('can follow as soon as a stream has ended: the run is closed then', async () => {
    for (let i = 0; i < 15; i++) {
      expect((await server.chat('at-once', `turn ${i}`)).status).toBe(200)
      expect((await server.request('/ai/chat/at-once/stream')).status).toBe(204)
    }
    expect(await server.messages('at-once')).toHaveLength(30)
  })
})

describe('an existing message', () => {
  it('joins its running run, and gets all of it', async () => {
    server.script('join me', [[{ text: 'one two', chunks: 3 }, { gate: 'join' }, { text: ' three' }]])
    const message = userMessage('join me', 'joined')
    const first = server.chat('join', message)
    await server.model.reached('join')
    const second = server.chat('join', message)
    server.model.open('join')
    const [a, b] = await Promise.all([first, second])
    expect(b.message).toEqual(a.message)
    expect(await server.messages('join')).toHaveLength(2)
  })

  it('gets its answer again, byte for byte, after it has ended', async () => {
    server.script('again', [
      [
        { reasoning: 'hm' },
        { text: 'looking', chunks: 3 },
        { call: { name: 'TimeNow', input: {}, chunks: 2 } },
        { call: { name: 'Nope', input: {} } },
      ],
      [{ text: 'Ünï©ode 👩‍👩‍👧', chunks: 9 }],
    ])
    const message = userMessage('again', 'again1')
    const first = await server.chat('again', message)
    const calls = server.model.calls.length
    const second = await server.chat('again', message)
    expect(JSON.stringify(second.message)).toBe(JSON.stringify(first.message))
    expect(second.types.at(-1)).toBe('finish')
    expect(second.events.at(-1)?.number).toBe(first.events.at(-1)?.number)
    expect(server.model.calls).toHaveLength(calls)
    const { body } = await server.json<{ message: object }>('/ai/chat', {
      body: { sessionId: 'again', message, responseMode: 'json' },
    })
    expect(body.message).toEqual((await server.messages('again'))[1])
  })

  it('replays an answer without a log from the message itself, as in an imported session', async () => {
    await server.json('/ai/sessions', { body: { id: 'imported' } })
    const at = { sessionId: 'imported' }
    await server.store.messages.add(at, { ...userMessage('old', 'o1'), parentMessageId: null, createdAt: 1 })
    const parts = [
      { type: 'step-start' as const },
      { type: 'reasoning' as const, id: 'r', text: 'hm', state: 'done' as const },
      { type: 'text' as const, text: 'imported', state: 'done' as const },
    ]
    const answer = {
      id: 'o2',
      role: 'assistant' as const,
      parts,
      metadata: { model: 'x/y' },
      parentMessageId: 'o1',
      createdAt: 2,
    }
    await server.store.messages.add(at, answer)
    const { message, types } = await server.chat('imported', userMessage('old', 'o1'))
    expect(message).toEqual(shown(answer))
    expect(types.at(-1)).toBe('finish')
  })

  it('starts a run that never started, as after a crash between storing and running', async () => {
    await server.json('/ai/sessions', { body: { id: 'unanswered' } })
    await server.store.messages.add(
      { sessionId: 'unanswered' },
      { ...userMessage('stored only', 'lonely'), parentMessageId: null, createdAt: 1 },
    )
    expect(texts([(await server.chat('unanswered', userMessage('stored only', 'lonely'))).message])).toEqual([
      'You said: stored only',
    ])
    expect(await server.messages('unanswered')).toHaveLength(2)
  })

  it('is kept without a run if none can start, and can be sent again', async () => {
    const message = userMessage('try', 'no-agent')
    const { status, error } = await server.chat('kept', message, { agent: 'nobody' })
    expect([status, error?.name]).toEqual([404, 'AgentNotFound'])
    expect((await server.store.messages.page({ sessionId: 'kept' })).messages).toHaveLength(1)
    expect(await server.store.runs.unfinished()).toEqual([])
    await server.store.sessions.update('kept', { agent: 'master' })
    expect(texts([(await server.chat('kept', message)).message])).toEqual(['You said: try'])
  })

  it('with changed parts is an edit: a new sibling with a new id, reported by data-branch', async () => {
    await server.chat('edit', userMessage('before', 'e0'))
    const original = await server.chat('edit', userMessage('original', 'e1'))
    const edited = await server.chat('edit', userMessage('changed', 'e1'))
    const branch = edited.message.parts.find((part) => part.type === 'data-branch') as { data: { messageId: string } }
    const { messageId } = branch.data
    expect(branch.data).toEqual({ messageId, replaces: 'e1' })
    expect(messageId).not.toBe('e1')
    const shownNow = await server.messages('edit')
    expect(texts(shownNow)).toEqual(['before', 'You said: before', 'changed', 'You said: changed'])
    expect(shownNow[2]?.id).toBe(messageId)
    const { body } = await server.json<{ siblings: object }>('/ai/sessions/edit/messages')
    expect(body.siblings).toMatchObject({ [messageId]: { index: 2, total: 2, prev: 'e1', next: null } })
    const old = await server.json<{ messages: { id: string }[] }>('/ai/sessions/edit/messages?leaf=e1')
    expect(old.body.messages.at(-1)?.id).toBe(original.message.id)
    // Sending the edit again is a retry, not a third branch.
    const again = await server.chat('edit', userMessage('changed', 'e1'))
    expect(again.message).toEqual(edited.message)
    expect((await server.json<{ siblings: object }>('/ai/sessions/edit/messages')).body.siblings).toMatchObject({
      [messageId]: { total: 2 },
    })
  })

  it('belongs to an answer: refused', async () => {
    const { message } = await server.chat('not-yours', 'x')
    expect(await server.chat('not-yours', userMessage('x', message.id))).toMatchObject({
      status: 400,
      error: { name: 'BadRequest' },
    })
  })
})

describe('regenerate-message', () => {
  const regenerate = async (sessionId: string, more: object = {}) =>
    readChat(await server.request('/ai/chat', { body: { id: sessionId, trigger: 'regenerate-message', ...more } }))

  it('generates a new answer by the id of the answer, of the question, or the last one', async () => {
    const first = await server.chat('regen', userMessage('one', 'r1'))
    const last = await server.chat('regen', userMessage('two', 'r2'))
    const ofAnswer = await regenerate('regen', { messageId: first.message.id })
    const ofQuestion = await regenerate('regen', { messageId: 'r1' })
    expect(texts([ofAnswer.message, ofQuestion.message])).toEqual(['You said: one', 'You said: one'])
    const { body } = await server.json<{ siblings: object }>(
      `/ai/sessions/regen/messages?leaf=${ofQuestion.message.id}`,
    )
    expect(body.siblings).toMatchObject({ [ofQuestion.message.id]: { index: 3, total: 3, prev: ofAnswer.message.id } })
    expect(texts([(await regenerate('regen')).message])).toEqual(['You said: one'])
    expect(texts([(await regenerate('regen', { messages: [userMessage('two', 'r2')] })).message])).toEqual([
      'You said: two',
    ])
    expect((await server.store.messages.get({ sessionId: 'regen' }, last.message.id))?.parentMessageId).toBe('r2')
  })

  it('after an edit answers the edit, though the copy of the client still has the old id', async () => {
    await server.chat('regen-edit', userMessage('was', 'x1'))
    await server.chat('regen-edit', userMessage('is', 'x1'))
    const copy = { messages: [userMessage('is', 'x1')] }
    expect(texts([(await regenerate('regen-edit', copy)).message])).toEqual(['You said: is'])
    expect(texts([(await regenerate('regen-edit', { ...copy, messageId: 'x1' })).message])).toEqual(['You said: is'])
    expect(texts([(await regenerate('regen-edit', { messageId: 'x1' })).message])).toEqual(['You said: was'])
  })

  it('of an unknown message or session is 404, and nothing is stored', async () => {
    await server.chat('regen404', 'x')
    const before = server.written()
    expect(await regenerate('regen404', { messageId: 'nowhere' })).toMatchObject({
      status: 404,
      error: { name: 'MessageNotFound' },
    })
    expect(await regenerate('regen405')).toMatchObject({ status: 404, error: { name: 'SessionNotFound' } })
    expect(server.written()).toEqual(before)
  })
})

describe('responseMode json', () => {
  it('returns the stored message at the end', async () => {
    const { body } = await server.json<{ message: object; waiting: boolean }>('/ai/chat', {
      body: { sessionId: 'json', message: userMessage('as json'), responseMode: 'json' },
    })
    const [, stored] = await server.messages('json')
    expect(body).toEqual({ sessionId: 'json', message: stored, waiting: false })
  })

  it('returns the message so far when it waits for a person', async () => {
    server.script('json approval', [
      [{ text: 'May I?' }, { call: { name: 'TestApproval', input: {} } }],
      [{ text: 'Thanks.' }],
    ])
    const first = await server.json<{ message: { id: string; parts: { state?: string }[] }; waiting: boolean }>(
      '/ai/chat',
      {
        body: { sessionId: 'json2', message: userMessage('json approval'), responseMode: 'json' },
      },
    )
    expect(first.body.waiting).toBe(true)
    const part = first.body.message.parts.at(-1) as { state?: string; approval?: { id: string } }
    expect(part.state).toBe('approval-requested')
    const answered = {
      ...first.body.message,
      parts: first.body.message.parts.with(-1, {
        ...part,
        state: 'approval-responded',
        approval: { ...part.approval, approved: true },
      } as never),
    }
    const second = await server.json<{ message: object; waiting: boolean }>('/ai/chat', {
      body: { id: 'json2', messages: [answered], responseMode: 'json' },
    })
    expect(second.body.waiting).toBe(false)
    expect(second.body.message).toEqual((await server.messages('json2'))[1])
  })
})
