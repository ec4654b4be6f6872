import { expect, test } from 'vitest'
import { deliveredMessages, undeliveredMessages } from './session-hooks.ts'

const text = (words: string) => [{ type: 'text' as const, text: words }]
const conversation = [
  { id: 't1', role: 'user' as const, parts: text('look') },
  {
    id: 'x',
    role: 'assistant' as const,
    parts: [{ type: 'steering-message' as const, id: 's1', parts: text('go on') }],
  },
]

test('an agent has received its messages and its steering input', () => {
  expect(deliveredMessages(conversation)).toEqual([
    { id: 't1', text: 'look' },
    { id: 's1', text: 'go on' },
  ])
})

test('input is pending until its conversation shows it; repeated text counts twice', () => {
  const sent = [
    { id: 'a', text: 'go on', after: 't1' },
    { id: 'b', text: 'go on', after: 't1' },
  ]
  expect(undeliveredMessages(sent, deliveredMessages(conversation)).map(({ id }) => id)).toEqual(['b'])
  expect(undeliveredMessages([{ id: 'c', text: 'go on', after: 's1' }], deliveredMessages(conversation))).toHaveLength(
    1,
  )
  expect(undeliveredMessages([{ id: 'd', text: 'look', after: null }], deliveredMessages(conversation))).toEqual([])
})
