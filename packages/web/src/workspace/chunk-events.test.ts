import type { Chunk } from '@troupe/protocol'
import { expect, test } from 'vitest'
import type { AppState } from './app-state.ts'
import { readSessionChoice } from './chunk-events.ts'

const state = { chosenModels: { s1: 'a/b', s2: 'a/b' }, chosenAgents: {} } as unknown as AppState
const event = (name: string, data: unknown): Chunk => ({ type: 'data-ui-event', data: { name, data }, transient: true })

test('a command’s choice becomes the page’s choice', () => {
  expect(readSessionChoice(event('session-model', { sessionId: 's1', model: 'c/d' }), state)).toEqual({
    chosenModels: { s1: 'c/d', s2: 'a/b' },
  })
  expect(readSessionChoice(event('session-agent', { sessionId: 's1', agent: 'explore' }), state)).toEqual({
    chosenAgents: { s1: 'explore' },
  })
})

test('other chunks choose nothing', () => {
  expect(readSessionChoice(event('session-mode', { sessionId: 's1', mode: 'plan' }), state)).toBeUndefined()
  expect(readSessionChoice(event('session-model', null), state)).toBeUndefined()
  expect(readSessionChoice({ type: 'start-step' }, state)).toBeUndefined()
})
