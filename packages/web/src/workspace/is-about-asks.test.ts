import type { Chunk } from '@troupe/protocol'
import { expect, test } from 'vitest'
import { affectsAsks } from './chunk-events.ts'

test('approvals, questions and sub-agents at any depth are about asks', () => {
  const request = { type: 'tool-approval-request', approvalId: 'a', toolCallId: 'c' } as Chunk
  const of = (agentId: string, ...chunks: Chunk[]) =>
    ({ type: 'data-sub-agent-chunk', data: { agentId, chunks } }) as Chunk
  const text = { type: 'text-delta', id: '0', delta: 'x' } as Chunk
  expect(affectsAsks(request)).toBe(true)
  expect(affectsAsks({ type: 'data-ask-answer', data: {} } as Chunk)).toBe(true)
  expect(affectsAsks(of('one', text, of('two', request)))).toBe(true)
  expect(affectsAsks(of('one', text))).toBe(false)
  expect(affectsAsks(text)).toBe(false)
})
