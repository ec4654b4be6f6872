import type { Answer } from '@troupe/core'
import { expect, test } from 'vitest'
import { button, change, click, field, render, type } from '../../testing/render.tsx'
import { t } from '../../texts/t.ts'
import { FormAsk } from './form-ask.tsx'

const form = {
  tree: {
    root: 'f',
    elements: {
      f: { type: 'Form', children: ['name', 'age', 'go', 'no'] },
      name: { type: 'TextField', props: { name: 'name', label: 'Name', required: true } },
      age: { type: 'TextField', props: { name: 'age', label: 'Age', type: 'number', min: 0, max: 120 } },
      go: { type: 'Button', props: { label: 'Save', action: 'submit', value: 'save' } },
      no: { type: 'Button', props: { label: 'Never mind', action: 'cancel' } },
    },
  },
  data: { name: 'Ada' },
}

async function show(content: unknown, sending = false) {
  const answers: Answer[] = []
  const ask = { id: 'ask1', kind: 'question', toolCallId: 'k1', content } as never
  const shown = await render(<FormAsk ask={ask} sending={sending} answer={(answer) => answers.push(answer)} />)
  const submit = () =>
    change(() =>
      shown.view.querySelector('form')?.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true })),
    )
  return { ...shown, answers, submit }
}

test('sends the values as the form describes them', async () => {
  const { answers, submit } = await show({ form })
  expect(field(/Name/).value).toBe('Ada')
  await type(field(/Age/), '36')
  await submit()
  expect(answers).toEqual([{ type: 'answers', answers: { action: 'submit', values: { name: 'Ada', age: 36 } } }])
})

test('an invalid value is reported at its field and nothing is sent', async () => {
  const { view, answers, submit } = await show({ form })
  await type(field(/Age/), '999')
  await submit()
  expect(answers).toEqual([])
  expect(field(/Age/).getAttribute('aria-invalid')).toBe('true')
  await type(field(/Age/), '99')
  expect(field(/Age/).getAttribute('aria-invalid')).toBe('false')
  await type(field(/Name/), '')
  await submit()
  expect(answers).toEqual([])
  expect(view.textContent).toContain('"Name"')
})

test('cancel and decline say so', async () => {
  const { answers } = await show({ form })
  await click(button('Never mind'))
  await click(button(t.previews.decline))
  expect(answers).toEqual([{ type: 'answers', answers: { action: 'cancel' } }, { type: 'deny' }])
})

test('Skip is in the row of the form’s last button, or below a form without buttons', async () => {
  const { view } = await show({ form })
  expect(button('Never mind').nextElementSibling?.textContent).toBe(t.previews.decline)
  view.remove()
  const tree = { root: 'f', elements: { f: { type: 'Form', children: ['name'] }, name: form.tree.elements.name } }
  await show({ form: { tree } })
  expect(button(t.previews.decline).closest('.approval-row')).not.toBeNull()
})

test('while an answer is being sent, nothing more is sent', async () => {
  const { answers, submit } = await show({ form }, true)
  await submit()
  expect(button('Save').disabled).toBe(true)
  expect(answers).toEqual([])
})

test('values that were filled in for another kind of field are left out', async () => {
  await show({ form: { ...form, data: { name: { toString: 1 }, age: 'old', constructor: 'x' } } })
  expect(field(/Name/).value).toBe('')
  expect(field(/Age/).value).toBe('')
})

test('a form of unknown parts is shown as its data, never as markup', async () => {
  const tree = { root: 'x', elements: { x: { type: 'script', children: ['alert(1)'] } } }
  const { view } = await show({ form: { tree } })
  expect(view.querySelector('script, form')).toBeNull()
  expect(view.textContent).toContain('alert(1)')
})

test.each([undefined, null, 'text', {}, { form: null }, { form: {} }, { form: { tree: 1 } }, { form: { tree: {} } }])(
  'a broken form does not take the page down: %j',
  async (content) => {
    const { view } = await show(content)
    expect(view.querySelector('form')).toBeNull()
  },
)
