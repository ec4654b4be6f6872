import type { Part, StoredMessage } from '@troupe/protocol'
import { expect, test } from 'vitest'
import { type BranchEnd, mergeText, summarizeBranch } from './branch-data.ts'

const call = (toolCallId: string, state = 'output-available') =>
  ({
    type: 'tool-Edit',
    toolCallId,
    state,
    input: { file_path: 'x' },
    ...(state === 'output-available' ? { output: 'ok' } : { errorText: 'no' }),
    toolMetadata: { troupe: { display: { title: `Edit ${toolCallId}` } } },
  }) as unknown as Part

const messages: StoredMessage[] = [
  { id: 'u', parentMessageId: null, role: 'user', parts: [{ type: 'text', text: 'Do it\nwell' }], createdAt: 1 },
  {
    id: 'a',
    parentMessageId: 'u',
    role: 'assistant',
    createdAt: 2,
    metadata: {
      usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 },
      cost: 0.25,
      subAgents: { tokens: 7, cost: 0.5 },
      elapsedMs: 1000,
    },
    parts: [call('c1'), call('c2', 'output-error'), { type: 'text', text: 'Done.' }],
  },
]

const changes = { files: ['a.ts', 'b.ts'], commands: 1 }
const branch: BranchEnd = { messages, changes }

test('a branch is described by its tool calls, changed files, tokens and price', () => {
  const { calls, ...rest } = summarizeBranch(branch)
  expect(rest).toEqual({ messages: 2, ...changes, tokens: 10, cost: 0.75, elapsedMs: 1000 })
  expect(calls.map(({ title, failed }) => [title, failed])).toEqual([
    ['Edit c1', false],
    ['Edit c2', true],
  ])
  expect(summarizeBranch({ messages: [], changes }).cost).toBeUndefined()
})

test('the result of a branch becomes a message that the user completes', () => {
  expect(mergeText(branch)).toBe(
    [
      'In another branch of this chat, you were asked:',
      '> Do it\n> well',
      'You answered:',
      '> Done.',
      'You changed these files:',
      '- a.ts\n- b.ts',
      'Use anything helpful from it here.',
    ].join('\n\n'),
  )
})
