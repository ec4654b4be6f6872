import type { Chunk } from '@troupe/protocol'
import { expect, test } from 'vitest'
import type { SubAgentInfo } from '../../api/session-types.ts'
import { createFakeServer, message, page, until } from '../../testing/fake-server.ts'
import { messageText, visibleMessages } from './session-state.ts'

const own = '/ai/sessions/s1/agents/a'
const begun: Chunk = {
  type: 'data-sub-agent-start',
  data: { agentId: 'a', parentAgentId: null, name: 'explore', task: 'look' },
  transient: true,
}
const ended = (status: string): Chunk => ({
  type: 'data-sub-agent-end',
  data: { agentId: 'a', status },
  transient: true,
})
const envelope = (...chunks: Chunk[]): Chunk => ({
  type: 'data-sub-agent-chunk',
  data: { agentId: 'a', chunks },
  transient: true,
})
const words = (delta: string): Chunk => ({ type: 'text-delta', id: '0', delta })
const info: SubAgentInfo = {
  sessionId: 's',
  agentType: 'system',
  title: '',
  runId: null,
  agentId: 'a',
  parentAgentId: null,
  name: 'explore',
  task: 'look',
  status: 'completed',
  createdAt: 1,
  updatedAt: 2,
  toolCallId: 'call',
  background: false,
  steps: 2,
  tokens: 7,
  cost: 0.25,
  model: 'demo/tour',
}

async function openRunning() {
  const server = createFakeServer()
  const session = server.openSession()
  void session.open()
  await server.replyJson('/ai/sessions/s1/messages', page([message('u1', 'user', 'go', null)]))
  const stream = await server.replyStream('/ai/chat/s1/stream')
  let number = 0
  const write = (...chunks: Chunk[]) => {
    for (const chunk of chunks) stream.write(++number, chunk)
  }
  write({ type: 'start', messageId: 'm1' })
  return { server, session, agents: session.agents, write, stream }
}

async function openIdle(listed: SubAgentInfo) {
  const server = createFakeServer()
  server.subAgents.push(listed)
  const session = server.openSession()
  void session.open()
  await server.replyJson('/ai/sessions/s1/messages', page([message('u1', 'user', 'go', null)]))
  await server.replyIdle('/ai/chat/s1/stream')
  return { server, session, agents: session.agents }
}

test('envelopes cause one change of the tree, for any number of deltas', async () => {
  const { server, agents, write } = await openRunning()
  let changes = 0
  write(begun, envelope({ type: 'start', messageId: 'x' }, { type: 'start-step' }))
  await until(agents, ({ agents: all }) => all.get('a')?.status === 'running')
  agents.subscribe(() => changes++)
  write(...Array.from({ length: 400 }, (_, index) => envelope(words(`word ${index} `))))
  const state = await until(agents, ({ agents: all }) => all.get('a')?.line.endsWith('word 399') === true)
  expect(changes).toBeLessThan(20)
  expect(state.children.get(null)).toEqual(['a'])
  server.subAgents.push(info)
  write(ended('completed'))
  const over = await until(agents, ({ agents: all }) => all.get('a')?.cost === 0.25)
  expect(over.agents.get('a')).toMatchObject({ status: 'completed', toolCallId: 'call', currentCall: null })
})

test('a reload restores the tree from the list, then from the repeated stream', async () => {
  const server = createFakeServer()
  server.subAgents.push({ ...info, status: 'running', createdAt: 500 })
  const session = server.openSession()
  void session.open()
  const restored = await until(session.agents, ({ agents }) => agents.has('a'))
  expect(restored.agents.get('a')).toMatchObject({ status: 'running', startedAt: 500, toolCallId: 'call' })
  await server.replyJson('/ai/sessions/s1/messages', page([message('u1', 'user', 'go', null)]))
  const stream = await server.replyStream('/ai/chat/s1/stream')
  stream.write(1, { type: 'start', messageId: 'm1' })
  stream.write(2, begun)
  stream.write(3, envelope({ type: 'start', messageId: 'x', messageMetadata: { createdAt: 600 } }, words('Reading.')))
  const shown = await until(session.agents, ({ agents }) => agents.get('a')?.line === 'Reading.')
  expect(shown.agents.get('a')).toMatchObject({ status: 'running', startedAt: 600 })
  // The session's stream reports it, so no other stream is opened.
  expect(server.requests.filter(({ path }) => path.startsWith(own))).toEqual([])
})

test('one that works while its session has no run is followed by its own stream to its end', async () => {
  const { server, agents } = await openIdle({ ...info, status: 'running' })
  await server.replyJson(`${own}/messages`, page([message('t1', 'user', 'look', null)]))
  const stream = await server.replyStream(`${own}/stream`)
  stream.write(1, { type: 'start', messageId: 'x' })
  stream.write(2, words('Alone.'))
  await until(agents, ({ agents: all }) => all.get('a')?.line === 'Alone.')
  server.subAgents[0] = info
  stream.write(3, { type: 'finish' })
  stream.end()
  await server.replyJson(`${own}/messages`, page([message('t1', 'user', 'look', null)]))
  const over = await until(agents, ({ agents: all }) => all.get('a')?.status === 'completed')
  expect(over.agents.get('a')).toMatchObject({ cost: 0.25, line: 'Alone.' })
})

test('its conversation is read and followed like a chat, and messages are sent to it', async () => {
  const { server, agents } = await openIdle(info)
  await until(agents, ({ agents: all }) => all.has('a'))
  agents.show({ agentId: 'a' })
  const conversation = agents.conversation('a')
  const stored = [message('t1', 'user', 'look', null), message('x', 'assistant', 'Found.', 't1')]
  await server.replyJson(`${own}/messages`, page(stored))
  await server.replyIdle(`${own}/stream`)
  const texts = () => visibleMessages(conversation.getState()).map(messageText)
  await until(conversation, ({ messages }) => messages.length === 2)
  void conversation.send('and then?')
  await server.replyJson(`${own}/input`, { agent: { ...info, status: 'running' } })
  expect(server.requests.find(({ path }) => path === `${own}/input`)?.body).toMatchObject({ text: 'and then?' })
  await server.replyJson(`${own}/messages`, page([...stored, message('t2', 'user', 'and then?', 'x')]))
  const stream = await server.replyStream(`${own}/stream`)
  stream.write(1, { type: 'start', messageId: 'y' })
  stream.write(2, words('More.'))
  await until(conversation, () => texts().at(-1) === 'More.')
  expect(texts()).toEqual(['look', 'Found.', 'and then?', 'More.'])
  await until(agents, ({ agents: all }) => all.get('a')?.line === 'More.')
})

test('unused input returns to its text field', async () => {
  const { server, agents } = await openIdle(info)
  await until(agents, ({ agents: all }) => all.has('a'))
  const conversation = agents.conversation('a')
  void conversation.send('hello')
  expect(conversation.getState().draft).toBe('')
  await server.replyJson(`${own}/input`, { error: { name: 'AgentNotFound', message: 'Gone.' } }, 404)
  await until(conversation, ({ draft }) => draft === 'hello')
  expect(server.errors).toHaveLength(1)
})

test('an open queued agent is followed as soon as it starts', async () => {
  const { server, agents, write } = await openRunning()
  write(begun)
  await until(agents, ({ agents: all }) => all.get('a')?.status === 'pending')
  agents.show({ agentId: 'a' })
  await server.replyJson(`${own}/messages`, page([]))
  await server.replyIdle(`${own}/stream`)
  write(envelope({ type: 'start', messageId: 'x' }))
  await server.replyJson(`${own}/messages`, page([message('t1', 'user', 'look', null)]))
  const stream = await server.replyStream(`${own}/stream`)
  stream.write(1, { type: 'start', messageId: 'x' })
  stream.write(2, words('Now.'))
  const shown = await until(agents.conversation('a'), (state) => messageText(visibleMessages(state).at(-1)) === 'Now.')
  expect(visibleMessages(shown).map(messageText)).toEqual(['look', 'Now.'])
})

test('one is stopped once, and one that has just ended is not an error', async () => {
  const { server, agents, write } = await openRunning()
  write(begun, envelope({ type: 'start', messageId: 'x' }))
  await until(agents, ({ agents: all }) => all.get('a')?.status === 'running')
  void agents.stop('a')
  void agents.stop('a')
  expect(agents.getState().busy.has('a')).toBe(true)
  await server.replyJson(`${own}/stop`, { agent: { ...info, status: 'stopped' } })
  await until(agents, ({ agents: all, busy }) => all.get('a')?.status === 'stopped' && busy.size === 0)
  void agents.stop('a')
  await server.replyJson(`${own}/stop`, { error: { name: 'NoRun', message: 'Not at work.' } }, 409)
  await until(agents, ({ busy }) => busy.size === 0)
  expect(server.errors).toEqual([])
  expect(server.requests.filter(({ path }) => path === `${own}/stop`)).toHaveLength(2)
})
