import { expect, test } from 'vitest'
import { findModels, type ModelInfo } from '../api/models.ts'
import { field, named, click, press, render, type } from '../testing/render.tsx'
import { t } from '../texts/t.ts'
import { ModelChooser } from './model-chooser.tsx'

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
  expect([...view.querySelectorAll('.model-group')].map((group) => group.textContent)).toEqual(['acme', 'other'])
  expect(options().map((option) => option.getAttribute('aria-selected'))).toEqual(['true', 'false', 'false'])
  expect(options().map((option) => option.getAttribute('aria-posinset'))).toEqual(['1', '2', '3'])
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

test('a list of 3,000 models draws few of them, is searched fast, and is walked to its end', async () => {
  const listed = Array.from({ length: 3000 }, (_, i) => model(`p${i % 20}/vendor/model-${i}-instruct`))
  const { options, active } = await show(listed, undefined)
  expect(options().length).toBeLessThan(40)
  const times = ['v', 've', 'vendor 2', 'vendor 29', 'vendor 2999'].map((text) => {
    const begun = performance.now()
    expect(findModels(listed, text).length).toBeGreaterThan(0)
    return performance.now() - begun
  })
  // The machine may be busy during one of them.
  expect(Math.min(...times)).toBeLessThan(50)
  await type(field(t.models.search), '2999')
  expect(options()).toHaveLength(1)
  await type(field(t.models.search), '')
  for (let i = 0; i < 20; i++) await press(field(t.models.search), 'PageDown')
  expect(active()).toBeDefined()
  expect(options().length).toBeLessThan(60)
})

test('an id that no provider lists can be used at every provider that accepts any', async () => {
  const openProviders = [
    { id: 'acme', name: 'Acme' },
    { id: 'router', name: 'Router' },
  ]
  const chosen: string[] = []
  await render(<ModelChooser models={models} current="acme/large" onChoose={(ref) => chosen.push(ref)} />, {
    app: { openProviders },
  })
  const names = () => [...document.querySelectorAll('[role=option] .model-name')].map(({ textContent }) => textContent)
  await type(field(t.models.search), 'gpt-4o-mini')
  expect(names()).toEqual([t.models.useTyped('gpt-4o-mini'), t.models.useTyped('gpt-4o-mini')])
  await press(field(t.models.search), 'ArrowDown')
  await press(field(t.models.search), 'Enter')
  await type(field(t.models.search), 'router/openai/gpt-4o-mini:free')
  expect(names()).toEqual([t.models.useTyped('openai/gpt-4o-mini:free')])
  await press(field(t.models.search), 'Enter')
  expect(chosen).toEqual(['router/gpt-4o-mini', 'router/openai/gpt-4o-mini:free'])
  // Listed models come first, and one that is listed is not offered again.
  await type(field(t.models.search), 'acme/small')
  expect(names()).toEqual(['small'])
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

test('models selected for a comparison are listed first, unless a search is typed', async () => {
  const { view } = await render(
    <ModelChooser models={models} current="acme/large" compared={['acme/small', 'other/small']} onChoose={() => {}} />,
  )
  const rows = () => [...view.querySelectorAll('.model-group, .model-facts')].map((row) => row.textContent)
  expect(rows()).toEqual([t.columns.selected, 'acme/small', 'other/small', 'acme', 'acme/large'])
  await type(field(t.models.search), 'small')
  expect(rows()).toEqual(['acme', 'acme/small', 'other', 'other/small'])
})
