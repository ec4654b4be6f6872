import { expect, test } from 'vitest'
import { conversation, message, openChat, openIdleChat, page, expectState } from '../../testing/fake-server.ts'
import { messageText, type SessionState, visibleMessages } from './session-state.ts'

const texts = (state: SessionState) => visibleMessages(state).map((shown) => messageText(shown))
const branch = conversation('hello', 'one')
const alone = { index: 1, total: 1, prev: null, next: null }
const siblings = { u1: alone, a1: { index: 2, total: 2, prev: 'a0', next: null } }

const openSession = () => openIdleChat(branch, { siblings })

test('an answer is regenerated with the named model', async () => {
  const { server, session } = await openSession()
  void session.regenerate('a1', 'other/model')
  await server.replyStream('/ai/chat?hold=1')
  expect(server.requests.at(-1)?.body).toMatchObject({
    trigger: 'regenerate-message',
    messageId: 'a1',
    model: 'other/model',
  })
  expect(texts(session.getState())).toEqual(['hello'])
})

test('a cut answer continues below it, even on a page that did not see it begin', async () => {
  const { server, session } = await openSession()
  void session.goOn('a1')
  const stream = await server.replyStream('/ai/chat?hold=1')
  expect(server.requests.at(-1)?.body).toMatchObject({ trigger: 'continue-message', messageId: 'a1' })
  stream.write(1, { type: 'start', messageId: 'a2' })
  stream.write(2, { type: 'text-delta', id: '0', delta: 'two' })
  await expectState(session, texts, ['hello', 'one', 'two'])

  const { server: later, session: other } = await openChat(branch, { siblings })
  const followed = await later.replyStream('/ai/chat/s1/stream')
  followed.write(1, { type: 'start', messageId: 'a2' })
  followed.write(2, { type: 'message-metadata', messageMetadata: { continues: 'a1' } })
  followed.write(3, { type: 'text-delta', id: '0', delta: 'two' })
  await expectState(other, texts, ['hello', 'one', 'two'])
})

test('a deletion shows the branch next to it; a refusal changes nothing', async () => {
  const { server, session } = await openSession()
  const removing = session.remove('a1')
  await server.replyJson('/ai/sessions/s1/messages/a1', { deleted: ['a1'], removalId: 'r1' })
  await server.replyJson('/ai/sessions/s1/messages', page([branch[0]!, message('a0', 'assistant', 'zero', 'u1')]))
  await removing
  expect(server.requests.at(-1)?.path).toContain('leaf=a0')
  expect(texts(session.getState())).toEqual(['hello', 'zero'])

  const refused = session.keepOnly('a0')
  await server.replyJson('/ai/sessions/s1/keep', { error: { name: 'No', message: 'Not now.' } }, 409)
  await refused
  expect(texts(session.getState())).toEqual(['hello', 'zero'])
  expect(server.errors).toMatchObject([{ message: 'Not now.' }])
})

test('a message without an answer is answered', async () => {
  const { server, session } = await openChat(conversation('hello'))
  await server.replyIdle('/ai/chat/s1/stream')
  await server.replyJson('/ai/sessions/s1/messages', page(conversation('hello')))
  void session.regenerate('u1')
  await server.replyStream('/ai/chat?hold=1')
  expect(server.requests.at(-1)?.body).toMatchObject({ trigger: 'regenerate-message', messageId: 'u1' })
  expect(session.getState().run?.parentMessageId).toBe('u1')
})
