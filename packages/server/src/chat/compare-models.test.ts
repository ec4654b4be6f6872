import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { scriptedModel, type ScriptTurn } from '@troupe/core/testing'
import { type Chunk, type Comparison, createFold, type Message, readEvents, type StoredMessage } from '@troupe/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import { testServer, type TestServer, userMessage } from '../testing/test-server.ts'

type Turns = ScriptTurn[]

const servers: TestServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

async function open(turns: Record<string, Turns>, options: Parameters<typeof testServer>[0] = {}) {
  const models = Object.fromEntries(
    Object.entries(turns).map(([id, script]) => {
      const [provider = '', modelId = ''] = id.split('/')
      return [id, scriptedModel(script, { provider, modelId })]
    }),
  )
  const server = await testServer({ ...options, models })
  servers.push(server)
  return { server, models, names: Object.keys(models) }
}

/** Folds each column of a merged stream. */
async function readColumns(response: Response) {
  const folds = new Map<string, ReturnType<typeof createFold>>()
  const numbers = new Map<string, number>()
  const comparisons: (Comparison & { messageId: string })[] = []
  let isFinished = false
  for await (const { chunk, number } of readEvents(response.body!)) {
    if (chunk.type === 'data-comparison') comparisons.push(chunk.data as never)
    if (chunk.type === 'finish') isFinished = true
    if (chunk.type !== 'data-column') continue
    const { messageId, chunk: inner } = chunk.data as { messageId: string; chunk: Chunk }
    if (inner.type === 'start' || !folds.has(messageId)) folds.set(messageId, createFold())
    folds.get(messageId)!.push(inner)
    if (number !== undefined) numbers.set(messageId, number)
  }
  const messages = new Map([...folds].map(([id, fold]) => [id, fold.snapshot() as Message]))
  return { messages, numbers, comparisons, isFinished }
}

const textOf = (message: Pick<Message, 'parts'> | undefined): string =>
  (message?.parts ?? []).flatMap((part) => (part.type === 'text' ? part.text : [])).join('')

function compare(server: TestServer, sessionId: string, text: string, models: string[], more = {}) {
  return server.request('/ai/chat?hold=1', { body: { sessionId, message: userMessage(text), models, ...more } })
}

async function question(server: TestServer, sessionId: string): Promise<StoredMessage> {
  return (await server.messages(sessionId)).findLast(({ role }) => role === 'user')!
}

async function answersOf(server: TestServer, sessionId: string): Promise<StoredMessage[]> {
  const { answers } = (await question(server, sessionId)).metadata!.comparison!
  return Promise.all(
    answers.map(async ({ messageId }) => {
      const { body } = await server.json<{ messages: StoredMessage[] }>(
        `/ai/sessions/${sessionId}/messages?leaf=${messageId}&limit=1`,
      )
      return body.messages[0]!
    }),
  )
}

describe('comparing models', () => {
  it('sends one message to all and streams every answer on one connection', async () => {
    const both = (text: string): Turns => [[{ text }], [{ text }]]
    const { server, names } = await open({ 'a/one': both('First.'), 'b/two': both('Second.') })
    const { messages, comparisons, isFinished } = await readColumns(await compare(server, 's', 'hi', names))
    expect(isFinished).toBe(true)
    expect(comparisons[0]?.answers.map(({ model }) => model)).toEqual(names)
    expect([...messages.values()].map(textOf).toSorted()).toEqual(['First.', 'Second.'])
    const stored = await answersOf(server, 's')
    expect(stored.map(textOf)).toEqual(['First.', 'Second.'])
    expect(stored.map(({ metadata }) => metadata?.model)).toEqual(names)
    expect(new Set(stored.map(({ parentMessageId }) => parentMessageId)).size).toBe(1)
    const { status, body } = await server.json<{ messages: Message[] }>('/ai/chat', {
      body: { sessionId: 'j', message: userMessage('hi'), models: names, responseMode: 'json' },
    })
    expect(status).toBe(200)
    expect(body.messages.map(textOf)).toEqual(['First.', 'Second.'])
  })

  it('goes on with the picked answer only: its branch, its model, its history', async () => {
    const { server, models, names } = await open({
      'a/one': [[{ text: 'First.' }], [{ text: 'Again.' }]],
      'b/two': [[{ text: 'Second.' }]],
    })
    await readColumns(await compare(server, 's', 'hi', names))
    const [first] = (await question(server, 's')).metadata!.comparison!.answers
    const picked = await server.json<Comparison>('/ai/sessions/s/pick', { body: { messageId: first!.messageId } })
    expect(picked).toMatchObject({ status: 200, body: { picked: first!.messageId } })
    // Also after a restart and without ?leaf, the picked branch is the current one.
    expect((await server.messages('s')).map(textOf)).toEqual(['hi', 'First.'])
    const { body } = await server.json<{ session: { model: string } }>('/ai/sessions/s')
    expect(body.session.model).toBe('a/one')
    await server.chat('s', 'more')
    const prompt = JSON.stringify(models['a/one']!.calls.at(-1)?.prompt)
    expect(prompt).toContain('First.')
    expect(prompt).not.toContain('Second.')
    expect(models['b/two']!.calls).toHaveLength(1)
    expect((await server.messages('s')).map(textOf)).toEqual(['hi', 'First.', 'more', 'Again.'])
    const tree = await server.json<{ messages: { text: string }[] }>('/ai/sessions/s/tree')
    expect(tree.body.messages.map(({ text }) => text)).toContain('Second.')
    expect(await server.json('/ai/sessions/s/pick', { body: { messageId: 'nobody' } })).toMatchObject({ status: 404 })
  })

  it('a message below an answer picks it', async () => {
    const { server, names } = await open({ 'a/one': [[{ text: 'A' }]], 'b/two': [[{ text: 'B' }], [{ text: 'C' }]] })
    await readColumns(await compare(server, 's', 'hi', names))
    const { answers } = (await question(server, 's')).metadata!.comparison!
    await server.chat('s', 'next', { parentMessageId: answers[1]!.messageId, model: 'b/two' })
    const [asked] = await server.messages('s')
    expect(asked?.metadata?.comparison?.picked).toBe(answers[1]!.messageId)
  })

  it('a message below an answer continues with its model and where its commands are', async () => {
    const cd: Turns = [[{ call: { name: 'Bash', input: { command: 'cd sub' } } }], [{ text: 'B' }]]
    const { server, models, names } = await open({
      'a/one': [[{ text: 'A' }]],
      'b/two': [...cd, [{ call: { name: 'Bash', input: { command: 'pwd' } } }], [{ text: 'C' }]],
    })
    mkdirSync(path.join(server.workspace.path, 'sub'))
    await readColumns(await compare(server, 's', 'hi', names))
    const { answers } = (await question(server, 's')).metadata!.comparison!
    await server.chat('s', 'where are we?', { parentMessageId: answers[1]!.messageId })
    expect(JSON.stringify(models['b/two']!.calls.at(-1)?.prompt.at(-1))).toContain('/sub')
    expect((await server.messages('s')).at(-1)?.metadata?.model).toBe('b/two')
    expect((await server.json('/ai/sessions/s')).body).toMatchObject({ session: { model: 'b/two' } })
  })

  it('a column is not answered again while the chat answers another message, and stays as it is', async () => {
    const { server, models, names } = await open({
      'a/one': [[{ text: 'A' }], [{ gate: 'open' }, { text: 'other' }]],
      'b/two': [[{ text: 'B' }]],
    })
    await readColumns(await compare(server, 's', 'hi', names))
    const before = (await question(server, 's')).metadata!.comparison!
    const other = server.chat('s', 'another branch', { parentMessageId: null, model: 'a/one' })
    await models['a/one']!.reached('open')
    const again = { sessionId: 's', trigger: 'regenerate-message', messageId: before.answers[1]!.messageId }
    expect(await server.json('/ai/chat', { body: again })).toMatchObject({
      status: 409,
      body: { error: { name: 'SessionBusy' } },
    })
    models['a/one']!.open('open')
    await other
    const { body } = await server.json<{ messages: StoredMessage[] }>(
      `/ai/sessions/s/messages?leaf=${before.answers[1]!.messageId}`,
    )
    expect(body.messages.map(textOf)).toEqual(['hi', 'B'])
    expect(body.messages[0]?.metadata?.comparison).toEqual(before)
  })

  it('two of four fail: the others finish, and a retry takes the place of the failed one', async () => {
    const failing: Turns = [[{ error: { message: 'broken', statusCode: 400 } }], [{ text: 'Now.' }]]
    const { server, names } = await open({
      'a/one': [[{ text: 'A' }]],
      'b/two': failing,
      'c/three': [[{ text: 'C' }]],
      'd/four': [[{ error: { message: 'also broken', statusCode: 400 } }]],
    })
    const { isFinished } = await readColumns(await compare(server, 's', 'hi', names))
    expect(isFinished).toBe(true)
    const stored = await answersOf(server, 's')
    expect(stored.map(({ metadata }) => metadata?.error !== undefined)).toEqual([false, true, false, true])
    const retried = await server.request('/ai/chat?hold=1', {
      body: { sessionId: 's', trigger: 'regenerate-message', messageId: stored[1]!.id },
    })
    expect(retried.status).toBe(200)
    await readColumns(retried)
    const now = await answersOf(server, 's')
    expect(textOf(now[1])).toBe('Now.')
    expect(now[1]?.metadata?.model).toBe('b/two')
    expect(now[1]?.id).not.toBe(stored[1]?.id)
    expect(now.map(({ id }) => id).toSpliced(1, 1)).toEqual(stored.map(({ id }) => id).toSpliced(1, 1))
  })

  it('stops one column; the others go on, and a new message is refused meanwhile', async () => {
    const { server, models, names } = await open({
      'a/one': [[{ text: 'half' }, { gate: 'never' }]],
      'b/two': [[{ gate: 'go' }, { text: 'whole' }]],
    })
    const reading = readColumns(await compare(server, 's', 'hi', names))
    await Promise.all([models['a/one']!.reached('never'), models['b/two']!.reached('go')])
    expect((await server.chat('s', 'another')).status).toBe(409)
    const { answers } = (await question(server, 's')).metadata!.comparison!
    const stop = `/ai/chat/s/stop?messageId=${answers[0]!.messageId}`
    expect((await server.json(stop, { method: 'POST' })).status).toBe(200)
    expect((await server.json(stop, { method: 'POST' })).status).toBe(409)
    models['b/two']!.open('go')
    expect((await reading).isFinished).toBe(true)
    const [first, second] = await answersOf(server, 's')
    expect(first?.metadata).toMatchObject({ aborted: true })
    expect(textOf(second)).toBe('whole')
  })

  it('resumes each column after the number that the client has', async () => {
    const { server, models, names } = await open({
      'a/one': [[{ text: 'aaaa' }, { gate: 'one' }, { text: 'AAAA' }]],
      'b/two': [[{ text: 'bbbb' }, { gate: 'two' }, { text: 'BBBB' }]],
    })
    const away = new AbortController()
    const response = await server.request('/ai/chat?hold=1', {
      body: { sessionId: 's', message: userMessage('hi'), models: names },
    })
    const numbers = new Map<string, number>()
    await Promise.all([models['a/one']!.reached('one'), models['b/two']!.reached('two')])
    for await (const { chunk, number } of readEvents(response.body!)) {
      if (chunk.type !== 'data-column') continue
      const { messageId, chunk: inner } = chunk.data as { messageId: string; chunk: Chunk }
      numbers.set(messageId, number!)
      if (inner.type === 'text-delta' && numbers.size === 2) break
    }
    away.abort()
    const after = [...numbers.values()].join(',')
    const resumed = await server.request(`/ai/chat/s/stream?after=${after}`)
    models['a/one']!.open('one')
    models['b/two']!.open('two')
    const texts: string[] = []
    for await (const { chunk } of readEvents(resumed.body!)) {
      const inner = chunk.type === 'data-column' ? (chunk.data as { chunk: Chunk }).chunk : undefined
      expect(inner?.type).not.toBe('start')
      if (inner?.type === 'text-delta') texts.push(inner.delta)
    }
    expect(texts.join('')).toMatch(/AAAA/)
    expect(texts.join('')).toMatch(/BBBB/)
    expect((await server.request('/ai/chat/s/stream')).status).toBe(204)
  })

  it('changes need approval in every mode until an answer is picked, and nothing is remembered', async () => {
    const write = (name: string): Turns => [
      [{ call: { name: 'Write', input: { file_path: `${name}.txt`, content: name }, id: 'same-id' } }],
      [{ text: 'Done.' }],
    ]
    const { server, names } = await open({ 'a/one': write('a'), 'b/two': write('b') })
    const reading = readColumns(await compare(server, 's', 'hi', names, { mode: 'accept-edits' }))
    type Asks = { asks: { id: string; runId: string; toolCallId: string; reason: string; remember?: string[] }[] }
    let asks: Asks['asks'] = []
    while (asks.length < 2) asks = (await server.json<Asks>('/ai/asks?sessionId=s')).body.asks
    expect(asks[0]?.reason).toContain('Several models are answering')
    expect(asks.map(({ remember }) => remember ?? [])).toEqual([[], []])
    expect(new Set(asks.map(({ toolCallId }) => toolCallId)).size).toBe(2)
    const { answers } = (await question(server, 's')).metadata!.comparison!
    const runOf = await Promise.all(
      asks.map(({ id }) => server.json(`/ai/asks/${id}`, { body: { answer: { type: 'approve' } } })),
    )
    expect(runOf.map(({ status }) => status)).toEqual([200, 200])
    expect((await reading).isFinished).toBe(true)
    expect(answers).toHaveLength(2)
    const stored = await answersOf(server, 's')
    expect(stored.map(textOf)).toEqual(['Done.', 'Done.'])
  })

  it('a pick stops the other columns, and the picked one changes files as its mode allows', async () => {
    const { server, models, names } = await open({
      'a/one': [
        [{ gate: 'pick' }, { call: { name: 'Write', input: { file_path: 'a.txt', content: 'from a' } } }],
        [{ text: 'Done.' }],
      ],
      'b/two': [[{ text: 'half' }, { gate: 'never' }]],
    })
    const reading = readColumns(await compare(server, 's', 'hi', names, { mode: 'accept-edits' }))
    await Promise.all([models['a/one']!.reached('pick'), models['b/two']!.reached('never')])
    const { answers } = (await question(server, 's')).metadata!.comparison!
    expect((await server.json('/ai/sessions/s/pick', { body: { messageId: answers[0]!.messageId } })).status).toBe(200)
    models['a/one']!.open('pick')
    const { isFinished, comparisons } = await reading
    expect(isFinished).toBe(true)
    expect(comparisons.at(-1)?.picked).toBe(answers[0]!.messageId)
    const [first, second] = await answersOf(server, 's')
    expect(textOf(first)).toBe('Done.')
    expect(second?.metadata).toMatchObject({ aborted: true })
    expect((await server.messages('s')).at(-1)?.id).toBe(first?.id)
  })

  it('refuses one model, five models, the same twice, and unknown ones before anything is stored', async () => {
    const { server } = await open({ 'a/one': [], 'b/two': [] })
    const status = async (models: string[]): Promise<number> => (await compare(server, 's', 'hi', models)).status
    expect(await status(['a/one'])).toBe(400)
    expect(await status(['a/one', 'a/one'])).toBe(400)
    expect(await status(['a/one', 'b/two', 'c', 'd', 'e'])).toBe(400)
    expect(await status(['a/one', 'nobody/none'])).toBe(404)
    expect((await server.request('/ai/sessions/s')).status).toBe(404)
  })
})
