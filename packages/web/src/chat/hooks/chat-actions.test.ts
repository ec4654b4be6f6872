import { expect, test } from 'vitest'
import { createFakeServer, message, page } from '../../testing/fake-server.ts'
import { chatActions } from './use-chat-actions.ts'
import { messagePlaces } from './use-chat-state.ts'

const branch = [message('u1', 'user', 'hello', null), message('a1', 'assistant', 'one', 'u1')]
const alone = { index: 1, total: 1, prev: null, next: null }
const siblings = { u1: alone, a1: { index: 2, total: 2, prev: 'a0', next: null } }

test('every action works, and a deletion returns its undo', async () => {
  const server = createFakeServer()
  const session = server.openSession()
  const actions = chatActions(session)
  for (const action of Object.values(actions)) expect(action).toBeTypeOf('function')
  void session.open()
  await server.replyJson('/ai/sessions/s1/messages', page(branch, { siblings }))
  await server.replyIdle('/ai/chat/s1/stream')
  const removing = actions.remove('a1')
  await server.replyJson('/ai/sessions/s1/messages/a1', { deleted: ['a1'], removalId: 'r1' })
  await server.replyJson('/ai/sessions/s1/messages', page([branch[0]!]))
  const undoing = (await removing)?.()
  await server.replyJson('/ai/sessions/s1/removals/r1/undo', { restored: ['a1'] })
  await server.replyJson('/ai/sessions/s1/messages', page(branch, { siblings }))
  await undoing
  expect(session.getState().messages.map(({ id }) => id)).toEqual(['u1', 'a1'])

  const refused = actions.remove('a1')
  await server.replyJson('/ai/sessions/s1/messages/a1', { error: { name: 'Odd', message: 'No.', data: {} } }, 409)
  expect(await refused).toBeUndefined()
})

test('positions of messages follow the branch; unstored messages have none', () => {
  expect(messagePlaces([...branch, { id: 'new' }], siblings)).toEqual([
    { messageId: 'u1', ...alone },
    { messageId: 'a1', index: 2, total: 2, prev: 'a0', next: null },
  ])
})
