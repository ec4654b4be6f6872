import type { Metadata } from '@troupe/protocol'
import { expect, test } from 'vitest'
import { createFakeServer, memoryQueueStorage, message, page, until } from '../../testing/fake-server.ts'
import { waitingItems } from './queue.ts'
import type { ChatSessionStore } from './session-types.ts'

type FakeServer = ReturnType<typeof createFakeServer>

const waiting = (session: ChatSessionStore) => waitingItems(session.queue.getState()).map(({ text }) => text)
const posts = (server: FakeServer) =>
  server.requests.flatMap(({ path, body }) =>
    path === '/ai/chat?hold=1' ? (body as { message: { id: string } }).message : [],
  )

/** Opens a session that is answering `hello`, with queued messages. */
async function begin(queued: string[], server = createFakeServer()) {
  const session = server.openSession('new')
  session.open().catch(() => undefined)
  void session.send('hello')
  const stream = await server.replyStream('/ai/chat?hold=1')
  stream.write(1, { type: 'start', messageId: 'a1' })
  await until(session, ({ run }) => run?.answer != null)
  for (const text of queued) session.enqueue(text)
  return { server, session, stream }
}

async function end(
  server: FakeServer,
  stream: Awaited<ReturnType<FakeServer['replyStream']>>,
  metadata: Metadata = {},
) {
  stream.write(9, { type: 'finish' })
  stream.end()
  const [first] = posts(server)
  const answer = { ...message('a1', 'assistant', 'hi', first?.id ?? null), metadata }
  await server.replyJson('/ai/sessions/s1/messages', page([message(first?.id ?? '', 'user', 'hello', null), answer]))
}

test('queued messages are sent one after the other after the run, below its answer', async () => {
  const { server, session, stream } = await begin(['one', 'two'])
  const [one] = session.queue.getState().items
  session.setDraft('being typed')
  expect(waiting(session)).toEqual(['one', 'two'])
  await end(server, stream)
  const next = await server.replyStream('/ai/chat?hold=1')
  expect(server.requests.at(-1)?.body).toMatchObject({
    parentMessageId: 'a1',
    message: { id: one?.id, parts: [{ type: 'text', text: 'one' }] },
  })
  await until(session.queue, ({ items }) => items.length === 1)
  expect(waiting(session)).toEqual(['two'])
  // The draft stays untouched.
  expect(session.getState().draft).toBe('being typed')
  next.write(20, { type: 'start', messageId: 'a2' })
  await until(session, ({ run }) => run?.answer?.id === 'a2')
})

test.each<[string, Metadata]>([
  ['a stop', { aborted: true }],
  ['an error', { error: { name: 'ProviderAuth', message: 'The key is wrong.' } }],
  ['an interruption', { interrupted: true }],
  ['a limit', { stopped: { reason: 'steps', message: 'It has taken its steps.' } }],
])('after %s nothing is sent without the user', async (_, metadata) => {
  const { server, session, stream } = await begin(['one'])
  await end(server, stream, metadata)
  await until(session.queue, ({ held }) => held)
  expect(posts(server)).toHaveLength(1)
  void session.sendQueued()
  await server.replyStream('/ai/chat?hold=1')
  expect(posts(server).at(-1)).toMatchObject({ parts: [{ type: 'text', text: 'one' }] })
})

test('a stop requested here holds them, even if the answer had ended by itself', async () => {
  const { server, session, stream } = await begin(['one'])
  void session.stop()
  await server.replyJson('/ai/chat/s1/stop', { error: { name: 'NoRun', message: 'No run.' } }, 409)
  await end(server, stream)
  await until(session.queue, ({ held }) => held)
  expect(waiting(session)).toEqual(['one'])
})

test('if another tab was faster, it waits for the end of that run', async () => {
  const { server, session, stream } = await begin(['one'])
  await end(server, stream)
  await server.replyJson('/ai/chat?hold=1', { error: { name: 'SessionBusy', message: 'Busy.' } }, 409)
  await until(session.queue, ({ sending }) => sending === null)
  expect(waiting(session)).toEqual(['one'])
  expect(session.queue.getState().held).toBe(false)
  expect(server.errors).toEqual([])
})

test('a refused message is held with the others, with the reason', async () => {
  const { server, session, stream } = await begin(['one', 'two'])
  await end(server, stream)
  await server.replyJson('/ai/chat?hold=1', { error: { name: 'BadParams', message: 'Too hot.' } }, 422)
  await until(session.queue, ({ held }) => held)
  expect(waiting(session)).toEqual(['one', 'two'])
  expect(session.getState()).toMatchObject({ unsent: null, run: null })
  expect(server.errors).toMatchObject([{ name: 'BadParams' }])
})

test('a chat in the background continues while messages are queued', async () => {
  const { server, session, stream } = await begin(['one'])
  session.close()
  await end(server, stream)
  const last = await server.replyStream('/ai/chat?hold=1')
  // The server handles the last one by itself.
  await last.cut
  expect(waiting(session)).toEqual([])
})

test('two tabs that see the same run end send the next message once', async () => {
  const place = memoryQueueStorage()
  const [here, there] = [createFakeServer(), createFakeServer()]
  const tabs = [here.openSession('loading', place), there.openSession('loading', place.tab())]
  for (const tab of tabs) void tab.open()
  const stored = [message('u1', 'user', 'hello', null)]
  const answered = [...stored, message('a1', 'assistant', 'hi', 'u1')]
  for (const server of [here, there]) await server.replyJson('/ai/sessions/s1/messages', page(stored))
  const streams = [await here.replyStream('/ai/chat/s1/stream'), await there.replyStream('/ai/chat/s1/stream')]
  for (const stream of streams) stream.write(1, { type: 'start', messageId: 'a1' })
  for (const tab of tabs) await until(tab, ({ run }) => run?.answer != null)
  tabs[1]?.enqueue('one')
  tabs[1]?.enqueue('two')
  for (const stream of streams) {
    stream.write(2, { type: 'finish' })
    stream.end()
  }
  for (const server of [here, there]) await server.replyJson('/ai/sessions/s1/messages', page(answered))
  const sent = await Promise.any([here.replyStream('/ai/chat?hold=1'), there.replyStream('/ai/chat?hold=1')])
  sent.write(10, { type: 'start', messageId: 'a2' })
  await Promise.any(tabs.map((tab) => until(tab, ({ run }) => run?.answer?.id === 'a2')))
  expect([...posts(here), ...posts(there)]).toMatchObject([{ parts: [{ type: 'text', text: 'one' }] }])
  for (const tab of tabs) expect(waiting(tab)).toEqual(['two'])
})
