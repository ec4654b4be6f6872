import { expect, test } from 'vitest'
import {
  conversation,
  createFakeServer,
  message,
  openChat,
  openIdleChat,
  page,
  expectState,
  sendFirst,
  startRun,
  until,
} from '../../testing/fake-server.ts'
import { describeRunEnd } from '../announce.ts'
import { isWaiting, messageText, type SessionState, visibleMessages } from './session-state.ts'

const texts = (state: SessionState) => visibleMessages(state).map((shown) => `${shown.role}: ${messageText(shown)}`)
const lastText = (state: SessionState) => texts(state).at(-1)
const idle = (state: SessionState) => state.phase === 'ready' && state.run === null

test('a message is shown at once, its answer while it streams, and the stored copy in the end', async () => {
  const { server, session } = sendFirst()
  expect(texts(session.getState())).toEqual(['user: hello'])
  const stream = await server.replyStream('/ai/chat?hold=1')
  stream.write(1, { type: 'start', messageId: 'a1' })
  stream.write(2, { type: 'text-start', id: '0' })
  stream.write(5, { type: 'text-delta', id: '0', delta: 'Hi ' })
  await until(session, (state) => texts(state).includes('assistant: Hi '))
  stream.write(10, { type: 'text-delta', id: '0', delta: 'there' })
  stream.write(11, { type: 'text-end', id: '0' })
  stream.write(12, { type: 'finish' })
  stream.end()
  const sent = server.requests[0]?.body as { message: { id: string } }
  expect(sent).toMatchObject({
    sessionId: 's1',
    parentMessageId: null,
    model: 'demo/tour',
    clientId: 'c1',
    tabId: 't1',
  })
  await server.replyJson(
    '/ai/sessions/s1/messages',
    page([message(sent.message.id, 'user', 'hello', null), message('a1', 'assistant', 'Hi there', sent.message.id)]),
  )
  expect(texts(await until(session, idle))).toEqual(['user: hello', 'assistant: Hi there'])
})

test('a reload during a run shows stored messages and replays the live answer', async () => {
  const { server, session } = await openChat(conversation('hello'))
  const stream = await server.replyStream('/ai/chat/s1/stream')
  expect(server.requests.at(-1)?.path).toBe('/ai/chat/s1/stream')
  stream.write(1, { type: 'start', messageId: 'a1' })
  stream.write(4, { type: 'text-delta', id: '0', delta: 'abc' })
  await expectState(session, lastText, 'assistant: abc')
})

test('a broken connection continues after the last event id and loses nothing', async () => {
  const { server, session, stream: first } = await startRun()
  first.write(4, { type: 'text-delta', id: '0', delta: 'abc' })
  await expectState(session, lastText, 'assistant: abc')
  first.break()
  const second = await server.replyStream('/ai/chat/s1/stream')
  expect(server.requests.at(-1)?.path).toBe('/ai/chat/s1/stream?after=4')
  second.write(7, { type: 'text-delta', id: '0', delta: 'def' })
  await expectState(session, lastText, 'assistant: abcdef')
})

test('a stream that ends without finish does not end the run', async () => {
  const { server, session, stream: first } = await startRun()
  first.end()
  const second = await server.replyStream('/ai/chat/s1/stream')
  expect(session.getState().run).not.toBeNull()
  second.end()
  await server.replyStream('/ai/chat/s1/stream')
  expect(session.getState().run).not.toBeNull()
})

test('an idle server means that the run has ended: the messages are read again', async () => {
  const { server, session } = await openChat(conversation('hello'))
  await server.replyIdle('/ai/chat/s1/stream')
  await server.replyJson('/ai/sessions/s1/messages', page(conversation('hello', 'done')))
  await expectState(session, lastText, 'assistant: done')
})

test('the live answer replaces the stored one of a waiting run', async () => {
  const { server, session } = await openChat(conversation('hello', 'I need'))
  const stream = await server.replyStream('/ai/chat/s1/stream')
  stream.write(1, { type: 'start', messageId: 'a1' })
  stream.write(2, { type: 'tool-input-available', toolCallId: 'k1', toolName: 'Write', input: {} })
  stream.write(3, { type: 'tool-approval-request', toolCallId: 'k1', approvalId: 'ask1' })
  const state = await until(session, (current) => isWaiting(current.run))
  expect(visibleMessages(state).map(({ id }) => id)).toEqual(['u1', 'a1'])
})

test('an approval is sent to the ask, and its buttons wait for the stream', async () => {
  const { server, session, stream } = await startRun('write it')
  stream.write(2, { type: 'tool-input-available', toolCallId: 'k1', toolName: 'Write', input: {} })
  stream.write(3, { type: 'tool-approval-request', toolCallId: 'k1', approvalId: 'ask1' })
  await until(session, (current) => isWaiting(current.run))
  void session.answer('ask1', { type: 'deny', remark: 'not now' })
  await server.replyJson('/ai/asks/ask1', { ask: {}, settled: [] })
  expect(server.requests.at(-1)).toMatchObject({
    method: 'POST',
    body: { answer: { type: 'deny', remark: 'not now' } },
  })
  expect(session.getState().answering).toEqual(['ask1'])
  stream.write(4, { type: 'tool-approval-response', approvalId: 'ask1', approved: false })
  await until(session, (current) => current.answering.length === 0 && !isWaiting(current.run))
})

test('a message that cannot be sent is retried with the same id, then kept with the reason', async () => {
  const { server, session } = sendFirst()
  await server.fail('/ai/chat?hold=1')
  await server.fail('/ai/chat?hold=1')
  server.wake()
  await server.fail('/ai/chat?hold=1')
  const failed = await until(session, (state) => state.unsent !== null)
  expect(failed.unsent?.error.name).toBe('Unreachable')
  expect(texts(failed)).toEqual(['user: hello'])
  void session.retryUnsent()
  await server.replyStream('/ai/chat?hold=1')
  const ids = server.requests.map(({ body }) => (body as { message: { id: string } }).message.id)
  expect(new Set(ids).size).toBe(1)
  expect(session.getState().unsent).toBeNull()
})

test('a refused message shows the reason and can be moved back to the composer', async () => {
  const { server, session } = sendFirst()
  await server.replyJson('/ai/chat?hold=1', { error: { name: 'NoModel', message: 'Set a key first.' } }, 422)
  const refused = await until(session, (state) => state.unsent !== null)
  expect(refused.unsent?.error).toMatchObject({ name: 'NoModel', message: 'Set a key first.' })
  session.takeBackUnsent()
  expect(session.getState()).toMatchObject({ messages: [], draft: 'hello', unsent: null })
})

test('a run that could not be saved leaves its error with the question', async () => {
  const server = createFakeServer()
  const session = server.openSession('new')
  void session.send('hello')
  const stream = await server.replyStream('/ai/chat?hold=1')
  const error = { name: 'NotStored', message: 'The disk is full.' }
  stream.write(1, { type: 'start', messageId: 'a1' })
  stream.write(2, { type: 'message-metadata', messageMetadata: { error } })
  stream.write(3, { type: 'error', errorText: error.message })
  stream.write(4, { type: 'finish', finishReason: 'error' })
  stream.end()
  const { id } = session.getState().messages[0]!
  await server.replyJson('/ai/sessions/s1/messages', page([message(id, 'user', 'hello', null)]))
  const failed = await until(session, (state) => state.unsent !== null)
  expect(failed.unsent).toEqual({ messageId: id, error })
  void session.retryUnsent()
  await server.replyStream('/ai/chat?hold=1')
  expect(server.requests.at(-1)?.body).toMatchObject({ message: { id } })
})

test('when another tab is faster the text returns to the composer and that run is followed', async () => {
  const { server, session } = sendFirst('mine')
  await server.replyJson(
    '/ai/chat?hold=1',
    { error: { name: 'SessionBusy', message: 'A run is on.', data: { runId: 'r1' } } },
    409,
  )
  await server.replyJson('/ai/sessions/s1/messages', page([message('u9', 'user', 'theirs', null)]))
  const stream = await server.replyStream('/ai/chat/s1/stream')
  stream.write(1, { type: 'start', messageId: 'a9' })
  stream.write(2, { type: 'text-delta', id: '0', delta: 'x' })
  await expectState(session, texts, ['user: theirs', 'assistant: x'])
  expect(session.getState().draft).toBe('mine')
})

test('an edit is a sibling of the message and hides what followed', async () => {
  const { server, session } = await openIdleChat(conversation('one', 'two'))
  void session.edit('u1', 'uno')
  expect(texts(session.getState())).toEqual(['user: uno'])
  await server.replyStream('/ai/chat?hold=1')
  expect(server.requests.at(-1)?.body).toMatchObject({ parentMessageId: null })
})

test('regenerate names the answer and shows the new one in its place', async () => {
  const { server, session } = await openIdleChat(conversation('one', 'two'))
  void session.regenerate('a1')
  const stream = await server.replyStream('/ai/chat?hold=1')
  expect(server.requests.at(-1)?.body).toMatchObject({ trigger: 'regenerate-message', messageId: 'a1' })
  stream.write(1, { type: 'start', messageId: 'a2' })
  stream.write(2, { type: 'text-delta', id: '0', delta: 'deux' })
  await expectState(session, texts, ['user: one', 'assistant: deux'])
})

test('a regeneration started elsewhere replaces the old answer', async () => {
  const { server, session } = await openChat(conversation('one', 'two'))
  const stream = await server.replyStream('/ai/chat/s1/stream')
  stream.write(1, { type: 'start', messageId: 'a2' })
  stream.write(2, { type: 'text-delta', id: '0', delta: 'deux' })
  await expectState(session, texts, ['user: one', 'assistant: deux'])
})

test('an unused steering message is sent as a message', async () => {
  const { server, session, stream } = await startRun()
  void session.steer('and more')
  await server.replyJson('/ai/chat/s1/steer', { id: 'x', hints: [] })
  expect(session.getState().run?.steering).toMatchObject([{ text: 'and more' }])
  stream.write(2, { type: 'finish' })
  stream.end()
  await server.replyJson('/ai/sessions/s1/messages', page(conversation('hello', 'x')))
  await server.replyStream('/ai/chat?hold=1')
  expect(server.requests.at(-1)?.body).toMatchObject({
    parentMessageId: 'a1',
    message: { parts: [{ text: 'and more' }] },
  })
})

test('applied steering is no longer pending', async () => {
  const { server, session, stream } = await startRun()
  void session.steer('and more')
  await server.replyJson('/ai/chat/s1/steer', { id: 'x', hints: [] })
  const id = (server.requests.at(-1)?.body as { id: string } | undefined)?.id ?? ''
  stream.write(2, { type: 'steering-message', id, parts: [{ type: 'text', text: 'and more' }] })
  await expectState(session, (state) => state.run?.steering, [])
})

test('stop is sent to the server, and the answer is marked as stopped', async () => {
  const { server, session, stream } = await startRun()
  void session.stop()
  await server.replyJson('/ai/chat/s1/stop', {})
  stream.write(2, { type: 'abort' })
  stream.write(3, { type: 'finish', messageMetadata: { aborted: true, elapsedMs: 40 } })
  stream.end()
  const ended = (await until(session, (state) => state.run === null)).messages.at(-1)
  expect(ended?.metadata).toEqual({ aborted: true, elapsedMs: 40 })
  expect(describeRunEnd(ended)).toBe('Answer stopped.')
})

test('a message to a chat deleted elsewhere is kept, and the chat shows it', async () => {
  const { server, session } = await openIdleChat([message('a0', 'assistant', 'hi', null)])
  void session.send('hello')
  await server.replyJson('/ai/chat?hold=1', { error: { name: 'MessageNotFound', message: 'no parent' } }, 404)
  await server.replyJson('/ai/sessions/s1', { error: { name: 'SessionNotFound', message: 'gone' } }, 404)
  const state = await until(session, ({ phase }) => phase === 'missing')
  expect(texts(state)).toEqual(['assistant: hi', 'user: hello'])
  expect(state.unsent?.error.name).toBe('MessageNotFound')
})

test('older pages go above, and a fresh tail keeps them', async () => {
  const { server, session } = await openIdleChat([message('u2', 'user', 'c', 'a1')], {
    page: { hasMore: true, before: 'u2' },
  })
  void session.loadOlder()
  await server.replyJson('/ai/sessions/s1/messages?limit=60&before=u2', page(conversation('a', 'b')))
  await until(session, (state) => state.messages.length === 3)
  void session.open()
  await server.replyJson(
    '/ai/sessions/s1/messages',
    page([message('u2', 'user', 'c', 'a1'), message('a2', 'assistant', 'd', 'u2')], {
      page: { hasMore: true, before: 'u2' },
    }),
  )
  expect(texts(await until(session, (state) => state.messages.length === 4))).toEqual([
    'user: a',
    'assistant: b',
    'user: c',
    'assistant: d',
  ])
  expect(session.getState().older.hasMore).toBe(false)
})

test('a missing chat is reported', async () => {
  const server = createFakeServer()
  const session = server.openSession()
  void session.open()
  await server.replyJson(
    '/ai/sessions/s1/messages',
    { error: { name: 'SessionNotFound', message: 'The chat s1 does not exist.' } },
    404,
  )
  expect((await until(session, (state) => state.phase === 'missing')).failure?.message).toBe(
    'The chat s1 does not exist.',
  )
})

test('a wake-up reconnects from the last event id without waiting', async () => {
  const { server, session } = await startRun()
  server.wake()
  await server.replyStream('/ai/chat/s1/stream?after=1')
  expect(session.getState().connection).toBe('open')
})

test('another run on the same stream does not mix with the one before', async () => {
  const { server, session, stream: first } = await startRun()
  first.write(2, { type: 'text-delta', id: '0', delta: 'x' })
  first.break()
  const second = await server.replyStream('/ai/chat/s1/stream?after=2')
  second.write(9, { type: 'start', messageId: 'a2' })
  second.write(10, { type: 'text-delta', id: '0', delta: 'y' })
  await server.replyJson('/ai/sessions/s1/messages', page(conversation('hello', 'xx', 'more')))
  await expectState(session, texts, ['user: hello', 'assistant: xx', 'user: more', 'assistant: y'])
})

test('a run that is sent again from its start is not read twice', async () => {
  const { server, session, stream: first } = await startRun()
  first.write(4, { type: 'text-delta', id: '0', delta: 'abc' })
  await expectState(session, lastText, 'assistant: abc')
  first.break()
  const second = await server.replyStream('/ai/chat/s1/stream?after=4')
  second.write(101, { type: 'start', messageId: 'a1' })
  second.write(105, { type: 'text-delta', id: '0', delta: 'abcd' })
  await expectState(session, lastText, 'assistant: abcd')
})

test('another branch is shown down to its newest leaf, and messages sent there belong there', async () => {
  const { server, session } = await openChat([message('u2', 'user', 'two', null)])
  await server.replyIdle('/ai/chat/s1/stream')
  await server.replyJson(
    '/ai/sessions/s1/messages',
    page([message('u2', 'user', 'two', null), message('a2', 'assistant', 'zwei', 'u2')]),
  )
  await until(session, (state) => state.messages.length === 2)
  void session.showBranch('u1')
  await server.replyJson('/ai/sessions/s1/messages?limit=60&leaf=u1', page(conversation('one', 'eins')))
  expect(texts(await until(session, (state) => state.messages[0]?.id === 'u1'))).toEqual([
    'user: one',
    'assistant: eins',
  ])
  void session.send('more')
  await server.replyStream('/ai/chat?hold=1')
  expect(server.requests.at(-1)?.body).toMatchObject({ parentMessageId: 'a1' })
})

test('a rewound chat ends earlier, and the next message starts a branch there', async () => {
  const { server, session } = await openIdleChat(conversation('one', 'eins', 'two', 'zwei'))
  void session.rewindTo('a1')
  await server.replyJson('/ai/sessions/s1/messages?limit=60&leaf=a1&end=1', page(conversation('one', 'eins')))
  expect(texts(await until(session, (state) => state.messages.length === 2))).toEqual(['user: one', 'assistant: eins'])
  expect(session.getState().isRewound).toBe(true)
  void session.rewindTo(null)
  await server.replyJson('/ai/sessions/s1/messages?limit=60', page(conversation('one', 'eins')))
  await until(session, (state) => state.messages.length === 0)
  void session.rewindTo(undefined)
  await server.replyJson('/ai/sessions/s1/messages?limit=60', page(conversation('one', 'eins', 'two', 'zwei')))
  expect((await until(session, (state) => state.messages.length === 4)).isRewound).toBe(false)
  void session.rewindTo('a1')
  await server.replyJson('/ai/sessions/s1/messages?limit=60&leaf=a1&end=1', page(conversation('one', 'eins')))
  await until(session, (state) => state.messages.length === 2)
  void session.send('other')
  await server.replyStream('/ai/chat?hold=1')
  expect(server.requests.at(-1)?.body).toMatchObject({ parentMessageId: 'a1' })
  expect(session.getState().isRewound).toBe(false)
})

test('a branch that cannot be shown keeps the current one, and a deleted one gives way to the newest', async () => {
  const { server, session } = await openChat([message('u2', 'user', 'two', null)])
  await server.replyStream('/ai/chat/s1/stream')
  const shown = session.showBranch('u1')
  await server.fail('/ai/sessions/s1/messages?limit=60&leaf=u1')
  await shown
  expect(server.errors).toMatchObject([{ name: 'Unreachable' }])
  expect(texts(session.getState())).toEqual(['user: two'])
  void session.showBranch('u1')
  await server.replyJson('/ai/sessions/s1/messages?limit=60&leaf=u1', page(conversation('one')))
  await until(session, (state) => state.messages[0]?.id === 'u1')
  void session.open()
  await server.replyJson('/ai/sessions/s1/messages?limit=60&leaf=u1', { error: { name: 'MessageNotFound' } }, 404)
  await server.replyJson('/ai/sessions/s1/messages?limit=60', page([message('u2', 'user', 'two', null)]))
  await until(session, (state) => state.messages[0]?.id === 'u2')
  expect(session.getState().phase).toBe('ready')
})

test('a message that is on its way arrives although the session is left', async () => {
  const server = createFakeServer()
  const session = server.openSession('new')
  void session.open()
  void session.send('hello')
  session.close()
  const stream = await server.replyStream('/ai/chat?hold=1')
  await stream.cut
  void session.open()
  const sent = server.requests[0]?.body as { message: { id: string } }
  await server.replyJson('/ai/sessions/s1/messages', page([message(sent.message.id, 'user', 'hello', null)]))
  const again = await server.replyStream('/ai/chat/s1/stream')
  again.write(1, { type: 'start', messageId: 'a1' })
  again.write(2, { type: 'text-delta', id: '0', delta: 'x' })
  await expectState(session, texts, ['user: hello', 'assistant: x'])
})

test('a session that was left while it was read is not followed', async () => {
  const server = createFakeServer()
  const session = server.openSession()
  const opened = session.open()
  session.close()
  await server.replyJson('/ai/sessions/s1/messages', page(conversation('hello')))
  await opened
  expect(server.requests.map(({ path }) => path)).toEqual(['/ai/sessions/s1/messages?limit=60'])
})

test('a rejected regeneration leaves the answer unchanged', async () => {
  const { server, session } = await openIdleChat(conversation('one', 'two'))
  void session.regenerate('a1')
  await server.replyJson(
    '/ai/chat?hold=1',
    { error: { name: 'ModelNotFound', message: 'There is no such model.' } },
    422,
  )
  await server.replyJson('/ai/sessions/s1/messages', page(conversation('one', 'two')))
  expect(texts(await until(session, (state) => state.messages.length === 2))).toEqual(['user: one', 'assistant: two'])
  expect(server.errors).toMatchObject([{ name: 'ModelNotFound' }])
  expect(session.getState()).toMatchObject({ draft: '', unsent: null, run: null })
})

test('a requested message is shown in its branch, and the run is still followed', async () => {
  const server = createFakeServer()
  const session = server.openSession()
  void session.open()
  void session.goTo('u1')
  await server.replyJson('/ai/sessions/s1/messages?limit=60', page([message('u2', 'user', 'two', null)]))
  await server.replyJson('/ai/sessions/s1/messages?limit=60&leaf=u1', page(conversation('one')))
  await server.replyStream('/ai/chat/s1/stream')
  const state = await until(session, (current) => current.messages[0]?.id === 'u1')
  expect(state.target).toBe('u1')
})

test('an earlier answer regenerated elsewhere appears below its own question', async () => {
  const { server, session } = await openChat(conversation('one', 'eins', 'two', 'zwei'))
  const stream = await server.replyStream('/ai/chat/s1/stream')
  stream.write(1, { type: 'start', messageId: 'a3' })
  stream.write(2, { type: 'text-delta', id: '0', delta: 'uno' })
  await server.replyJson('/ai/sessions/s1', {
    session: { run: { id: 'r1', status: 'running', messageId: 'a3', userMessageId: 'u1' } },
  })
  await expectState(session, texts, ['user: one', 'assistant: uno'])
})

test('a message far above is loaded, in the current branch', async () => {
  const below = (before: string) => ({ page: { hasMore: true, before } })
  const { server, session } = await openChat([message('u3', 'user', 'three', 'u2')], below('u3'))
  await server.replyIdle('/ai/chat/s1/stream')
  await server.replyJson('/ai/sessions/s1/messages', page([message('u3', 'user', 'three', 'u2')], below('u3')))
  const gone = session.goTo('u1', { inSight: true })
  await server.replyJson(
    '/ai/sessions/s1/messages?limit=500&before=u3',
    page([message('u2', 'user', 'two', 'u1')], below('u2')),
  )
  await server.replyJson('/ai/sessions/s1/messages?limit=500&before=u2', page(conversation('one')))
  await gone
  expect(texts(session.getState())).toEqual(['user: one', 'user: two', 'user: three'])
  expect(session.getState().target).toBe('u1')
})

test('a message that cannot be loaded is requested once', async () => {
  const answered = [message('u1', 'user', 'one', 'u0'), message('a1', 'assistant', 'eins', 'u1')]
  const { server, session } = await openIdleChat(answered, { page: { hasMore: true, before: 'u1' } })
  const gone = session.goTo('u0', { inSight: true })
  await server.fail('/ai/sessions/s1/messages?limit=500')
  await gone
  expect(server.errors).toHaveLength(1)
})

test('a summary is undone and redone on the server, and shown accordingly', async () => {
  const data = { id: 'c1', upTo: { messageId: 'u1', step: 0 }, summary: 'short' }
  const answer = message('a1', 'assistant', 'eins', 'u1')
  answer.parts.push({ type: 'data-compaction', id: 'c1', data })
  const { server, session } = await openIdleChat([message('u1', 'user', 'one', null), answer])
  const undone = session.switchCompaction('c1', true)
  await server.replyJson('/ai/sessions/s1/compactions/c1', { compaction: { ...data, off: true } })
  await undone
  expect(server.requests.at(-1)).toMatchObject({ method: 'PATCH', body: { off: true } })
  expect(session.getState().messages[1]?.parts[1]).toMatchObject({ type: 'data-compaction', data: { off: true } })
  const refused = session.switchCompaction('c1', false)
  await server.replyJson('/ai/sessions/s1/compactions/c1', { error: { name: 'SessionBusy', message: 'Wait.' } }, 409)
  await refused
  expect(session.getState().messages[1]?.parts[1]).toMatchObject({ data: { off: true } })
  expect(server.errors).toHaveLength(1)
})
