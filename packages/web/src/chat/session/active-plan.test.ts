import type { Message, StoredMessage } from '@troupe/protocol'
import { expect, test } from 'vitest'
import { activePlan, currentItem } from './active-plan.ts'
import { newRun } from './session-state.ts'

const plan = (id: string, ...states: string[]) => ({
  type: 'tool-TodoWrite',
  toolCallId: id,
  state: 'output-available',
  input: {},
  output: { todos: states.map((status, index) => ({ content: `Do ${index}`, status, activeForm: `Doing ${index}` })) },
})
const message = (id: string, role: string, ...parts: object[]) =>
  ({ id, role, parts, parentMessageId: null, createdAt: 0 }) as unknown as StoredMessage
const running = (id: string, ...parts: object[]) => ({
  ...newRun('u', 0),
  answer: message(id, 'assistant', ...parts) as unknown as Message,
})
const shown = (run: Parameters<typeof activePlan>[0]['run'], ...messages: StoredMessage[]) =>
  activePlan({ run, messages })?.toolCallId

test('the plan of the running answer is shown until it is done', () => {
  expect(shown(running('a', plan('1', 'pending'), plan('2', 'in_progress', 'pending')))).toBe('2')
  expect(shown(running('a', plan('1', 'pending'), plan('2', 'completed')))).toBeUndefined()
  expect(shown(running('a', plan('1')))).toBeUndefined()
})

test('an unfinished plan stays while the next answer runs, and goes if that answer ends without it', () => {
  const before = message('a', 'assistant', plan('1', 'completed', 'pending'))
  const question = message('u', 'user', { type: 'text', text: 'Go on' })
  expect(shown(null, before)).toBe('1')
  expect(shown(newRun('u', 0), before, question)).toBe('1')
  expect(shown(running('b'), before, question)).toBe('1')
  expect(shown(running('b', plan('2', 'completed', 'completed')), before, question)).toBeUndefined()
  expect(shown(null, before, question, message('b', 'assistant'))).toBeUndefined()
})

test('the current item is the active one, or else the first that is open', () => {
  const at = (...states: string[]) => currentItem(plan('1', ...states) as never)
  expect(at('completed', 'in_progress', 'pending')).toEqual({ place: 2, total: 3, text: 'Doing 1' })
  expect(at('completed', 'completed', 'pending')).toEqual({ place: 3, total: 3, text: 'Do 2' })
})
