import { expect, test } from 'vitest'
import { button, click, field, named, render, type } from '../../testing/render.tsx'
import { t } from '../../texts/t.ts'
import type { ToolCallPart } from '../session/message-parts.ts'
import { ToolPart } from './tool-part.tsx'

const diff = '@@ -1,5 +1,5 @@\n-a\n+A\n b\n-c\n+C\n d\n e\n'
const hunks = [
  { id: 'h1', from: 1, to: 3 },
  { id: 'h2', from: 4, to: 6 },
]
const file = { kind: 'diff', path: 'a.txt', change: 'changed', diff, hunks }

async function show(content: object = file) {
  const approval = { id: 'ask1', descriptor: { title: 'Write a file', content, remember: ['Edit(a.txt)'] } }
  const part = {
    type: 'dynamic-tool',
    toolName: 'Write',
    toolCallId: 'c1',
    state: 'approval-requested',
    input: { content: 'x' },
    approval,
  } as unknown as ToolCallPart
  const shown = await render(<ToolPart part={part} progress={undefined} live latest />)
  const sent = async () => {
    await shown.server.replyJson('/ai/asks/ask1', { ask: {}, settled: [] })
    const { body } = shown.server.requests.at(-1) ?? {}
    return (body as { answer: unknown }).answer
  }
  return { ...shown, sent }
}

const hunk = (number: number, total: number) =>
  named<HTMLInputElement>('input', new RegExp(t.displays.hunk(number, total)))
const crossedOut = (view: HTMLElement) =>
  [...view.querySelectorAll('tr[data-rejected] .code-text')].map((cell) => cell.textContent)

test('each change has a checkbox, and only the accepted ones are sent, with a note', async () => {
  const { view, sent } = await show()
  expect(hunk(1, 2).checked).toBe(true)
  await click(hunk(1, 2))
  expect(crossedOut(view)).toEqual(['a', 'A'])
  expect(view.querySelector('.approval-hint')?.textContent).toBe(t.inbox.willMake(1, 2))
  expect(view.querySelector('.approval-rules')).toBeNull()
  await type(field(t.inbox.rejectRemark), ' keep it ')
  await click(button(t.inbox.approvePart(1, 2)))
  expect(await sent()).toEqual({ type: 'approve', hunks: ['h2'], remark: 'keep it' })
})

test('rejecting everything denies the call', async () => {
  const { sent } = await show()
  await click(hunk(1, 2))
  await click(hunk(2, 2))
  await click(button(t.inbox.rejectAll))
  expect(await sent()).toEqual({ type: 'deny' })
})

test('changed one’s mind: it is allowed as a whole, and can be remembered', async () => {
  const { sent } = await show()
  await click(hunk(1, 2))
  await click(hunk(1, 2))
  await click(button(t.inbox.approveSession))
  expect(await sent()).toEqual({ type: 'approve', remember: 'session' })
})

test('hunks of a patch are counted over its files, with moves and deletions', async () => {
  const files = [
    file,
    {
      kind: 'diff',
      path: 'to.txt',
      from: 'from.txt',
      change: 'moved',
      diff: '',
      hunks: [{ id: 'h3', from: 0, to: 0 }],
    },
    {
      kind: 'diff',
      path: 'gone.txt',
      change: 'deleted',
      diff: '@@ -1 +0,0 @@\n-x\n',
      hunks: [{ id: 'h4', from: 0, to: 2 }],
    },
  ]
  const { view, sent } = await show({ kind: 'patch', files })
  await click(hunk(3, 4))
  await click(hunk(4, 4))
  expect(crossedOut(view)).toEqual(['x'])
  await click(button(t.inbox.approvePart(2, 4)))
  expect(await sent()).toEqual({ type: 'approve', hunks: ['h1', 'h2'] })
})

test('a single change has no checkbox', async () => {
  const { view } = await show({ ...file, hunks: hunks.slice(0, 1) })
  expect(view.querySelector('input[type=checkbox]')).toBeNull()
})

test('while the input is edited, there is no choice', async () => {
  await show()
  await click(button(t.inbox.editInput))
  expect(hunk(1, 2).disabled).toBe(true)
  await click(button(t.inbox.discardEdits))
  expect(hunk(1, 2).disabled).toBe(false)
})
