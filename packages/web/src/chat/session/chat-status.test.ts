import { expect, test } from 'vitest'
import { type ActiveRun, chatStatus, emptySession, newRun } from './session-state.ts'

const answer: ActiveRun['answer'] = {
  id: 'a1',
  role: 'assistant',
  parts: [{ type: 'text', text: 'hi', state: 'streaming' }],
}
const asking: ActiveRun['answer'] = {
  id: 'a1',
  role: 'assistant',
  parts: [
    { type: 'tool-Bash', toolCallId: 'c1', state: 'approval-requested', input: {}, approval: { id: 'ask1' } } as never,
  ],
}

test.each([
  ['new', 'new', null],
  ['loading', 'loading', null],
  ['ready', 'ready', null],
  ['failed', 'failed', null],
  ['submitted', 'ready', newRun('u1', 1)],
  ['streaming', 'ready', { ...newRun('u1', 1), answer }],
  ['waiting', 'ready', { ...newRun('u1', 1), answer: asking }],
  ['missing', 'missing', newRun('u1', 1)],
] as const)('%s', (status, phase, run) => {
  expect(chatStatus({ ...emptySession('s1', phase), run })).toBe(status)
})
