import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Chat } from '@ai-sdk/react'
import { cleanMessage, type Message } from '@troupe/protocol'
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from 'ai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shown, testServer, type TestServer } from '../testing/test-server.ts'

/** Uses the unmodified AI SDK client, as third-party programs do. */
let server: TestServer
beforeAll(async () => {
  server = await testServer({ listen: true, port: 0 })
})
afterAll(() => server.close())

function client(
  id: string,
  options: { messages?: UIMessage[]; automatic?: boolean; hold?: false } = {},
): Chat<UIMessage> {
  return new Chat({
    id,
    messages: options.messages ?? [],
    transport: new DefaultChatTransport({
      api: `http://127.0.0.1:${server.port}/ai/chat`,
      headers: { authorization: `Bearer ${server.token}` },
      ...(options.hold === false && {
        prepareReconnectToStreamRequest: ({ api }) => ({ api: `${api}/${id}/stream?hold=0` }),
      }),
    }),
    ...(options.automatic === true && { sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses }),
  })
}

const held = (chat: Chat<UIMessage>): Message[] => JSON.parse(JSON.stringify(chat.messages)) as Message[]

const stored = async (sessionId: string): Promise<Message[]> => (await server.messages(sessionId)).map(shown)

const texts = (messages: readonly UIMessage[]): string[] =>
  messages.map(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(''))

/** Resolves once the condition holds. Checks on every chat change, like `useChat`. */
function until(chat: Chat<UIMessage>, condition: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!condition()) return
      for (const end of ends) end()
      resolve()
    }
    const ends = [chat['~registerMessagesCallback'](look), chat['~registerStatusCallback'](look)]
    look()
  })
}

describe('Chat of the AI SDK with DefaultChatTransport', () => {
  it('chats over several turns with reasoning, tool calls, tool errors and files, and has the stored messages', async () => {
    server.script('rich', [
      [
        { reasoning: 'hm', chunks: 2 },
        { text: 'Let me see.', chunks: 3 },
        { call: { name: 'TimeNow', input: { timezone: 'UTC' }, chunks: 3 } },
        { call: { name: 'TimeNow', input: { timezone: 'Nowhere/None' } } },
        { call: { name: 'NoSuchTool', input: { a: 1 } } },
        { source: { url: 'https://example.com/a', title: 'A' } },
        { file: { mediaType: 'image/png', data: 'iVBORw0KGgo=' } },
      ],
      [{ text: 'Done.', chunks: 2 }],
    ])
    const chat = client('sdk-chat')
    await chat.sendMessage({ text: 'rich' })
    expect(chat.status).toBe('ready')
    expect(held(chat)).toEqual(await stored('sdk-chat'))
    await chat.sendMessage({ text: 'and again' })
    await chat.sendMessage({ text: 'third' })
    expect(held(chat)).toEqual(await stored('sdk-chat'))
    expect(texts(chat.messages).at(-1)).toBe('You said: third')
  })

  it('resumes in the middle of a run, in a new page and after its own connection broke', async () => {
    server.script('long', [[{ text: 'first half, ', chunks: 4 }, { gate: 'half' }, { text: 'second half', chunks: 4 }]])
    const first = client('sdk-resume')
    void first.sendMessage({ text: 'long' })
    await server.model.reached('half')
    await until(first, () => texts(first.messages).at(-1) === 'first half, ')
    // Simulates a closed page, which the server sees as a lost connection.
    await first.stop()
    const second = client('sdk-resume', { messages: await stored('sdk-resume') })
    await until(first, () => first.status === 'ready')
    const resumed = second.resumeStream()
    const again = first.resumeStream()
    await until(second, () => texts(second.messages).at(-1) === 'first half, ')
    await until(first, () => first.status === 'streaming')
    server.model.open('half')
    await Promise.all([resumed, again])
    expect(texts(second.messages)).toEqual(['long', 'first half, second half'])
    expect(held(second)).toEqual(await stored('sdk-resume'))
    expect(held(first)).toEqual(await stored('sdk-resume'))
    const third = client('sdk-resume', { messages: await stored('sdk-resume') })
    await third.resumeStream()
    expect(third.status).toBe('ready')
    expect(held(third)).toEqual(await stored('sdk-resume'))
  })

  it('is stopped by POST stop: the stream ends, and both have the same partial answer', async () => {
    server.script('endless', [[{ text: 'for ever' }, { gate: 'endless' }]])
    const chat = client('sdk-stop')
    const sending = chat.sendMessage({ text: 'endless' })
    await server.model.reached('endless')
    await server.request('/ai/chat/sdk-stop/stop', { method: 'POST' })
    await sending
    expect(chat.status).toBe('ready')
    expect(chat.lastMessage?.metadata).toMatchObject({ aborted: true })
    expect(held(chat)).toEqual(await stored('sdk-stop'))
    await chat.sendMessage({ text: 'go on' })
    expect(held(chat)).toEqual(await stored('sdk-stop'))
  })

  it('chat.stop() and then POST stop: the client keeps the text so far, and the server marks the message as stopped', async () => {
    server.script('endless too', [[{ text: 'on and on' }, { gate: 'endless too' }]])
    const chat = client('sdk-stop2')
    void chat.sendMessage({ text: 'endless too' })
    await server.model.reached('endless too')
    await until(chat, () => texts(chat.messages).at(-1) === 'on and on')
    await chat.stop()
    await server.request('/ai/chat/sdk-stop2/stop', { method: 'POST' })
    const [, answer] = await stored('sdk-stop2')
    const mine = held(chat).at(-1)!
    // Difference: a disconnected client does not learn how the run ended. It shows the same content.
    expect(cleanMessage(mine, { run: 'ended' }).parts).toEqual(answer!.parts)
    expect(mine.id).toBe(answer!.id)
    expect(answer!.metadata?.aborted).toBe(true)
    await chat.sendMessage({ text: 'next' })
    expect(held(chat).slice(2)).toEqual((await stored('sdk-stop2')).slice(2))
  })

  it('regenerates the last answer, and an earlier one by its id', async () => {
    const chat = client('sdk-regenerate')
    await chat.sendMessage({ text: 'one' })
    const firstId = chat.lastMessage!.id
    await chat.regenerate()
    expect(chat.lastMessage!.id).not.toBe(firstId)
    expect(held(chat)).toEqual(await stored('sdk-regenerate'))
    await chat.sendMessage({ text: 'two' })
    const earlier = chat.messages[1]!.id
    await chat.regenerate({ messageId: earlier })
    expect(texts(chat.messages)).toEqual(['one', 'You said: one'])
    expect(held(chat)).toEqual(await stored('sdk-regenerate'))
    await chat.regenerate({ messageId: chat.messages[0]!.id })
    expect(held(chat)).toEqual(await stored('sdk-regenerate'))
    const { siblings } = (await (await server.request('/ai/sessions/sdk-regenerate/messages')).json()) as {
      siblings: Record<string, { total: number }>
    }
    expect(siblings[chat.lastMessage!.id]?.total).toBe(4)
  })

  it('edits: the answer has the new id, the only difference, and everything after it follows the edit', async () => {
    const chat = client('sdk-edit')
    await chat.sendMessage({ text: 'zero' })
    await chat.sendMessage({ text: 'original' })
    const { id } = chat.messages[2]!
    await chat.sendMessage({ text: 'edited', messageId: id })
    const answer = held(chat).at(-1)!
    const { data } = answer.parts.find((part) => part.type === 'data-branch') as {
      data: { messageId: string; replaces: string }
    }
    expect(data.replaces).toBe(id)
    const renamed = (): Message[] =>
      held(chat).map((message) => (message.id === id ? { ...message, id: data.messageId } : message))
    expect(renamed()).toEqual(await stored('sdk-edit'))
    await chat.regenerate()
    expect(texts(chat.messages)).toEqual(['zero', 'You said: zero', 'edited', 'You said: edited'])
    await chat.sendMessage({ text: 'after' })
    expect(texts(await stored('sdk-edit'))).toEqual([
      'zero',
      'You said: zero',
      'edited',
      'You said: edited',
      'after',
      'You said: after',
    ])
    expect(renamed()).toEqual(await stored('sdk-edit'))
  })

  it('approves, and continues automatically', async () => {
    server.script('approve', [
      [
        { text: 'May I?' },
        { call: { name: 'TestApproval', input: { message: 'Go?' } } },
        { call: { name: 'TestApproval', input: { message: 'And this?' } } },
      ],
      [{ text: 'Once more.' }, { call: { name: 'TestApproval', input: { message: 'Sure?' } } }],
      [{ text: 'Thank you.' }],
    ])
    const chat = client('sdk-approve', { automatic: true })
    await chat.sendMessage({ text: 'approve' })
    expect(chat.status).toBe('ready')
    expect(held(chat)).toEqual(await stored('sdk-approve'))
    for (const count of [2, 1]) {
      const asked = approvals(chat)
      expect(asked).toHaveLength(count)
      for (const id of asked) await chat.addToolApprovalResponse({ id, approved: true })
      await until(chat, () => chat.status === 'ready' && !asked.some((id) => pending(chat).has(id)))
      expect(held(chat)).toEqual(await stored('sdk-approve'))
    }
    expect(texts(chat.messages).at(-1)).toBe('May I?Once more.Thank you.')
    await chat.sendMessage({ text: 'next' })
    expect(held(chat)).toEqual(await stored('sdk-approve'))
  })

  it('approves all calls of a step together, and they run in order', async () => {
    const folder = server.workspace.path
    await writeFile(path.join(folder, 'old.txt'), 'old')
    const write = (name: string) => ({ call: { name: 'Write', input: { file_path: name, content: `of ${name}` } } })
    server.script('two files', [
      [
        write('one.txt'),
        { call: { name: 'Read', input: { file_path: 'old.txt' } } },
        write('two.txt'),
        { call: { name: 'Edit', input: { file_path: 'one.txt', old_string: 'of', new_string: 'after' } } },
      ],
      [{ text: 'Written.' }],
    ])
    const chat = client('sdk-together', { automatic: true })
    await chat.sendMessage({ text: 'two files' })
    const asked = approvals(chat)
    expect(asked).toHaveLength(3)
    expect(held(chat)).toEqual(await stored('sdk-together'))
    for (const id of asked.toReversed()) await chat.addToolApprovalResponse({ id, approved: true })
    await until(chat, () => chat.status === 'ready' && pending(chat).size === 0)
    expect(texts(chat.messages).at(-1)).toBe('Written.')
    expect(held(chat)).toEqual(await stored('sdk-together'))
    expect(await readFile(path.join(folder, 'one.txt'), 'utf8')).toBe('after one.txt')
    expect(await readFile(path.join(folder, 'two.txt'), 'utf8')).toBe('of two.txt')

    server.script('not the first', [[write('three.txt'), write('four.txt')], [{ text: 'never' }]])
    await chat.sendMessage({ text: 'not the first' })
    const [first, second] = approvals(chat)
    await chat.addToolApprovalResponse({ id: first!, approved: false })
    await chat.addToolApprovalResponse({ id: second!, approved: true })
    await until(chat, () => chat.status === 'ready' && pending(chat).size === 0)
    expect(texts(chat.messages).at(-1)).toBe('')
    // Difference: only the client remembers the late approval.
    for (const { parts } of [held(chat).at(-1)!, (await stored('sdk-together')).at(-1)!])
      expect(parts.filter((part) => part.type === 'tool-Write')).toMatchObject([
        { state: 'output-denied' },
        { state: 'output-error', errorText: 'Not run: an earlier tool call in this step was denied.' },
      ])
    await expect(readFile(path.join(folder, 'four.txt'))).rejects.toThrow('ENOENT')
  })

  it('denies without a reason, which ends the turn, and with one, which continues it', async () => {
    server.script('deny', [[{ call: { name: 'TestApproval', input: {} } }], [{ text: 'Then not.' }]])
    for (const reason of [undefined, 'too early']) {
      const id = `sdk-deny-${reason === undefined ? 'plain' : 'reason'}`
      const chat = client(id, { automatic: true })
      await chat.sendMessage({ text: 'deny' })
      const [asked] = approvals(chat)
      await chat.addToolApprovalResponse({ id: asked!, approved: false, reason })
      await until(chat, () => chat.status === 'ready' && !pending(chat).has(asked!))
      expect(held(chat)).toEqual(await stored(id))
      expect(chat.lastMessage?.parts.find((part) => 'approval' in part)).toMatchObject({ state: 'output-denied' })
      expect(texts(chat.messages).at(-1)).toBe(reason === undefined ? '' : 'Then not.')
    }
  })

  it('approves after a reload, from stored messages', async () => {
    server.script('reload', [[{ text: 'May I?' }, { call: { name: 'TestApproval', input: {} } }], [{ text: 'Good.' }]])
    await client('sdk-reload').sendMessage({ text: 'reload' })
    const chat = client('sdk-reload', { messages: await stored('sdk-reload'), automatic: true })
    const [asked] = approvals(chat)
    await chat.addToolApprovalResponse({ id: asked!, approved: true })
    await until(chat, () => chat.status === 'ready' && !pending(chat).has(asked!))
    expect(held(chat)).toEqual(await stored('sdk-reload'))
    expect(texts(chat.messages).at(-1)).toBe('May I?Good.')
  })

  it('resumes a waiting run: the stream stays open, and continues after an answer from elsewhere', async () => {
    server.script('resume waiting', [
      [{ text: 'May I?' }, { call: { name: 'TestApproval', input: {} } }],
      [{ text: 'Good.' }],
    ])
    await client('sdk-waiting').sendMessage({ text: 'resume waiting' })
    const chat = client('sdk-waiting', { messages: await stored('sdk-waiting') })
    const resumed = chat.resumeStream()
    await until(chat, () => chat.status === 'streaming' && approvals(chat).length === 1)
    await server.json(`/ai/asks/${approvals(chat)[0]}`, { body: { answer: { type: 'approve' } } })
    await resumed
    expect(held(chat)).toEqual(await stored('sdk-waiting'))
    expect(texts(chat.messages).at(-1)).toBe('May I?Good.')
  })

  it('resumes a waiting run with ?hold=0, so that the client can approve afterwards', async () => {
    server.script('resume approve', [
      [{ text: 'May I?' }, { call: { name: 'TestApproval', input: {} } }],
      [{ text: 'Good.' }],
    ])
    await client('sdk-hold').sendMessage({ text: 'resume approve' })
    const chat = client('sdk-hold', { messages: await stored('sdk-hold'), automatic: true, hold: false })
    await chat.resumeStream()
    expect(chat.status).toBe('ready')
    const [asked] = approvals(chat)
    await chat.addToolApprovalResponse({ id: asked!, approved: true })
    await until(chat, () => chat.status === 'ready' && !pending(chat).has(asked!))
    expect(held(chat)).toEqual(await stored('sdk-hold'))
  })

  it('shows the real text of an error, stored with the answer, and can continue', async () => {
    server.script('fails', [
      [{ text: 'so far' }, { error: { message: 'the provider fell over', statusCode: 400 }, when: 'mid' }],
    ])
    const chat = client('sdk-error')
    await chat.sendMessage({ text: 'fails' })
    expect(chat.status).toBe('error')
    expect(chat.error?.message).toContain('the provider fell over')
    const [, answer] = await stored('sdk-error')
    // Difference: the SDK stops at the error and leaves the text open. It shows the same content.
    const mine = held(chat).at(-1)!
    expect(cleanMessage(mine, { run: 'ended' })).toEqual(answer)
    expect(answer?.metadata?.error?.message).toBe(chat.error?.message)
    await chat.sendMessage({ text: 'once more' })
    expect(texts(chat.messages).at(-1)).toBe('You said: once more')
    await chat.sendMessage({ text: 'fails' })
    await chat.regenerate()
    expect(chat.error?.message).toContain('the provider fell over')
  })

  it('gets named errors for invalid requests', async () => {
    const chat = client('sdk bad id')
    await chat.sendMessage({ text: 'x' })
    expect(chat.status).toBe('error')
    expect(chat.error?.message).toContain('an id is 1 to 64 letters')
  })
})

function approvals(chat: Chat<UIMessage>): string[] {
  return (chat.lastMessage?.parts ?? []).flatMap((part) =>
    'approval' in part && part.state === 'approval-requested' ? [part.approval.id] : [],
  )
}

function pending(chat: Chat<UIMessage>): Set<string> {
  const open = (chat.lastMessage?.parts ?? []).flatMap((part) =>
    'approval' in part && part.approval !== undefined && !part.state.startsWith('output-') ? [part.approval.id] : [],
  )
  return new Set(open)
}
