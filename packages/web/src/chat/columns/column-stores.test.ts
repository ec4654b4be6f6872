import type { Chunk, Comparison } from '@troupe/protocol'
import { expect, test, vi } from 'vitest'
import { createFakeServer, message, openChat, page, until } from '../../testing/fake-server.ts'
import { announceColumns, columnStatus } from './column-status.ts'
import { messageText, type SessionState, visibleMessages } from '../session/session-state.ts'
import type { ChatSessionStore } from '../session/session-types.ts'

const answers: Comparison['answers'] = [
  { messageId: 'a1', model: 'acme/one' },
  { messageId: 'a2', model: 'acme/two' },
]
const comparison = (fields: Partial<Comparison> = {}): Chunk =>
  ({ type: 'data-comparison', data: { messageId: 'u1', answers, ...fields }, transient: true }) as Chunk
const column = (messageId: string, chunk: Chunk): Chunk =>
  ({ type: 'data-column', data: { messageId, chunk }, transient: true }) as Chunk
const asked = (fields: Partial<Comparison> = {}) => ({
  ...message('u1', 'user', 'hello', null),
  metadata: { comparison: { answers, ...fields } },
})

function shown(session: ChatSessionStore): string[] {
  const isLive = session.getState().run !== null
  return session.columns.getState().columns.map(({ model, conversation }) => {
    const state = conversation.getState()
    return `${model}: ${messageText(visibleMessages(state).at(-1))} (${columnStatus(state, isLive)})`
  })
}

const shows = (session: ChatSessionStore, text: string) => vi.waitFor(() => expect(shown(session)).toContain(text))

async function start() {
  const server = createFakeServer()
  const session = server.openSession('new', undefined, ['acme/one', 'acme/two'])
  void session.send('hello')
  expect(shown(session)).toEqual(['acme/one:  (writing)', 'acme/two:  (writing)'])
  const stream = await server.replyStream('/ai/chat?hold=1')
  const { message: sent } = server.requests[0]!.body as { message: { id: string } }
  const told = (fields: Partial<Comparison> = {}) => {
    const chunk = comparison(fields) as { data: object }
    return { ...chunk, data: { ...chunk.data, messageId: sent.id } } as unknown as Chunk
  }
  stream.write(undefined, told())
  for (const [index, id] of ['a1', 'a2'].entries()) {
    const from = (index + 1) * 1000
    stream.write(from + 1, column(id, { type: 'start', messageId: id }))
    stream.write(from + 2, column(id, { type: 'text-start', id: '0' }))
    stream.write(from + 5, column(id, { type: 'text-delta', id: '0', delta: `I am ${id}` }))
  }
  await shows(session, 'acme/two: I am a2 (writing)')
  return { server, session, stream, told, questionId: sent.id }
}

const idle = (state: SessionState) => state.run === null

test('one message goes to all models; their answers stream into columns and end one by one', async () => {
  const { server, session, stream, questionId } = await start()
  expect(server.requests[0]?.body).toMatchObject({ models: ['acme/one', 'acme/two'] })
  expect(server.requests[0]?.body).not.toHaveProperty('model')
  expect(shown(session)).toEqual(['acme/one: I am a1 (writing)', 'acme/two: I am a2 (writing)'])
  expect(visibleMessages(session.getState())).toHaveLength(1)
  stream.write(1006, column('a1', { type: 'finish' }))
  await shows(session, 'acme/one: I am a1 (done)')
  expect(shown(session)).toEqual(['acme/one: I am a1 (done)', 'acme/two: I am a2 (writing)'])
  stream.write(2006, column('a2', { type: 'finish', messageMetadata: { error: { name: 'E', message: 'broken' } } }))
  stream.write(undefined, { type: 'finish' })
  stream.end()
  const question = { ...asked(), id: questionId }
  await server.replyJson(
    '/ai/sessions/s1/messages?limit=60',
    page([question, message('a2', 'assistant', '', questionId)]),
  )
  for (const id of ['a1', 'a2'])
    await server.replyJson(
      `/ai/sessions/s1/messages?limit=1&leaf=${id}`,
      page([
        {
          ...message(id, 'assistant', `stored ${id}`, questionId),
          ...(id === 'a2' && { metadata: { error: { name: 'E', message: 'broken' } } }),
        },
      ]),
    )
  await until(session, idle)
  await shows(session, 'acme/two: stored a2 (failed)')
  expect(shown(session)).toEqual(['acme/one: stored a1 (done)', 'acme/two: stored a2 (failed)'])
})

test('a broken connection resumes each column after its last number', async () => {
  const { server, session, stream } = await start()
  stream.break()
  const again = await server.replyStream('/ai/chat/s1/stream')
  expect(decodeURIComponent(server.requests.at(-1)?.path ?? '')).toBe('/ai/chat/s1/stream?after=1005,2005')
  again.write(2008, column('a2', { type: 'text-delta', id: '0', delta: '!!!' }))
  await shows(session, 'acme/two: I am a2!!! (writing)')
})

test('stop and retry concern one column', async () => {
  const { server, session } = await start()
  const [first] = session.columns.getState().columns
  void first!.conversation.stop()
  await server.replyJson('/ai/chat/s1/stop?messageId=a1', { stopped: true, runId: 'r', ms: 1 })
  void first!.conversation.regenerate('a1')
  const stream = await server.replyStream('/ai/chat?hold=1')
  expect(server.requests.at(-1)?.body).toMatchObject({
    trigger: 'regenerate-message',
    messageId: 'a1',
    model: 'acme/one',
  })
  expect(stream).toBeDefined()
})

test('picking shows that answer as the branch and tells its model', async () => {
  const { server, session } = await openChat([asked(), message('a2', 'assistant', 'Two', 'u1')])
  for (const id of ['a1', 'a2'])
    await server.replyJson(`/ai/sessions/s1/messages?limit=1&leaf=${id}`, page([message(id, 'assistant', id, 'u1')]))
  await server.replyIdle('/ai/chat/s1/stream')
  await until(session.columns.getState().columns[1]!.conversation, ({ messages }) => messages.length > 0)
  void session.pick('a1')
  await server.replyJson('/ai/sessions/s1/pick', { messageId: 'u1', answers, picked: 'a1' })
  await server.replyJson(
    '/ai/sessions/s1/messages?limit=60',
    page([asked({ picked: 'a1' }), message('a1', 'assistant', 'One', 'u1')]),
  )
  await until(session, ({ messages }) => messages.at(-1)?.id === 'a1')
  expect(session.columns.getState().columns).toEqual([])
  expect(server.picked).toEqual(['acme/one'])
})

test('a pick in another tab ends the columns here, too', async () => {
  const { server, session, stream, told, questionId } = await start()
  stream.write(undefined, told({ picked: 'a1' }))

  await server.replyJson('/ai/sessions/s1/messages?limit=60', page([{ ...asked({ picked: 'a1' }), id: questionId }]))
  const plain = await server.replyStream('/ai/chat/s1/stream')
  plain.write(1001, { type: 'start', messageId: 'a1' })
  plain.write(1004, { type: 'text-delta', id: '0', delta: 'One' })
  await until(session, (state) => messageText(visibleMessages(state).at(-1)) === 'One')
  expect(session.columns.getState().columns).toEqual([])
})

test('queued messages wait until an answer is picked', async () => {
  const { server, session, stream, questionId } = await start()
  session.enqueue('next')
  stream.write(undefined, { type: 'finish' })
  stream.end()
  await server.replyJson(
    '/ai/sessions/s1/messages?limit=60',
    page([{ ...asked(), id: questionId }, message('a2', 'assistant', 'Two', questionId)]),
  )
  for (const id of ['a1', 'a2'])
    await server.replyJson(
      `/ai/sessions/s1/messages?limit=1&leaf=${id}`,
      page([message(id, 'assistant', id, questionId)]),
    )
  await until(session, idle)
  expect(session.queue.getState().items).toHaveLength(1)
  expect(server.requests.filter(({ path }) => path.startsWith('/ai/chat?'))).toHaveLength(1)
})

test('says which answer ended or needs approval, and when all have ended', async () => {
  const { session, stream } = await start()
  const said: string[] = []
  const stop = announceColumns(session.columns.getState().columns, (model) => model.slice(5), (text) => said.push(text)) // prettier-ignore
  stream.write(2006, column('a2', { type: 'finish' }))
  await vi.waitFor(() => expect(said).toEqual(['two: finished.']))
  stream.write(1006, column('a1', { type: 'finish', messageMetadata: { aborted: true } }))
  await vi.waitFor(() => expect(said.at(-1)).toBe('one: stopped. All answers are finished. Continue with one of them.'))
  stop()
})
