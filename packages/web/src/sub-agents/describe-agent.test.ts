import { expect, test } from 'vitest'
import type { SubAgent } from '../chat/session/sub-agent.ts'
import { withStarted } from '../chat/session/sub-agents-state.ts'
import { describeWork, firstLine, formatElapsed, latestText, statusLabel } from './agent-row.tsx'

const start = { agentId: 'a', parentAgentId: null, name: 'explore', task: 'look' }
const agent = { ...withStarted(new Map(), start, 0).get('a'), status: 'running' } as SubAgent

test('a running agent shows its activity, or whom it waits for', () => {
  expect(describeWork({ ...agent, status: 'pending' }).title).toBe('Waiting for a free slot')
  expect(describeWork(agent).title).toBe('Starting…')
  expect(describeWork({ ...agent, line: 'I look.' }).title).toBe('Writing…')
  const doing = { title: 'Grep', target: 'fold' }
  expect(describeWork({ ...agent, currentCall: doing })).toEqual(doing)
  expect(describeWork({ ...agent, status: 'waiting', currentCall: doing }).title).toBe('Waiting for sub-agent')
  expect(describeWork({ ...agent, status: 'waiting', asks: 1, currentCall: doing })).toEqual({
    title: 'Needs your attention',
    target: 'Grep',
  })
})

test('its status is one word, with a reason if needed', () => {
  expect(statusLabel({ status: 'waiting', asks: 0 })).toBe('waiting')
  expect(statusLabel({ status: 'waiting', asks: 2 })).toBe('needs your attention')
  expect(statusLabel({ status: 'failed', asks: 0 })).toBe('failed')
  expect(latestText({ ...agent, line: 'I look.', note: 'old' })).toBe('I look.')
  expect(latestText({ ...agent, status: 'stopped', line: 'I look.', note: 'You stopped it.' })).toBe('You stopped it.')
})

test('seconds are counted whole, and a task is shown by its first line', () => {
  expect([-5, 900, 59_999, 125_000].map(formatElapsed)).toEqual(['0 s', '0 s', '59 s', '2 min 5 s'])
  expect(firstLine('\n look here\nand there')).toBe('look here')
})
