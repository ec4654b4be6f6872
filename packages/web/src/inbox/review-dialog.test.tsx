import type { Ask } from '@troupe/core'
import { expect, test, vi } from 'vitest'
import type { SessionState } from '../chat/session/session-state.ts'
import { ask } from '../testing/open-app.ts'
import { button, change, click, named, press, render, type } from '../testing/render.tsx'
import { t } from '../texts/t.ts'
import { ReviewDialog } from './review-dialog.tsx'

const command = (id: string, text: string, fields: Partial<Ask> = {}) =>
  ask(id, {
    kind: 'approval',
    sessionId: 's1',
    title: 'Run a command',
    summary: 'What the model says about it',
    toolName: 'Bash',
    input: { command: text },
    content: { kind: 'terminal', command: text },
    ...fields,
  })
const diff = '@@ -1,3 +1,3 @@\n-a\n+A\n b\n-c\n+C\n'
const hunks = [
  { id: 'h1', from: 1, to: 3 },
  { id: 'h2', from: 4, to: 6 },
]
const edit = ask('k3', {
  kind: 'approval',
  sessionId: 's1',
  title: 'Edit a file',
  summary: 'a.txt',
  toolName: 'Edit',
  content: { kind: 'diff', path: 'a.txt', change: 'changed', diff, added: 2, removed: 2, hunks },
})

async function show(asks: Ask[], reviewedSession: string | null = 's1', chat: Partial<SessionState> = {}) {
  vi.spyOn(performance, 'now').mockImplementation(() => Date.now() + 10_000)
  const sent: [string, unknown][] = []
  const answers = Object.fromEntries(
    asks.map(({ id }) => [
      `POST /ai/asks/${id}`,
      (body: unknown) => {
        sent.push([id, (body as { answer: unknown }).answer])
        return { ask: {}, settled: [] }
      },
    ]),
  )
  const shown = await render(<ReviewDialog />, { app: { asks, reviewedSession, dialog: 'review' }, answers, chat })
  return { ...shown, sent }
}

const entries = (view: HTMLElement) =>
  [...view.querySelectorAll('.review-entry')].map(
    (entry) =>
      `${entry.querySelector('span')?.textContent}${entry.getAttribute('aria-current') === 'true' ? ' <' : ''}`,
  )

test('keys move through the approvals of the chat, and the chosen one is shown', async () => {
  const other = command('k9', 'elsewhere', { sessionId: 's2' })
  const question = ask('q', { kind: 'question', sessionId: 's1' })
  const { view } = await show([command('k1', 'ls'), command('k2', 'npm test'), edit, other, question])
  expect(entries(view)).toEqual(['ls <', 'npm test', 'a.txt  +2 −2'])
  const list = view.querySelector<HTMLElement>('.review-list')!
  await press(list, 'j')
  expect(entries(view)).toEqual(['ls', 'npm test <', 'a.txt  +2 −2'])
  await press(list, 'ArrowDown')
  await press(list, 'ArrowDown')
  expect(view.querySelector('.review-detail')?.textContent).toContain('a.txt')
  await press(list, 'k')
  expect(entries(view)).toEqual(['ls', 'npm test <', 'a.txt  +2 −2'])
  expect(document.activeElement?.textContent).toContain('npm test')
})

test('approvals of a chat are listed in the order of its tool calls', async () => {
  const part = (toolCallId: string) => ({ type: 'tool-Bash', toolCallId, state: 'input-available', input: {} })
  const answer = { id: 'a1', role: 'assistant', parts: ['c1', 'c2'].map(part) }
  const asks = ['c9', 'c2', 'c1'].map((toolCallId) => command(toolCallId, toolCallId, { toolCallId }))
  const { view } = await show(asks, 's1', { run: { answer } as never })
  expect(entries(view)).toEqual(['c1 <', 'c2', 'c9'])
})

test('all chats are reviewed from the inbox', async () => {
  const { view } = await show([command('k1', 'ls'), command('k9', 'elsewhere', { sessionId: 's2' })], null)
  expect(entries(view)).toEqual(['ls <', 'elsewhere'])
})

test('all are allowed once, as spelled out, without those that arrived later', async () => {
  const { view, app, sent } = await show([command('k1', 'ls'), command('k2', 'npm test'), edit])
  await click(button(t.review.allowAll))
  expect([...view.querySelectorAll('.review-confirm code')].map((code) => code.textContent)).toEqual([
    'ls',
    'npm test',
    'a.txt  +2 −2',
  ])
  await change(() => app.setState({ asks: [...app.getState().asks, command('k4', 'rm -rf .')] }))
  expect(view.querySelector('.review-confirm')?.textContent).not.toContain('rm -rf')
  expect(view.querySelector('.review-later')?.textContent).toContain(t.review.arrived(1))
  await click(button(t.review.allow(3)))
  expect(sent).toEqual([
    ['k1', { type: 'approve' }],
    ['k2', { type: 'approve' }],
    ['k3', { type: 'approve' }],
  ])
  expect(entries(view)).toEqual([])
  await click(button(t.review.showThem))
  expect(entries(view)).toEqual(['rm -rf . <'])
})

test('changes that were rejected in a card stay rejected', async () => {
  const { view, sent } = await show([command('k1', 'ls'), edit])
  await press(view.querySelector<HTMLElement>('.review-list')!, 'j')
  await click(named('input', new RegExp(t.displays.hunk(1, 2))))
  await click(button(t.review.allowAll))
  expect(view.querySelector('.review-confirm')?.textContent).toContain(t.inbox.willMake(1, 2))
  await click(button(t.review.allow(2)))
  expect(sent[1]).toEqual(['k3', { type: 'approve', hunks: ['h2'] }])
})

test('a call with an invalid edit is not among those that are allowed', async () => {
  const { view, sent } = await show([command('k1', 'ls'), command('k2', 'rm x')])
  await press(view.querySelector<HTMLElement>('.review-list')!, 'j')
  await click(button(t.inbox.editInput))
  await click(button(t.inbox.asJson))
  await type(view.querySelector<HTMLElement>('.review-detail textarea')!, '{ not JSON')
  await click(button(t.review.allowAll))
  await click(button(t.review.allow(1)))
  expect(sent).toEqual([['k1', { type: 'approve' }]])
})

test('all are denied, and those that closed with their turn are no error', async () => {
  const { view, sent, app, errors } = await show([command('k1', 'ls'), command('k2', 'npm test')])
  await click(button(t.review.denyAll))
  await click(button(t.review.deny(2)))
  expect(sent).toEqual([
    ['k1', { type: 'deny' }],
    ['k2', { type: 'deny' }],
  ])
  expect(entries(view)).toEqual([])
  expect(errors).toEqual([])
  expect(app.getState().asks).toEqual([])
})
