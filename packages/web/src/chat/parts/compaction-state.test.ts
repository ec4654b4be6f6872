import type { Part } from '@troupe/protocol'
import { expect, test } from 'vitest'
import { compactionState } from './compaction-state.ts'

const compaction = (id: string, off?: true) => ({
  id,
  upTo: { messageId: 'a1', step: 0 },
  summary: 'short',
  ...(off && { off }),
})
const branch = (...compactions: ReturnType<typeof compaction>[]) =>
  compactions.map((data) => ({ parts: [{ type: 'data-compaction', id: data.id, data } as Part] }))

test('the newest active compaction is sent to the model', () => {
  const [first, second] = [compaction('c1'), compaction('c2')]
  expect(compactionState(second, branch(first, second))).toBe('on')
  expect(compactionState(first, branch(first, second))).toBe('replaced')
  expect(compactionState(compaction('c1', true), branch(compaction('c1', true), second))).toBe('past')
})

test('an undone compaction gives way to the previous one', () => {
  const undone = compaction('c2', true)
  expect(compactionState(undone, branch(compaction('c1'), undone))).toBe('off')
  expect(compactionState(compaction('c1'), branch(compaction('c1'), undone))).toBe('on')
})
