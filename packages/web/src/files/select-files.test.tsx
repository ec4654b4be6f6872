import { expect, test } from 'vitest'
import { change, click, eventually, press, render } from '../testing/render.tsx'
import { t } from '../texts/t.ts'
import { FilesPanel } from './files-panel.tsx'

const rowsOf = (view: HTMLElement) => [...view.querySelectorAll<HTMLElement>('[role=treeitem]')]
const selected = (view: HTMLElement) =>
  rowsOf(view)
    .filter((row) => row.getAttribute('aria-selected') === 'true')
    .map((row) => row.querySelector('.tree-name')?.textContent)

async function show() {
  let names = ['a', 'b', 'c', 'd', 'e']
  const removed: string[] = []
  const moved: unknown[] = []
  const answers = {
    'GET /ai/files': () => ({
      path: '',
      entries: [{ name: 'zoo', kind: 'folder' }, ...names.map((name) => ({ name, kind: 'file', size: 1 }))],
      total: names.length + 1,
    }),
    'DELETE /ai/files': (_: unknown, query: URLSearchParams) => {
      const path = query.get('path') ?? ''
      removed.push(path)
      names = names.filter((name) => name !== path)
      return { trashed: { id: path, path, deletedAt: 1 } }
    },
    'POST /ai/files/move': (body: unknown) => {
      moved.push(body)
      return { path: (body as { to: string }).to }
    },
    'GET /ai/git/status': () => ({ state: 'none' }),
  }
  const shown = await render(<FilesPanel />, { answers })
  await eventually(() => rowsOf(shown.view).length === 6)
  const row = (name: string) => rowsOf(shown.view).find((one) => one.textContent.startsWith(name)) as HTMLElement
  const tree = shown.view.querySelector<HTMLElement>('[role=tree]') as HTMLElement
  return { ...shown, row, tree, removed, moved }
}

test('rows are selected with Ctrl and Shift, and with the keyboard', async () => {
  const { view, row, tree } = await show()
  await click(row('a'), { ctrlKey: true })
  await click(row('c'), { ctrlKey: true })
  expect(selected(view)).toEqual(['a', 'c'])
  await click(row('e'), { shiftKey: true })
  expect(selected(view)).toEqual(['c', 'd', 'e'])
  await press(tree, 'ArrowUp', { shiftKey: true })
  expect(selected(view)).toEqual(['c', 'd'])
  await press(tree, ' ', { ctrlKey: true })
  expect(selected(view)).toEqual(['c'])
  await press(tree, 'a', { ctrlKey: true })
  expect(selected(view)).toHaveLength(6)
  expect(view.querySelector('output')?.textContent).toBe(t.files.selectedCount(6))
  await press(tree, 'Escape')
  expect(selected(view)).toHaveLength(1)
})

test('several rows are deleted, moved and mentioned together', async () => {
  const { view, row, tree, removed, moved, session } = await show()
  await click(row('a'), { ctrlKey: true })
  await click(row('b'), { ctrlKey: true })
  await press(tree, 'Delete')
  await eventually(() => rowsOf(view).length === 4)
  expect(removed).toEqual(['a', 'b'])
  await click(row('c'), { ctrlKey: true })
  await click(row('d'), { shiftKey: true })
  await press(tree, 'F10', { shiftKey: true })
  await eventually(() => document.querySelector('[role=menuitem]') !== null)
  const items = [...document.querySelectorAll<HTMLElement>('[role=menuitem]')]
  expect(items.map((item) => item.textContent)).toContain(t.files.askAboutThese)
  await click(items.find((item) => item.textContent === t.files.askAboutThese)!)
  await eventually(() => session.getState().draft.includes('@c @d'))
  const data = new Map<string, string>()
  const dataTransfer = {
    types: [] as string[],
    setData(type: string, text: string) {
      data.set(type, text)
      this.types.push(type)
    },
    getData: (type: string) => data.get(type) ?? '',
  }
  const drag = (type: string, on: HTMLElement) =>
    change(() =>
      on.dispatchEvent(Object.assign(new Event(type, { bubbles: true, cancelable: true }), { dataTransfer })),
    )
  await drag('dragstart', row('c'))
  await drag('drop', row('zoo'))
  expect(moved).toEqual([
    { from: 'c', to: 'zoo/c' },
    { from: 'd', to: 'zoo/d' },
  ])
})
