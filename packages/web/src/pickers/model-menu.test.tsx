import { expect, test } from 'vitest'
import type { ModelInfo } from '../api/models.ts'
import { field, named, click, press, render, type } from '../testing/render.tsx'
import { t } from '../texts/t.ts'
import { ModelChooser } from './model-menu.tsx'

const model = (ref: string, fields: Partial<ModelInfo> = {}) =>
  ({ ref, name: ref.split('/')[1], providerName: ref.split('/')[0], tags: [], ...fields }) as ModelInfo
const models = [model('acme/large'), model('acme/small'), model('other/small', { tags: ['vision'] })]

async function show(listed = models, current: string | undefined = 'acme/large') {
  const chosen: string[] = []
  const { view } = await render(<ModelChooser models={listed} current={current} onChoose={(ref) => chosen.push(ref)} />)
  const options = () => [...view.querySelectorAll('[role=option]')]
  const active = () => {
    const id = field(t.models.search).getAttribute('aria-activedescendant')
    return id === null ? undefined : document.getElementById(id)?.querySelector('.model-name')?.textContent
  }
  return { view, chosen, options, active }
}

test('groups the models by provider and marks the current one', async () => {
  const { view, options } = await show()
  expect([...view.querySelectorAll('[role=group]')].map((group) => group.getAttribute('aria-label'))).toEqual([
    'acme',
    'other',
  ])
  expect(options().map((option) => option.getAttribute('aria-selected'))).toEqual(['true', 'false', 'false'])
})

test('typing filters the list; Enter selects the marked one', async () => {
  const { chosen, options } = await show()
  await type(field(t.models.search), 'SMALL other')
  expect(options()).toHaveLength(1)
  await press(field(t.models.search), 'Enter')
  expect(chosen).toEqual(['other/small'])
})

test('arrow keys stay within the list', async () => {
  const { active } = await show()
  const box = field(t.models.search)
  await press(box, 'ArrowUp')
  expect(active()).toBe('large')
  await press(box, 'ArrowDown')
  expect(active()).toBe('small')
  await press(box, 'PageDown')
  await press(box, 'ArrowDown')
  expect(active()).toBe('small')
})

test('with no match, Enter selects nothing and the list shows it', async () => {
  const { view, chosen } = await show()
  await type(field(t.models.search), 'no such model')
  await press(field(t.models.search), 'Enter')
  expect(chosen).toEqual([])
  expect(view.textContent).toContain(t.models.noResults)
  expect((await show([])).view.textContent).toContain(t.models.noProvider)
})

test('a click selects; names from a provider are shown as text', async () => {
  const { view, chosen } = await show([model('acme/x', { name: '<img src=x>', tags: ['<b>'] })], undefined)
  expect(view.querySelector('img, b')).toBeNull()
  await click(named('[role=option]', /<img/))
  expect(chosen).toEqual(['acme/x'])
})

test('a list of 300 models can be searched', async () => {
  const { options } = await show(Array.from({ length: 300 }, (_, i) => model(`p${i % 20}/m${i}`)))
  await type(field(t.models.search), 'm299')
  expect(options()).toHaveLength(1)
})

test('to compare, several can be selected, up to four', async () => {
  const chosen: string[] = []
  const listed = ['a', 'b', 'c', 'd', 'e'].map((id) => model(`acme/${id}`))
  const compared = listed.slice(0, 4).map(({ ref }) => ref)
  const choose = (ref: string) => void chosen.push(ref)
  await render(<ModelChooser models={listed} current="acme/a" compared={compared} onChoose={choose} />)
  const list = named('[role=listbox]', t.models.list)
  expect(list.getAttribute('aria-multiselectable')).toBe('true')
  const last = named('[role=option]', /acme\/e/)
  expect(last.getAttribute('aria-disabled')).toBe('true')
  await click(last)
  expect(chosen).toEqual([])
  await click(named('[role=option]', /acme\/b/))
  expect(chosen).toEqual(['acme/b'])
})
