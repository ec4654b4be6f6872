import { expect, test } from 'vitest'
import { button, click, field, press, render, type } from '../../testing/render.tsx'
import { t } from '../../texts/t.ts'
import type { Approval } from '../session/message-parts.ts'
import { ApprovalBar } from './approval-bar.tsx'

const approval = (descriptor: Approval['descriptor'] = {}): Approval => ({ id: 'ask1', descriptor })
const input = { command: 'ls', cwd: '/work' }

async function show(asked: Approval, given: unknown = input, chat = {}) {
  const shown = await render(<ApprovalBar approval={asked} input={given} />, { chat })
  const sent = async () => {
    await shown.server.replyJson('/ai/asks/ask1', { ask: {}, settled: [] })
    const { body } = shown.server.requests.at(-1) ?? {}
    return (body as { answer: unknown }).answer
  }
  return { ...shown, sent }
}

test('approves the call once, unchanged', async () => {
  const { sent } = await show(approval({ remember: ['Bash(ls)'] }))
  await click(button(t.inbox.approve))
  expect(await sent()).toEqual({ type: 'approve' })
})

test('shows the exact rules and remembers them for the chosen time', async () => {
  const { view, sent } = await show(approval({ remember: ['Bash(ls)', 'Read(/work/**)', 7, null] }))
  expect([...view.querySelectorAll('.approval-rules code')].map((rule) => rule.textContent)).toEqual([
    'Bash(ls)',
    'Read(/work/**)',
  ])
  await type(field(t.inbox.allow), 'project')
  await click(button(t.inbox.approveRemembered))
  expect(await sent()).toEqual({ type: 'approve', remember: 'project' })
})

test('offers no rule if the ask has none, even if it is invalid', async () => {
  for (const remember of [undefined, [], 'Bash(ls)', { 0: 'Bash(ls)' }, [1, {}]]) {
    const { view } = await show(approval({ remember }))
    expect(view.querySelector('select')).toBeNull()
  }
})

test('denies without a note', async () => {
  const { sent } = await show(approval())
  await click(button(t.inbox.deny))
  expect(await sent()).toEqual({ type: 'deny' })
})

test.each(['button', 'Enter'])('a remark can only deny, by %s, and says so', async (way) => {
  const { view, sent } = await show(approval())
  await type(field(t.inbox.remark), '  use rg instead ')
  expect(button(t.inbox.approve).disabled).toBe(true)
  expect(view.querySelector('output')?.textContent).toBe(t.inbox.remarkDenies)
  if (way === 'Enter') await press(field(t.inbox.remark), 'Enter')
  else await click(button(t.inbox.denyWithRemark))
  expect(await sent()).toEqual({ type: 'deny', remark: 'use rg instead' })
})

test('Enter in an empty note decides nothing', async () => {
  const { server } = await show(approval())
  await press(field(t.inbox.remark), 'Enter')
  expect(server.requests).toEqual([])
})

test('edited input is approved once, never remembered', async () => {
  const { view, sent } = await show(approval({ remember: ['Bash(ls)'] }))
  await type(field(t.inbox.allow), 'always')
  await click(button(t.inbox.editInput))
  await type(field('command'), 'ls -l')
  expect(view.querySelector('output')?.textContent).toBe(t.inbox.editedOnce)
  await click(button(t.inbox.approveEdited))
  expect(await sent()).toEqual({ type: 'approve', input: { command: 'ls -l', cwd: '/work' } })
})

test('input that is not JSON cannot be approved', async () => {
  const { view } = await show(approval(), [1, 2])
  await click(button(t.inbox.editInput))
  await type(field(t.inbox.inputAsJson), '[1, 2')
  expect(button(t.inbox.approve).disabled).toBe(true)
  expect(field(t.inbox.inputAsJson).getAttribute('aria-invalid')).toBe('true')
  expect(view.querySelector('output')?.textContent).not.toBe('')
})

test('the whole input is edited as JSON, and approved once it is valid', async () => {
  const { view, sent } = await show(approval())
  await click(button(t.inbox.editInput))
  await click(button(t.inbox.asJson))
  const editor = () => field(t.inbox.inputAsJson)
  expect(JSON.parse(editor().value)).toEqual(input)
  await type(editor(), '{ "command": ')
  expect(view.querySelector('output')?.textContent).toContain(t.inbox.notJson(''))
  expect(button(t.inbox.approve).disabled).toBe(true)
  await type(editor(), '{ "command": "ls -l" }')
  await click(button(t.inbox.approveEdited))
  expect(await sent()).toEqual({ type: 'approve', input: { command: 'ls -l' } })
})

test('nothing can be decided twice', async () => {
  await show(approval(), input, { answering: ['ask1'] })
  for (const name of [t.inbox.approve, t.inbox.deny, t.inbox.editInput]) expect(button(name).disabled).toBe(true)
})

test('lists every command of a compound line and makes invisible characters visible', async () => {
  const commands = [{ text: 'ls' }, { text: 'rm\u202E -rf /', note: 'deletes files' }, 'broken', null, { text: 3 }]
  const { view } = await show({ ...approval({ commands }), requestReason: 'It writes\u200B.' })
  const listed = [...view.querySelectorAll('.approval-commands li')].map((item) => item.textContent)
  expect(listed).toEqual(['ls', 'rm⟨U+202E⟩ -rf /deletes files', ''])
  expect(view.querySelector('.approval-reason')?.textContent).toBe('It writes⟨U+200B⟩.')
})

test('markup in a rule or a reason is shown as text', async () => {
  const hostile = '<img src=x onerror=alert(1)>'
  const { view } = await show({ ...approval({ remember: [hostile] }), requestReason: hostile })
  expect(view.querySelector('img')).toBeNull()
  expect(view.querySelector('.approval-rules code')?.textContent).toBe(hostile)
})
