import { act } from 'react'
import { expect, test } from 'vitest'
import type { ListedSession } from '../api/api.ts'
import { listed } from '../testing/open-app.ts'
import { button, click, field, press, render, type } from '../testing/render.tsx'
import { t } from '../texts/t.ts'
import { withSeen } from '../workspace/seen-chats.ts'
import { SessionRow } from './session-row.tsx'

async function show(fields: Partial<ListedSession> = {}, { waiting = 0, picked = null as string[] | null } = {}) {
  const session = listed('s2', { title: 'Plans', ...fields })
  const answers = { 'PATCH /ai/sessions/s2': () => ({ session }), 'GET /ai/sessions': () => ({ sessions: [session] }) }
  const shown = await render(
    <SessionRow
      session={session}
      current={false}
      time={undefined}
      waiting={waiting}
      order={() => ['s1', 's2', 's3']}
    />,
    { answers, app: { picked } as never },
  )
  return { ...shown, row: () => shown.view.querySelector<HTMLButtonElement>('.session-open')! }
}

test('a click opens the chat; with Ctrl or Shift it selects', async () => {
  const { app, row } = await show()
  await click(row())
  expect(app.getState().sessionId).toBe('s2')
  await click(row(), { ctrlKey: true })
  expect(app.getState().picked).toEqual(['s2'])
  await click(row(), { ctrlKey: true })
  expect(app.getState().picked).toEqual([])
})

test('Shift selects the range from the last selected chat', async () => {
  const { app, row } = await show({}, { picked: ['s1'] })
  await click(row(), { shiftKey: true })
  expect(app.getState().picked).toEqual(['s1', 's2'])
})

test('F2 renames; Enter saves, Escape leaves the title', async () => {
  const { row, requests } = await show()
  await press(row(), 'F2')
  await type(field(t.sessions.titleField), 'Other plans')
  await press(field(t.sessions.titleField), 'Escape')
  expect(requests).not.toContain('PATCH /ai/sessions/s2')
  await press(row(), 'F2')
  await type(field(t.sessions.titleField), 'Other plans')
  await press(field(t.sessions.titleField), 'Enter')
  expect(requests).toContain('PATCH /ai/sessions/s2')
})

test('Delete in the trash asks first', async () => {
  const { row, requests } = await show({ trashedAt: 1 })
  await press(row(), 'Delete')
  expect(document.body.textContent).toContain(t.sessions.deleteTitle)
  expect(requests.filter((request) => request.startsWith('DELETE'))).toEqual([])
  expect(button(t.sessions.deletePermanently)).toBeDefined()
})

test('a chat in the trash cannot be renamed', async () => {
  const { row, view } = await show({ trashedAt: 1 })
  await press(row(), 'F2')
  expect(view.querySelector('input')).toBeNull()
})

test('says that it runs or needs approval, and approval wins', async () => {
  const run = { id: 'r', status: 'running' } as never
  expect((await show({ run })).row().textContent).toContain(t.sessions.running)
  const { row } = await show({ run }, { waiting: 3 })
  expect(row().textContent).toContain(t.sessions.needsAttention)
  expect(row().textContent).not.toContain(t.sessions.running)
})

test('an empty title gets a name, a hostile or huge one is shown as text', async () => {
  expect((await show({ title: '' })).row().textContent).toContain(t.sessions.untitled)
  const title = `<img src=x onerror=alert(1)>${'x'.repeat(100_000)}`
  const { row, view } = await show({ title })
  expect(view.querySelector('img')).toBeNull()
  expect(row().querySelector('.session-title')?.textContent === title).toBe(true)
})

test('an answer that came while another chat was in view is marked until the chat is opened', async () => {
  const { view, app, row } = await show({ updatedAt: Date.now() + 1000 })
  expect(view.querySelector('.session-unread')).not.toBeNull()
  // The mark describes the chat. It is not a part of its name.
  expect(document.getElementById(row().getAttribute('aria-describedby') ?? '')?.textContent).toBe(t.sessions.unread)
  const { id, updatedAt } = listed('s2', { updatedAt: Date.now() + 1000 })
  await act(async () => app.setState(({ seen }) => ({ seen: withSeen(seen, { id, updatedAt }) })))
  expect(view.querySelector('.session-unread')).toBeNull()
})
