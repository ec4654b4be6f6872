import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type RecordedCall, type Script, scriptedModel } from '../../../core/src/testing/index.ts'
import { createAgent } from '../agent.ts'
import { chatSession, type ChatSessionOptions, createMemoryStore } from './chat-session.ts'

const setUp = (script: Script = () => [{ text: 'ok' }], options: ChatSessionOptions = {}) => {
  const model = scriptedModel(script)
  const agent = createAgent({ name: 'host', model })
  const session = chatSession(options)
  agent.use(session)
  return { agent, model, session }
}

const textOf = (content: unknown): string =>
  typeof content === 'string' ? content : (content as { text?: string }[]).map(({ text }) => text ?? '').join('')
const promptOf = (call: RecordedCall | undefined) =>
  call?.prompt.map(({ role, content }) => `${role}: ${textOf(content)}`)
const texts = (messages: { role: string; parts: readonly object[] }[]) =>
  messages.map(({ role, parts }) => `${role}: ${parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('')}`)

describe('a chat session', () => {
  it('records each turn and begins the next with it', async () => {
    const { agent, model, session } = setUp((_, index) => [{ text: `answer ${index}` }])
    const id = session.activate()
    expect(id).toMatch(/^[A-Za-z0-9]{24}$/)
    await agent.turn().input('first').run().result()
    await agent.turn().input('second').run().result()
    expect(promptOf(model.calls[1])).toEqual(['user: first', 'assistant: answer 0', 'user: second'])
    expect(texts(await session.messages())).toEqual([
      'user: first',
      'assistant: answer 0',
      'user: second',
      'assistant: answer 1',
    ])
  })

  it('keeps repeated messages', async () => {
    const { agent, model, session } = setUp(() => [{ text: 'yes' }], { id: 's' })
    for (let i = 0; i < 3; i++) await agent.turn().input('again').run().result()
    expect(promptOf(model.calls[2])).toEqual([
      'user: again',
      'assistant: yes',
      'user: again',
      'assistant: yes',
      'user: again',
    ])
    expect(await session.messages()).toHaveLength(6)
  })

  it('switches without leaking messages', async () => {
    const { agent, model, session } = setUp()
    session.activate('a')
    await agent.turn().input('of a').run().result()
    session.activate('b')
    await agent.turn().input('of b').run().result()
    session.activate('a')
    await agent.turn().input('more of a').run().result()
    expect(promptOf(model.calls[1])).toEqual(['user: of b'])
    expect(promptOf(model.calls[2])).toEqual(['user: of a', 'assistant: ok', 'user: more of a'])
    session.stop()
    await agent.turn().input('of nobody').run().result()
    expect(promptOf(model.calls[3])).toEqual(['user: of nobody'])
    expect(await session.messages('a')).toHaveLength(4)
    expect(await session.messages('b')).toHaveLength(2)
    expect(session.id).toBeUndefined()
  })

  it('a run belongs to the session in which it began', async () => {
    const { agent, model, session } = setUp(() => [{ text: 'slow' }, { gate: 'go' }])
    session.activate('a')
    const result = agent.turn().input('q').run().result()
    await model.reached('go')
    session.activate('b')
    model.open('go')
    await result
    expect(texts(await session.messages('a'))).toEqual(['user: q', 'assistant: slow'])
    expect(await session.messages('b')).toEqual([])
  })

  it('turns side by side become one line', async () => {
    const { agent, session } = setUp(() => [{ text: 'x', chunks: 1 }], { id: 's' })
    await Promise.all([1, 2, 3].map((n) => agent.turn().input(n).run().result()))
    const messages = await session.messages()
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user', 'assistant'])
    expect(messages.map(({ parentMessageId }) => parentMessageId)).toEqual([
      null,
      ...messages.slice(0, -1).map(({ id }) => id),
    ])
  })

  it('records nothing for a failed turn', async () => {
    const { agent, session } = setUp(() => [{ error: { message: 'no', statusCode: 401 } }], { id: 's' })
    await expect(agent.turn().input('q').run().result()).rejects.toThrow('refused the API key')
    expect(await session.messages()).toEqual([])
  })

  it('is found again in its store', async () => {
    const store = createMemoryStore()
    const first = setUp(undefined, { id: 's', store })
    await first.agent.turn().input('remember').run().result()
    const second = setUp(undefined, { store })
    second.session.activate('s')
    await second.agent.turn().input('well?').run().result()
    expect(promptOf(second.model.calls[0])).toEqual(['user: remember', 'assistant: ok', 'user: well?'])
  })

  it('attachments are recorded as the files they are, and sent again with the next turn', async () => {
    const { agent, model, session } = setUp(undefined, { id: 's' })
    const file = {
      type: 'file' as const,
      mediaType: 'image/png',
      url: 'data:image/png;base64,iVBORw0KGgo=',
      filename: 'a.png',
    }
    await agent.turn().input('What is this?').attachment(file).run().result()
    await agent.turn().attachment(file).run().result()
    session.recordInput(['attachment', 'input.question'])
    await agent.turn().input({ question: 'and this?', noise: 1 }).attachment(file).run().result()
    session.recordInput('input.question')
    await agent.turn().input({ question: 'still?' }).attachment(file).run().result()
    const said = (await session.messages()).filter(({ role }) => role === 'user').map(({ parts }) => parts)
    const text = (words: string) => ({ type: 'text', text: words })
    expect(said).toEqual([[text('What is this?'), file], [file], [text('and this?'), file], [text('still?')]])
    expect(model.calls[1]?.prompt[0]?.content).toEqual([
      expect.objectContaining({ type: 'text' }),
      expect.objectContaining({ type: 'file', mediaType: 'image/png' }),
    ])
  })

  it('refuses ids that could not be file names', () => {
    expect(() => chatSession({ id: '../x' })).toThrow(expect.objectContaining({ name: 'BadId' }))
    expect(() => chatSession().activate('a b')).toThrow(/is not a valid id/)
  })

  it('tools get the session, and their calls are recorded', async () => {
    const sessions: string[] = []
    const { agent, model, session } = setUp(
      (prompt) =>
        prompt.at(-1)?.role === 'user' && textOf(prompt.at(-1)?.content) === 'look'
          ? [{ call: { name: 'look', input: {} } }]
          : [{ text: 'seen' }],
      { id: 's' },
    )
    agent.registerTool({ name: 'look', execute: (_, ctx) => void sessions.push(ctx.session.id) })
    await agent.turn().input('look').run().result()
    await agent.turn().input('and?').run().result()
    expect(sessions).toEqual(['s'])
    expect(model.calls[2]?.prompt.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user'])
    expect((await session.messages())[1]?.metadata?.agent?.name).toBe('host')
  })
})

describe('the recorded turn', () => {
  const schema = z.object({ answer: z.object({ lines: z.array(z.string()), count: z.number() }) })
  const answer = JSON.stringify({ answer: { lines: ['one', 'two'], count: 0 } })
  const record = async (set: (session: ReturnType<typeof chatSession>) => unknown) => {
    const { agent, session } = setUp(() => [{ text: answer }], { id: 's' })
    set(session)
    const input = { question: 'why?', flags: [{ on: false }, { on: true }] }
    await agent.turn().input(input).info({ level: 0 }).output(schema).run().result()
    return texts(await session.messages())
  }

  it('has the input and the answer by default', async () => {
    const [user, assistant] = await record(() => undefined)
    expect(user).toBe('user: question: why?\nflags:\n  - on: false\n  - on: true')
    expect(assistant).toBe(`assistant: ${answer}`)
  })

  it.each([
    ['a path in a slot', ['input.question'], 'all', 'why?'],
    ['in slash style, with an index', ['input/flags/1/on'], 'all', 'true'],
    ['a value that is false', ['input.flags[0].on'], 'all', 'false'],
    ['a whole slot that is zero inside', ['info'], 'all', 'level: 0'],
    ['zero', ['info.level'], 'first', '0'],
    [
      'all that is found',
      ['input.question', 'info.level', 'input.nowhere'],
      'all',
      'input.question: why?\ninfo.level: 0',
    ],
    ['the first that is found', ['input.nowhere', 'info.level', 'input.question'], 'first', '0'],
    ['every item', ['input.flags[*].on'], 'all', '- false\n- true'],
  ] as const)('of the input: %s', async (_, paths, mode, text) => {
    expect((await record((session) => session.recordInput(paths, { mode })))[0]).toBe(`user: ${text}`)
  })

  it.each([
    ['a path', ['answer.lines[1]'], 'all', 'two'],
    ['zero', ['answer.count'], 'all', '0'],
    ['several', ['answer/lines/0', 'answer.count'], 'all', 'answer/lines/0: one\nanswer.count: 0'],
    ['the first', ['nowhere', 'answer.count', 'answer.lines[0]'], 'first', '0'],
    ['the text where nothing is found', ['nowhere'], 'all', answer],
  ] as const)('of the output: %s', async (_, paths, mode, text) => {
    expect((await record((session) => session.recordOutput(paths, { mode })))[1]).toBe(`assistant: ${text}`)
  })
})

describe('a long session', () => {
  it('shows the model only its window', async () => {
    const { agent, model } = setUp(() => [{ text: '12345' }], { id: 's', window: { maxLength: 20 } })
    for (const input of ['aaaaa', 'bbbbb', 'ccccc', 'ddddd']) await agent.turn().input(input).run().result()
    expect(promptOf(model.calls[3])).toEqual([
      'user: bbbbb',
      'assistant: 12345',
      'user: ccccc',
      'assistant: 12345',
      'user: ddddd',
    ])
  })

  it('keeps the rest as a memo from its handler, even in another process', async () => {
    const store = createMemoryStore()
    const states: [messages: number, memo: string][] = []
    const options: ChatSessionOptions = {
      id: 's',
      store,
      window: { maxMessages: 4 },
      resize({ messages, memo }) {
        states.push([messages.length, memo])
        const gone = texts(messages.slice(0, -2)).join(', ')
        return { keep: 2, memo: memo === '' ? gone : `${memo}; ${gone}` }
      },
    }
    const { agent, session } = setUp(undefined, options)
    for (const input of [1, 2, 3, 4]) await agent.turn().input(input).run().result()
    expect(states).toEqual([[6, '']])
    const again = setUp(undefined, options)
    await again.agent.turn().input(5).run().result()
    const prompt = promptOf(again.model.calls[0])
    expect(prompt?.slice(0, -1)).toEqual(['user: 3', 'assistant: ok', 'user: 4', 'assistant: ok'])
    expect(prompt?.at(-1)).toBe(
      'user: [CHAT SESSION MEMO]:\nuser: 1, assistant: ok, user: 2, assistant: ok\n\n[INPUT]:\n5\n\n[OUTPUT]:',
    )
    expect(states.at(-1)).toEqual([6, 'user: 1, assistant: ok, user: 2, assistant: ok'])
    expect(await session.messages()).toHaveLength(10)
  })
})
