import { expect, test } from 'vitest'
import { button, change, click, eventually, field, named, press, render, type } from '../../testing/render.tsx'
import { type TeamPage, useTeam } from '../../state/team.tsx'
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

test('shows the exact rules and remembers them for the chat', async () => {
  const { view, sent } = await show(approval({ remember: ['Bash(ls)', 'Read(/work/**)', 7, null] }))
  expect([...view.querySelectorAll('.approval-rules code')].map((rule) => rule.textContent)).toEqual([
    'Bash(ls)',
    'Read(/work/**)',
  ])
  await click(button(t.inbox.approveSession))
  expect(await sent()).toEqual({ type: 'approve', remember: 'session' })
})

test.each([
  [t.inbox.approveProject, 'project'],
  [t.inbox.approveAlways, 'always'],
])('a menu offers: %s', async (label, remember) => {
  const { server, sent } = await show(approval({ remember: ['Bash(ls)'] }))
  await click(button(t.inbox.allowLonger))
  await eventually(() => document.querySelector('[role=menuitem]') !== null)
  await click(named('[role=menuitem]', label))
  await eventually(() => server.requests.length > 0)
  expect(await sent()).toEqual({ type: 'approve', remember })
})

test('offers no rule if the ask has none, even if it is invalid', async () => {
  for (const remember of [undefined, [], 'Bash(ls)', { 0: 'Bash(ls)' }, [1, {}]]) {
    const { view } = await show(approval({ remember }))
    expect(view.querySelector('[data-decision=remember], .approval-rules')).toBeNull()
  }
})

test('a reason is shown unless it only repeats the file of the card', async () => {
  const reasons = [
    'It changes "a.ts".',
    'It changes "b.ts".',
    'It changes "a.ts", which is outside the workspace.',
    'Its arguments are unclear.',
  ]
  const shown: (string | undefined)[] = []
  for (const requestReason of reasons) {
    const { view } = await show({ ...approval(), requestReason }, { file_path: 'a.ts', content: '' })
    shown.push(view.querySelector('.approval-reason')?.textContent)
  }
  expect(shown).toEqual([undefined, ...reasons.slice(1)])
})

test('denies without a note', async () => {
  const { sent } = await show(approval())
  await click(button(t.inbox.deny))
  expect(await sent()).toEqual({ type: 'deny' })
})

test.each(['button', 'Enter'])('denies with a note, by %s', async (way) => {
  const { sent } = await show(approval())
  await click(button(t.inbox.denyWithRemark))
  await type(field(t.inbox.remark), '  use rg instead ')
  if (way === 'Enter') await press(field(t.inbox.remark), 'Enter')
  else await click(button(t.inbox.deny))
  expect(await sent()).toEqual({ type: 'deny', remark: 'use rg instead' })
})

test('Escape in the note goes back to the choice, and decides nothing', async () => {
  const { view, server } = await show(approval())
  await click(button(t.inbox.denyWithRemark))
  await press(field(t.inbox.remark), 'Escape')
  expect(view.querySelector('.approval-remark')).toBeNull()
  expect(button(t.inbox.approve).disabled).toBe(false)
  expect(server.requests).toEqual([])
})

test.each([
  ['1', { type: 'approve' }],
  ['2', { type: 'approve', remember: 'session' }],
  ['3', { type: 'deny' }],
  ['Escape', { type: 'deny' }],
])('the key %s decides, once the ask could be read', async (key, answer) => {
  const { view, server, sent } = await show(approval({ remember: ['Bash(ls)'] }))
  const ask = view.querySelector<HTMLElement>('.approval')!
  ask.dataset['since'] = 'Infinity'
  await press(ask, key)
  expect(server.requests).toEqual([])
  ask.dataset['since'] = '-1000'
  await press(ask, key, { ctrlKey: true })
  expect(server.requests).toEqual([])
  await press(ask, key)
  expect(await sent()).toEqual(answer)
})

test('Escape in a dialog closes that dialog, and denies nothing', async () => {
  const { view, server } = await render(
    <dialog open>
      <ApprovalBar approval={approval()} input={input} />
    </dialog>,
  )
  const ask = view.querySelector<HTMLElement>('.approval')!
  ask.dataset['since'] = '-1000'
  await press(ask, 'Escape')
  expect(server.requests).toEqual([])
})

test('edited input is approved once, never remembered', async () => {
  const { view, sent } = await show(approval({ remember: ['Bash(ls)'] }))
  await click(button(t.inbox.editInput))
  await type(field('command'), 'ls -l')
  expect(view.querySelector('[data-decision=remember]')).toBeNull()
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

test('people of a team decide only where they may, and remember only what the server lets them', async () => {
  const member = { person: { role: 'member' } } as TeamPage
  await change(() => useTeam.setState({ page: member }))
  const { view, session } = await show(approval({ remember: ['Bash(ls)'] }))
  expect(button(t.inbox.approveSession).disabled).toBe(false)
  expect(view.querySelector(`[aria-label="${t.inbox.allowLonger}"]`)).toBeNull()
  const { sessionId } = session.getState()
  await change(() => useTeam.setState({ remember: { [sessionId]: ['session', 'project'] } }))
  await click(button(t.inbox.allowLonger))
  await eventually(() => document.querySelector('[role=menuitem]') !== null)
  const offered = [...document.querySelectorAll('[role=menuitem]')].map((item) => item.textContent)
  expect(offered).toEqual([t.inbox.approveProject])
  await change(() => useTeam.setState({ noApproval: { '*': 'Somebody else decides.' } }))
  const { view: reading } = await show(approval({ remember: ['Bash(ls)'] }))
  expect([reading.querySelector('button'), reading.textContent.includes('Somebody else decides.')]).toEqual([
    null,
    true,
  ])
  await change(() => useTeam.setState({ page: null, noApproval: {}, remember: {} }))
})
