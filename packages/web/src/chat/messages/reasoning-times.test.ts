import { type Chunk, foldChunks } from '@troupe/protocol'
import { expect, test } from 'vitest'
import { reasoningTimes } from './read-message.ts'

const thought = (name: string, milliseconds: number, text: string): Chunk[] => [
  { type: 'reasoning-start', id: '0' },
  { type: 'reasoning-delta', id: '0', delta: text },
  { type: 'message-metadata', messageMetadata: { reasoningMs: { [name]: milliseconds } } },
  { type: 'reasoning-end', id: '0' },
]

test('reasoning of several steps, and two parts with one id in a step, have their own times', () => {
  const message = foldChunks([
    { type: 'start', messageId: 'a1' },
    { type: 'start-step' },
    ...thought('1:0', 100, 'one'),
    ...thought('1:0:2', 200, 'two'),
    { type: 'start-step' },
    { type: 'text-start', id: '0' },
    ...thought('2:0', 300, 'three'),
    { type: 'start-step' },
    { type: 'reasoning-start', id: '0' },
    { type: 'reasoning-delta', id: '0', delta: 'still at it' },
  ])
  const times = reasoningTimes(message)
  const shown = message.parts.flatMap((part) => (part.type === 'reasoning' ? [[part.text, times.get(part)]] : []))
  expect(shown).toEqual([
    ['one', 100],
    ['two', 200],
    ['three', 300],
    ['still at it', undefined],
  ])
})

test('older answers without timed reasoning have none', () => {
  expect(reasoningTimes({ parts: [{ type: 'step-start' }, { type: 'reasoning', text: 'x' }] }).size).toBe(0)
})
