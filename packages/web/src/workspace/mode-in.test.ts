import type { Chunk } from '@troupe/protocol'
import { expect, test } from 'vitest'
import { readModeChange } from './chunk-events.ts'

const event = (name: string, data: unknown) => ({ type: 'data-ui-event', data: { name, data } }) as Chunk

test('only a complete, known mode is accepted from the stream', () => {
  expect(readModeChange(event('session-mode', { sessionId: 's1', mode: 'plan' }))).toEqual({
    sessionId: 's1',
    mode: 'plan',
  })
  expect(readModeChange(event('session-mode', { sessionId: 's1', mode: 'toString' }))).toBeUndefined()
  expect(readModeChange(event('session-mode', null))).toBeUndefined()
  expect(readModeChange(event('other', { sessionId: 's1', mode: 'plan' }))).toBeUndefined()
})
