import { expect, test } from 'vitest'
import { button, change, click, render } from '../../testing/render.tsx'
import { t } from '../../texts/t.ts'
import type { VisibleMessage } from '../session/session-state.ts'
import { AnswerParts } from './answer-parts.tsx'

const message = (parts: object[], fields: object = {}): VisibleMessage =>
  ({ id: 'a1', role: 'assistant', parts, parentMessageId: 'u1', createdAt: 1, ...fields }) as never

async function show(parts: object[], fields: object = {}) {
  const { view, draw } = await render(<AnswerParts message={message(parts, fields)} progress={undefined} />)
  // Rich parts load on first use.
  await change(() => import('../parts/rich-parts.ts'))
  return { view, draw }
}

test('shows text, reasoning and tool calls in their order', async () => {
  const { view } = await show([
    { type: 'step-start' },
    { type: 'reasoning', text: 'Let me see.', state: 'done' },
    { type: 'text', text: 'First.', state: 'done' },
    { type: 'tool-Bash', toolCallId: 'k1', state: 'output-available', input: { command: 'ls' }, output: 'a' },
    { type: 'text', text: 'Second.', state: 'done' },
  ])
  const order = ['First.', 'ls', 'Second.'].map((text) => view.textContent.indexOf(text))
  expect(order).toEqual(order.toSorted((a, b) => a - b))
  expect(order).not.toContain(-1)
})

test('reasoning is collapsed until the user opens it', async () => {
  const { view } = await show([{ type: 'reasoning', text: 'A **secret** plan.', state: 'done' }])
  expect(view.textContent).not.toContain('secret')
  await click(button(t.chat.thought))
  expect(view.textContent).toContain('secret')
})

test('parts of unknown or invalid kinds do not hide the rest', async () => {
  const { view } = await show([
    { type: 'text', text: 'before', state: 'done' },
    { type: 'from-the-future', anything: 1 },
    { type: 'data-unknown', data: null },
    { type: 'data-compaction', id: 'c', data: { id: 'c', upTo: { messageId: 'u', step: 0 }, summary: '' } },
    { type: 'reasoning', text: '   ' },
    { type: 'text', text: '' },
    { type: 'source-url', url: 'javascript:alert(1)' },
    { type: 'tool-Nothing', toolCallId: 'k1', state: 'output-available', input: null, output: undefined },
    { type: 'text', text: 'after', state: 'done' },
  ])
  expect(view.textContent).toContain('before')
  expect(view.textContent).toContain('after')
})

test('partial streamed text is shown', async () => {
  const { view, draw } = await show([{ type: 'text', text: '# Tit', state: 'streaming' }], { live: true })
  expect(view.textContent.trim()).toBe('Tit')
  const next = message([{ type: 'text', text: '# Title\n\n```js\nlet a', state: 'streaming' }], { live: true })
  await draw(<AnswerParts message={next} progress={undefined} />)
  expect(view.textContent).toContain('Title')
  expect(view.querySelector('pre')?.textContent).toContain('let a')
})

test('a message to a running answer is shown as text', async () => {
  const steering = { type: 'steering-message', id: 's', parts: [{ type: 'text', text: '<b>also</b> this' }] }
  const { view } = await show([steering])
  expect(view.querySelector('.steering')?.textContent).toContain('<b>also</b> this')
})

const read = (id: string) => ({
  type: 'tool-Read',
  toolCallId: id,
  state: 'output-available',
  input: { file_path: `${id}.ts` },
  output: 'x',
})
const heads = (view: HTMLElement) =>
  [...view.querySelectorAll('.tool-head, .tool-group-head')].map(
    (head) => `${head.querySelector('.tool-summary')?.textContent ?? 'group'} ${head.getAttribute('aria-expanded')}`,
  )

test('a card that the user opened stays open when more calls follow and when the answer ends', async () => {
  const { view, draw } = await show([read('a'), read('b')], { live: true })
  expect(heads(view)).toEqual(['a.ts false', 'b.ts false'])
  const opened = view.querySelectorAll<HTMLElement>('.tool-head')[1]
  await click(opened!)
  const next = message([read('a'), read('b'), read('c'), read('d')], { live: true })
  await draw(<AnswerParts message={next} progress={undefined} />)
  expect(heads(view)).toEqual(['a.ts false', 'b.ts true', 'c.ts false', 'd.ts false'])
  expect(view.querySelectorAll('.tool-head')[1]).toBe(opened)
  await draw(<AnswerParts message={message(next.parts)} progress={undefined} />)
  expect(heads(view)).toEqual(['a.ts false', 'b.ts true', 'group false'])
  // One that is opened inside the group stays inside.
  await click(view.querySelector<HTMLElement>('.tool-group-head')!)
  await click(view.querySelectorAll<HTMLElement>('.tool-head')[2]!)
  await draw(<AnswerParts message={message(next.parts)} progress={undefined} />)
  expect(heads(view)).toEqual(['a.ts false', 'b.ts true', 'group true', 'c.ts true', 'd.ts false'])
})

test('a plan that the user folded stays folded when it changes', async () => {
  const plan = (id: string, status: string, state = 'output-available') => ({
    type: 'tool-TodoWrite',
    toolCallId: id,
    state,
    input: {},
    output: { todos: [{ content: 'Look', status }] },
  })
  const { view, draw } = await show([plan('p1', 'pending')], { live: true })
  const head = () => view.querySelector<HTMLElement>('.tool-head')
  const first = head()
  expect(first?.getAttribute('aria-expanded')).toBe('true')
  const open = message([plan('p1', 'pending'), plan('p2', 'in_progress', 'input-available')], { live: true })
  await draw(<AnswerParts message={open} progress={undefined} />)
  expect(head()?.getAttribute('aria-expanded')).toBe('true')
  await click(first!)
  const next = message([plan('p1', 'pending'), plan('p2', 'completed')], { live: true })
  await draw(<AnswerParts message={next} progress={undefined} />)
  expect(head()).toBe(first)
  expect(head()?.getAttribute('aria-expanded')).toBe('false')
})
