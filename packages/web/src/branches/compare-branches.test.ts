import type { Part, StoredMessage } from '@troupe/core/protocol'
import { expect, test } from 'vitest'
import { summariseBranch } from './compare-branches.ts'
import { mergeText } from './merge-text.ts'

const call = (toolCallId: string, content: unknown, state = 'output-available') =>
  ({
    type: 'tool-Edit',
    toolCallId,
    state,
    input: { file_path: 'x' },
    ...(state === 'output-available' ? { output: 'ok' } : { errorText: 'no' }),
    toolMetadata: { troupe: { display: { title: `Edit ${toolCallId}`, content } } },
  }) as unknown as Part

const branch: StoredMessage[] = [
  { id: 'u', parentMessageId: null, role: 'user', parts: [{ type: 'text', text: 'Do it\nwell' }], createdAt: 1 },
  {
    id: 'a',
    parentMessageId: 'u',
    role: 'assistant',
    createdAt: 2,
    metadata: { usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 }, cost: 0.25, elapsedMs: 1000 },
    parts: [
      call('c1', { kind: 'diff', path: 'a.ts' }),
      call('c2', { kind: 'patch', files: [{ path: 'a.ts' }, { path: 'b.ts' }] }),
      call('c3', { kind: 'diff', path: 'never.ts' }, 'output-error'),
      call('c4', { kind: 'file', path: 'read.ts' }),
      { type: 'text', text: 'Done.' },
    ],
  },
]

test('a branch is told by its calls, the files it changed, its tokens and its price', () => {
  const { calls, ...rest } = summariseBranch(branch)
  expect(rest).toEqual({ messages: 2, files: ['a.ts', 'b.ts'], tokens: 3, cost: 0.25, elapsedMs: 1000 })
  expect(calls.map(({ title, failed }) => [title, failed])).toEqual([
    ['Edit c1', false],
    ['Edit c2', false],
    ['Edit c3', true],
    ['Edit c4', false],
  ])
  expect(summariseBranch([]).cost).toBeUndefined()
})

test('the outcome of a branch becomes a message that the person finishes', () => {
  expect(mergeText(branch)).toBe(
    [
      'In another branch of this conversation you were asked:',
      '> Do it\n> well',
      'Your answer there was:',
      '> Done.',
      'Files that were changed there:',
      '- a.ts\n- b.ts',
      'Take what is useful in it into account here.',
    ].join('\n\n'),
  )
})
