import { readdirSync } from 'node:fs'
import path from 'node:path'
import { stoppedText } from '@troupe/protocol'
import { expect, onTestFinished, test, vi } from 'vitest'
import { button, click, render } from '../../testing/render.tsx'
import { t } from '../../texts/t.ts'
import type { ToolCallPart } from '../session/message-parts.ts'
import { cards, hasCard, ToolPart } from './tool-part.tsx'

const part = (fields: object): ToolCallPart =>
  ({ type: 'tool-Bash', toolCallId: 'k1', state: 'output-available', input: {}, output: '', ...fields }) as ToolCallPart

async function show(fields: object, { live = false, aborted = false } = {}) {
  const shown = await render(<ToolPart part={part(fields)} progress={undefined} live={live} latest aborted={aborted} />)
  const card = shown.view.querySelector('[role=group]')
  return { ...shown, card, label: card?.getAttribute('aria-label') }
}

const status: [string, object, string][] = [
  ['has a result', {}, t.calls.done],
  ['failed', { state: 'output-error', errorText: 'No such file.' }, t.calls.failed],
  ['was denied', { state: 'output-denied', approval: { id: 'a', approved: false } }, t.calls.denied],
  [
    'was denied by a rule',
    { state: 'output-denied', approval: { id: 'a', approved: false, isAutomatic: true } },
    t.calls.notAllowed,
  ],
  ['never got a result', { state: 'input-available' }, t.calls.notFinished],
]

test.each(status)('says so when a call %s', async (_, fields, word) => {
  expect((await show(fields)).label).toBe(`Bash: ${word}`)
})

test('a call stopped by the user did not fail', async () => {
  const { label, view } = await show({ state: 'output-error', errorText: stoppedText }, { aborted: true })
  expect(label).toBe(`Bash: ${t.calls.stopped}`)
  expect(view.querySelector('.tool-error-line')).toBeNull()
})

test('asks for approval only while the run is live', async () => {
  const fields = { state: 'approval-requested', approval: { id: 'ask1' }, input: { command: 'ls' } }
  expect((await show(fields, { live: true })).view.querySelector('.approval')).not.toBeNull()
  expect((await show(fields)).view.querySelector('.approval')).toBeNull()
})

test('while it waits for approval, the model cannot name the call', async () => {
  const toolMetadata = { troupe: { actionName: 'Harmless listing', permission: { title: 'Run a command' } } }
  const fields = { state: 'approval-requested', approval: { id: 'ask1' }, input: { command: 'rm -rf /' }, toolMetadata }
  const { view } = await show(fields, { live: true })
  expect(view.textContent).not.toContain('Harmless listing')
  expect(view.textContent).toContain('rm -rf /')
})

test('a failed call shows its error; closed, it keeps the first line', async () => {
  const { view } = await show({ state: 'output-error', errorText: `\u202Efirst\nsecond ${'x'.repeat(5000)}` })
  expect(view.querySelector('.tool-body')?.textContent).toBe('')
  expect(view.querySelector('.tool-error-line')?.textContent).toBe('⟨U+202E⟩first')
  await click(button(/failed/i))
  expect(view.querySelector('.tool-body')?.textContent).toContain('second')
})

test.each([
  [t.calls.ranAsEdited, { executedInput: { action: 'something else' } }],
  [t.calls.ranAsHooked, { executedInput: { action: 'something else' }, rewrittenBy: 'rewrite' }],
])('a call with changed input shows both inputs: %s', async (title, notes) => {
  const toolMetadata = { troupe: notes }
  const { view } = await show({
    type: 'tool-TestApproval',
    toolCallId: title,
    input: { action: 'as asked' },
    toolMetadata,
  })
  await click(button(/TestApproval|Test approval/i))
  const sections = [...view.querySelectorAll('.tool-section')].map((section) => section.textContent)
  expect(sections[0]).toMatch(new RegExp(`^${t.calls.originalInput}.*as asked`))
  expect(sections[1]).toMatch(new RegExp(`^${title}.*something else`))
})

test('a denied call says so, with the note', async () => {
  const denied = (approval: { id: string; approved: false; reason?: string }) =>
    show({ toolCallId: approval.id, state: 'output-denied', input: { command: 'ls' }, approval })
  const { view } = await denied({ id: 'a', approved: false })
  await click(button(/ls/))
  expect(view.querySelector('.tool-remark')?.textContent).toBe(t.calls.youDenied)
  view.remove()
  const noted = await denied({ id: 'b', approved: false, reason: 'rather tomorrow' })
  await click(button(/ls/))
  expect(noted.view.querySelector('.tool-remark')?.textContent).toBe(t.calls.deniedWithNote('rather tomorrow'))
})

test('an unknown tool gets a card with its name, however odd', async () => {
  const { view } = await show({
    type: 'dynamic-tool',
    toolName: 'mcp__<b>x</b>__do',
    input: {},
    output: { answer: 42 },
  })
  expect(view.querySelector('b')).toBeNull()
  expect(view.textContent).toContain('<b>x</b>')
})

const names = ['Bash', 'Task', 'TodoWrite', 'AskUserQuestion', 'ExitPlanMode', 'JsonRender', 'ChartRender', 'JsxCreate']
const more = ['OpenUrl', 'PickFile', 'SendInput', 'ShowPanel', 'TimeNow', 'Undo', 'WaitAgent', 'WebSearch', 'Edit']
const odd: unknown[] = [null, 'text', [null], { todos: 'x', questions: 1, tree: [], content: { kind: 1 } }]

test.each([...names, ...more])('a card of %s shows any input and output without failing', async (name) => {
  const calls = odd.flatMap((input, i) =>
    odd.map((output, j) => part({ type: `tool-${name}`, toolCallId: `${i}-${j}`, input, output })),
  )
  const shown = calls.map((call) => (
    <ToolPart key={call.toolCallId} part={call} progress={undefined} live latest aborted={false} />
  ))
  const { view } = await render(shown)
  expect(view.querySelectorAll('[data-call] > [role=group]')).toHaveLength(calls.length)
  expect(view.textContent).not.toContain(t.calls.cannotShow)
})

test('every file in the folder of cards is the card of the tool with its name', () => {
  const files = readdirSync(path.resolve(import.meta.dirname, '../../cards')).filter((file) => file.endsWith('.tsx'))
  expect(files).toContain('todo-write.tsx')
  expect(files.filter((file) => !hasCard(file.replace('.tsx', '')))).toEqual([])
  expect(hasCard('TodoWrite')).toBe(true)
})

test('a card that throws is replaced by the bare call, which can still be approved', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  cards.set('broken', () => {
    throw new Error('broken on purpose')
  })
  onTestFinished(() => void cards.delete('broken'))
  const approval = { id: 'ask1' }
  const { view, server } = await show(
    { type: 'tool-Broken', toolCallId: 'c0', state: 'approval-requested', approval, input: { message: 'Whatever?' } },
    { live: true },
  )
  expect(view.textContent).toContain(t.calls.cannotShow)
  expect(view.textContent).toContain('Whatever?')
  await click(button(t.inbox.approve))
  expect(server.requests.at(-1)).toMatchObject({ path: '/ai/asks/ask1', body: { answer: { type: 'approve' } } })
  expect(log).toHaveBeenCalledOnce()
  log.mockClear()
})

test('nothing in a command is hidden, before it is approved and after it is denied', async () => {
  const input = { command: 'rm\u00A0-rf \u202Eetoile', description: 'Say hello' }
  const shown = 'rm⟨U+00A0⟩-rf ⟨U+202E⟩etoile'
  const asked = await show(
    { toolCallId: 'c1', state: 'approval-requested', approval: { id: 'a' }, input },
    { live: true },
  )
  expect(asked.view.querySelector('code')?.textContent).toBe(shown)
  asked.view.remove()
  const denied = await show({ toolCallId: 'c2', state: 'output-denied', approval: { id: 'a', approved: false }, input })
  await click(button(/Say hello/))
  expect(denied.view.querySelector('code')?.textContent).toBe(shown)
  expect(denied.view.textContent).toContain(t.calls.youDenied)
})

test.each([
  ['the only value of the input', { prompt: 'Three hills' }, [t.calls.requestedInput]],
  ['one of its values', { prompt: 'Three hills', size: '320x180' }, [t.calls.inputOf('Draw')]],
  ['none of them', { id: 7 }, [t.calls.requestedInput, t.calls.inputOf('Draw')]],
])('an approval shows the requested text once: %s', async (_, input, titles) => {
  vi.stubGlobal('IntersectionObserver', class { observe() {} disconnect() {} }) // prettier-ignore
  onTestFinished(() => void vi.unstubAllGlobals())
  const approval = { id: 'a1', descriptor: { title: 'Draw a picture', content: 'Three hills' } }
  const { view } = await show({ type: 'tool-Draw', state: 'approval-requested', input, approval }, { live: true })
  expect([...view.querySelectorAll('.tool-section-title')].map((title) => title.textContent)).toEqual(titles)
})
