import { expect, test } from 'vitest'
import { testToolContext } from '../testing/test-tool-context.ts'
import type { Answer } from '../tool/asks.ts'
import type { AskRequest } from '../tool/tool.ts'
import chartRender from './chart-render.ts'
import jsonRender from './json-render.ts'

const tree = {
  root: 'card',
  elements: {
    card: { type: 'Card', props: { title: 'Trip' }, children: ['form'] },
    form: { type: 'Form', children: ['name', 'days', 'where', 'extras', 'ok', 'no'] },
    name: { type: 'TextField', props: { name: 'name', label: 'Name', required: true } },
    days: { type: 'Slider', props: { name: 'days', label: 'Days', min: 1, max: 9 } },
    where: {
      type: 'Select',
      props: { name: 'where', label: 'Where', options: ['sea', { value: 'm', label: 'Mountain' }] },
    },
    extras: { type: 'Select', props: { name: 'extras', label: 'Extras', options: ['a', 'b'], multiple: true } },
    ok: { type: 'Button', props: { label: 'Book', action: 'submit' } },
    no: { type: 'Button', props: { label: 'No', action: 'cancel' } },
  },
}

function answered(answer: Answer) {
  const asked: AskRequest[] = []
  const ctx = testToolContext({ ask: (request) => (asked.push(request), Promise.resolve(answer)) })
  return { ctx, asked }
}

const parse = (input: unknown) => jsonRender.input.parse(input)
const complaint = (given: typeof tree | Record<string, unknown>) =>
  jsonRender.validate?.(parse({ tree: given }), testToolContext())

test('a form is an ask, and its input is the result', async () => {
  const values = { name: 'Ann', days: '3', where: 'm', extras: ['b'] }
  const { ctx, asked } = answered({ type: 'answers', answers: { action: 'submit', values } })
  const input = parse({ title: 'Trip', tree, data: { name: 'A' } })
  expect(await jsonRender.execute(input, ctx)).toEqual({
    action: 'submit',
    values: { name: 'Ann', days: 3, where: 'm', extras: ['b'] },
  })
  expect(asked).toEqual([{ kind: 'question', title: 'Trip', content: { form: { tree, data: { name: 'A' } } } }])
})

test('cancel is an answer, declining an error', async () => {
  const input = parse({ tree })
  const { ctx } = answered({ type: 'answers', answers: { action: 'cancel' } })
  expect(await jsonRender.execute(input, ctx)).toEqual({ action: 'cancel' })
  await expect(jsonRender.execute(input, answered({ type: 'deny', remark: 'later' }).ctx)).rejects.toThrow('later')
})

test.each([
  [{ name: '' }, 'must be filled in'],
  [{ name: 'x', days: 40 }, 'within its limits'],
  [{ name: 'x', where: 'moon' }, 'one of its options'],
  [{ name: 'x', extras: ['c'] }, 'one of its options'],
  [{ name: 'x'.repeat(20_001) }, 'longer than'],
  [{ name: { toString: 'x' } }, 'must be text'],
])('values that the form does not allow are refused: %#', async (values, message) => {
  const { ctx } = answered({ type: 'answers', answers: { action: 'submit', values } })
  await expect(jsonRender.execute(parse({ tree }), ctx)).rejects.toThrow(message)
})

test('a tree without fields is shown without asking', async () => {
  const shown = { root: 'a', elements: { a: { type: 'Table', props: { columns: ['n'], rows: [[1], ['x']] } } } }
  expect(await jsonRender.execute(parse({ tree: shown }), testToolContext())).toEqual({ ok: true })
})

test('a tree that is not one is refused with the reason', () => {
  const { elements } = tree
  expect(complaint(tree)).toBeUndefined()
  expect(complaint({ root: 'x', elements })).toContain('The root element "x" does not exist')
  expect(complaint({ root: 'form', elements })).toContain('The element "card" has no parent')
  expect(complaint({ root: 'a', elements: { a: { type: 'Card', children: ['a'] } } })).toContain('used twice')
  expect(complaint({ root: 'a', elements: { a: { type: 'Card', props: { onClick: 'x' } } } })).toContain('no attribute')
  expect(complaint({ root: 'a', elements: { a: { type: 'Image', props: { src: 'http://x' } } } })).toContain(
    'not loaded',
  )
  expect(complaint({ root: 'a', elements: { a: { type: 'TextField', props: { name: 'n' } } } })).toContain(
    'needs "label"',
  )
  expect(complaint({ root: 'name', elements: { name: elements.name } })).toContain('no Button')
  const twice = { ...elements, days: elements.name }
  expect(complaint({ root: 'card', elements: twice })).toContain('Two fields have the name "name"')
  const deep = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [`e${index}`, { type: 'Stack', children: [`e${index + 1}`] }]),
  )
  expect(complaint({ root: 'e0', elements: deep })).toContain('deep')
  const long = { root: 'a', elements: { a: { type: 'Text', children: Array(11).fill('x'.repeat(20_000)) } } }
  expect(complaint(long)).toContain('more than 200000 characters')
  expect(jsonRender.input.safeParse({ tree: { root: 'a', elements: { a: { type: 'script' } } } }).success).toBe(false)
})

test('a chart is data, as an object or as JSON', async () => {
  const option = { series: [{ type: 'pie', data: [1] }] }
  const run = async (given: unknown) =>
    chartRender.execute(chartRender.input.parse({ option: given }), testToolContext())
  expect(await run(option)).toEqual({ ok: true, series: 1 })
  expect(await run(JSON.stringify(option))).toEqual({ ok: true, series: 1 })
  await expect(run('{series: 1')).rejects.toThrow('not valid JSON')
  await expect(run({ series: [{ symbol: 'image://http://x' }] })).rejects.toThrow('not shown. option.series[0].symbol')
})
