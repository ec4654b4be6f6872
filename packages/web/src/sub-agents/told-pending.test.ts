import { expect, test } from 'vitest'
import { heardBy, toldPending } from './told-pending.ts'

const text = (words: string) => [{ type: 'text' as const, text: words }]
const conversation = [
  { id: 't1', role: 'user' as const, parts: text('look') },
  {
    id: 'x',
    role: 'assistant' as const,
    parts: [{ type: 'steering-message' as const, id: 's1', parts: text('go on') }],
  },
]

test('what an agent has heard are its messages and what came while it worked', () => {
  expect(heardBy(conversation)).toEqual([
    { id: 't1', text: 'look' },
    { id: 's1', text: 'go on' },
  ])
})

test('what it was told is pending until its conversation shows it; the same words said twice are two', () => {
  const told = [
    { id: 'a', text: 'go on', after: 't1' },
    { id: 'b', text: 'go on', after: 't1' },
  ]
  expect(toldPending(told, heardBy(conversation)).map(({ id }) => id)).toEqual(['b'])
  expect(toldPending([{ id: 'c', text: 'go on', after: 's1' }], heardBy(conversation))).toHaveLength(1)
  expect(toldPending([{ id: 'd', text: 'look', after: null }], heardBy(conversation))).toEqual([])
})
