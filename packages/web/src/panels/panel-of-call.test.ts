import { expect, test } from 'vitest'
import type { ToolCall } from '../chat/session/message-parts.ts'
import { panelForCall } from './open-in-panel.tsx'

const call = (content: unknown, state: ToolCall['state'] = 'output-available') =>
  ({ toolCallId: 'c1', state, notes: { display: { title: 'Title', content } } }) as ToolCall

test.each([
  [
    { kind: 'file', path: 'src/a.ts', from: 20 },
    { kind: 'file', key: 'src/a.ts', title: 'a.ts', data: { path: 'src/a.ts', line: 20 } },
  ],
  [
    { kind: 'file', path: 'a.ts', from: 1 },
    { kind: 'file', key: 'a.ts', title: 'a.ts', data: { path: 'a.ts' } },
  ],
  [
    { kind: 'terminal', command: 'npm test\nmore', taskId: 'task-1' },
    { kind: 'terminal', title: 'Terminal', data: { taskId: 'task-1' } },
  ],
  [
    { kind: 'page', url: 'https://a.de/x', title: ' ' },
    { kind: 'browser', key: 'https://a.de/x', title: 'a.de', data: { url: 'https://a.de/x' } },
  ],
])('%j opens as a panel', (content, panel) => {
  expect(panelForCall(call(content))).toEqual(panel)
})

test('changes are stored with their panel unless they are long; then the call is', () => {
  const small = { kind: 'diff', path: 'src/a.ts', diff: '@@ -1 +1 @@\n-a\n+b\n' }
  expect(panelForCall(call(small))).toEqual({
    kind: 'diff',
    key: 'c1',
    title: 'a.ts',
    data: { toolCallId: 'c1', content: small },
  })
  expect(panelForCall(call({ kind: 'patch', files: ['x'.repeat(60_000)] }))).toEqual({
    kind: 'diff',
    key: 'c1',
    title: 'Title',
    data: { toolCallId: 'c1' },
  })
})

test.each([
  undefined,
  'text',
  { kind: 'terminal', command: 'ls' },
  { kind: 'page', url: 'javascript:alert(1)' },
  { kind: 'file' },
  { kind: 'checklist', items: [] },
])('%j has no panel', (content) => {
  expect(panelForCall(call(content))).toBeUndefined()
})

test('a call without a result has none yet', () => {
  expect(panelForCall(call({ kind: 'file', path: 'a' }, 'input-available'))).toBeUndefined()
})
