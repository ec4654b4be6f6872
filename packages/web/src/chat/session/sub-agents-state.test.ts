import { type Chunk, foldChunks } from '@troupe/protocol'
import { expect, test } from 'vitest'
import type { SubAgentInfo } from '../../api/session-types.ts'
import { readActivity } from './sub-agent.ts'
import {
  childrenByParent,
  hasSameShape,
  pathTo,
  type SubAgentMap,
  subtree,
  withActivity,
  withEnded,
  withInfo,
  withListed,
  withReport,
  withStarted,
} from './sub-agents-state.ts'

const none: SubAgentMap = new Map()
const start = (agentId: string, parentAgentId: string | null = null) => ({
  agentId,
  parentAgentId,
  name: agentId,
  task: `work of ${agentId}`,
})
const info = (agentId: string, fields: Partial<SubAgentInfo> = {}): SubAgentInfo => ({
  ...start(agentId),
  sessionId: 's',
  agentType: 'system',
  title: '',
  runId: null,
  status: 'completed',
  createdAt: 100,
  updatedAt: 400,
  toolCallId: `call-${agentId}`,
  background: false,
  steps: 4,
  tokens: 40,
  cost: 0.5,
  model: 'test/script',
  ...fields,
})
const started = (...ids: string[]) =>
  ids.reduce((agents, id) => withStarted(agents, start(id, id.split('.').slice(0, -1).join('.') || null), 1000), none)
const activity = (...chunks: Chunk[]) => readActivity(foldChunks(chunks))

test('an agent’s activity is its newest call without a result and its last line', () => {
  const grep: Chunk = { type: 'tool-input-available', toolCallId: 'g', toolName: 'Grep', input: { pattern: 'fold' } }
  const written = [
    { type: 'start', messageId: 'm', messageMetadata: { createdAt: 900 } },
    { type: 'start-step' },
    { type: 'text-delta', id: '0', delta: 'First.\n\n## I look for **fold**\n' },
    grep,
  ] satisfies Chunk[]
  expect(activity(...written)).toEqual({
    currentCall: { title: 'Grep', target: 'fold' },
    line: 'I look for fold',
    asks: 0,
    steps: 1,
    startedAt: 900,
    elapsedMs: undefined,
  })
  const done: Chunk = { type: 'tool-output-available', toolCallId: 'g', output: [] }
  expect(activity(...written, done).currentCall).toBeNull()
  const asked: Chunk = { type: 'tool-approval-request', toolCallId: 'g', approvalId: 'a1' }
  expect(activity(...written, asked)).toMatchObject({ currentCall: { target: 'fold' }, asks: 1 })
})

test('an agent waits for its place, works, asks and ends as its own chunks tell', () => {
  let agents = started('a')
  expect(agents.get('a')).toMatchObject({ status: 'pending', startedAt: 1000, elapsedMs: null })
  agents = withActivity(agents, 'a', activity({ type: 'start-step' }), 12)
  expect(agents.get('a')).toMatchObject({ status: 'running', steps: 1, tokens: 12 })
  agents = withActivity(
    agents,
    'a',
    activity(
      { type: 'tool-input-available', toolCallId: 'c', toolName: 'Bash', input: { command: 'rm x' } },
      { type: 'tool-approval-request', toolCallId: 'c', approvalId: 'ask' },
    ),
    12,
  )
  expect(agents.get('a')).toMatchObject({ status: 'waiting', asks: 1, currentCall: { title: 'Bash', target: 'rm x' } })
  agents = withEnded(agents, { agentId: 'a', status: 'completed' }, 3500)
  expect(agents.get('a')).toMatchObject({ status: 'completed', asks: 0, currentCall: null, elapsedMs: 2500 })
})

test('the call that started an agent determines its final status', () => {
  const report = { agentId: 'a', name: 'a', status: 'waiting', steps: 3, tokens: 99 }
  let agents = withReport(started('a'), { toolCallId: 'call', delta: report })
  // It waits because its sub-agent waits, which its own chunks do not show.
  agents = withActivity(agents, 'a', activity({ type: 'start-step' }), 5)
  expect(agents.get('a')).toMatchObject({ status: 'waiting', toolCallId: 'call', steps: 3, tokens: 99 })
  expect(withReport(agents, { toolCallId: 'bash', delta: 'some text' })).toBe(agents)
  expect(withReport(agents, { toolCallId: 'other', delta: { agentId: 'nobody' } })).toBe(agents)
})

test('one with new input starts again and keeps its history', () => {
  const ended = withListed(none, [info('a', { note: 'cut' })])
  expect(ended.get('a')).toMatchObject({ status: 'completed', steps: 4, cost: 0.5, note: 'cut', elapsedMs: 300 })
  const woken = withStarted(ended, start('a'), 5000)
  expect(woken.get('a')).toMatchObject({
    status: 'pending',
    startedAt: 5000,
    elapsedMs: null,
    note: null,
    toolCallId: 'call-a',
    model: 'test/script',
  })
})

test('the list is authoritative, except for later events', () => {
  const agents = withEnded(started('a', 'b'), { agentId: 'a', status: 'stopped' }, 2000)
  const infos = [info('b', { status: 'running' }), info('a', { status: 'running' })]
  expect(withListed(agents, infos).get('a')?.status).toBe('running')
  const merged = withListed(agents, infos, new Set(['a']))
  expect([...merged.keys()]).toEqual(['b', 'a'])
  expect(merged.get('a')).toMatchObject({ status: 'stopped', elapsedMs: 1000 })
  expect(withInfo(merged, info('b', { status: 'failed', note: 'no' })).get('b')).toMatchObject({
    status: 'failed',
    note: 'no',
    tokens: 40,
  })
})

test('the tree follows parents; agents with an unknown parent are at the top', () => {
  const agents = started('a', 'b', 'a.x', 'a.x.deep', 'gone.child')
  const below = childrenByParent(agents)
  expect(below.get(null)).toEqual(['a', 'b', 'gone.child'])
  expect(below.get('a')).toEqual(['a.x'])
  expect(subtree(below, ['a'])).toEqual(['a', 'a.x', 'a.x.deep'])
  expect(pathTo(agents, 'a.x.deep').map(({ agentId }) => agentId)).toEqual(['a', 'a.x', 'a.x.deep'])
  expect(hasSameShape(agents, withEnded(agents, { agentId: 'a', status: 'completed' }, 1))).toBe(true)
  expect(hasSameShape(agents, withStarted(agents, start('new'), 1))).toBe(false)
})

test('agents that say to work for each other end no page', () => {
  const agents = withListed(none, [info('a', { parentAgentId: 'b' }), info('b', { parentAgentId: 'a' })])
  expect(pathTo(agents, 'a')).toHaveLength(2)
  expect(subtree(childrenByParent(agents), ['a'])).toEqual(['a', 'b'])
})
