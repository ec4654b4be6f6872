import { expect, test } from 'vitest'
import { createStorage } from '../platform/storage.ts'
import { createPanelStorage, elementId, frontPanel } from './panels-state.ts'
import { createPanels } from './panels.ts'

function open({ sessionId = 's1', narrow = false, storage = memory() } = {}) {
  const kept = createPanelStorage(createStorage(() => storage))
  const panels = createPanels({
    initial: kept.read(sessionId),
    isNarrow: () => narrow,
    save: (state) => kept.write(sessionId, state),
  })
  const front = () => frontPanel(panels.getState())?.id
  const tabs = () => panels.getState().panels.map(({ id }) => id)
  return { panels, front, tabs, kept, storage }
}

function memory(): Storage {
  const values = new Map<string, string>()
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
    get length() {
      return values.size
    },
  } as Storage
}

const file = (key: string) => ({ kind: 'file', key, title: key, data: { path: key } })

test('a reopened panel comes to the front with its new title, and keeps its position', () => {
  const { panels, front, tabs } = open()
  panels.open(file('a'))
  panels.open(file('b'))
  expect(panels.open({ ...file('a'), title: 'A' })).toBe('file:a')
  expect([front(), tabs()]).toEqual(['file:a', ['file:a', 'file:b']])
  expect(frontPanel(panels.getState())?.title).toBe('A')
})

test('a path with spaces is one name in a list of ids', () => {
  const { panels } = open()
  panels.open(file('my notes/a b.txt'))
  const [panel] = panels.getState().panels
  expect(panel && elementId(':r1:', 'tab', panel)).toBe(':r1:-tab-file%3Amy%20notes%2Fa%20b.txt')
})

test('closing the front panel brings the previous one to the front', () => {
  const { panels, front } = open()
  for (const key of ['a', 'b', 'c']) panels.open(file(key))
  panels.bringForward('file:a')
  panels.close('file:a')
  expect(front()).toBe('file:c')
  panels.close('file:b')
  panels.close('file:c')
  expect(front()).toBeUndefined()
})

test('a panel opened in the background does not change the front one, or show a hidden stack', () => {
  const { panels, front } = open()
  panels.open(file('a'))
  panels.hide()
  panels.open(file('b'), { behind: true })
  expect([front(), panels.getState().hidden]).toEqual(['file:a', true])
  panels.open(file('a'), { behind: true })
  expect(front()).toBe('file:a')
  panels.close('file:a')
  expect(front()).toBe('file:b')
})

test('a panel takes the focus if the user opens it, not if a tool does', () => {
  const { panels } = open()
  panels.open(file('a'), { by: 'tool' })
  expect(panels.getState()).toMatchObject({ focusRequest: 0, hidden: false })
  panels.open(file('b'))
  expect(panels.getState().focusRequest).toBe(1)
  panels.hide()
  panels.open(file('c'), { by: 'tool' })
  expect(panels.getState()).toMatchObject({ focusRequest: 1, hidden: false })
  // Returning to the session later does not count as a request.
  panels.clearFocusRequest()
  expect(panels.getState().focusRequest).toBe(0)
})

test('on a narrow screen, a panel opened by a tool waits', () => {
  const { panels, front } = open({ narrow: true })
  panels.open(file('a'), { by: 'tool' })
  expect([front(), panels.getState().hidden]).toEqual(['file:a', true])
  panels.show()
  expect(panels.getState().hidden).toBe(false)
})

test('all panels are hidden and shown together', () => {
  const { panels, tabs } = open()
  panels.open(file('a'))
  panels.toggle()
  expect([panels.getState().hidden, tabs()]).toEqual([true, ['file:a']])
  panels.toggle()
  expect(panels.getState()).toMatchObject({ hidden: false, focusRequest: 2 })
})

test('pinned panels come first and are never closed', () => {
  const { panels, tabs } = open()
  for (let index = 0; index < 12; index++) panels.open(file(String(index)))
  panels.pin('file:0', true)
  panels.pin('file:3', true)
  panels.open(file('new'))
  expect(tabs()).toHaveLength(12)
  expect(tabs().slice(0, 2)).toEqual(['file:0', 'file:3'])
  expect(tabs()).not.toContain('file:1')
})

test('a reload restores the chat’s panels, without data that is too large', () => {
  const { panels, storage } = open()
  panels.open(file('a'))
  panels.pin('file:a', true)
  panels.open({ kind: 'diff', key: 'large', title: 'Large', data: { text: 'x'.repeat(70_000) } })
  panels.open(file('b'))
  panels.hide()
  const again = open({ storage })
  expect([again.front(), again.tabs(), again.panels.getState()]).toMatchObject([
    'file:b',
    ['file:a', 'file:b'],
    { hidden: true, focusRequest: 0, panels: [{ pinned: true }, { data: { path: 'b' } }] },
  ])
  expect(open({ storage, sessionId: 's2' }).tabs()).toEqual([])
  again.kept.forget('s1')
  expect(open({ storage }).tabs()).toEqual([])
})

test('only the stacks of the last sessions are kept', () => {
  const storage = memory()
  for (let index = 0; index < 50; index++) open({ storage, sessionId: `s${index}` }).panels.open(file('a'))
  expect(open({ storage, sessionId: 's9' }).tabs()).toEqual([])
  expect(open({ storage, sessionId: 's10' }).tabs()).toEqual(['file:a'])
  expect(storage.length).toBe(41)
})

test.each(['', 'null', '[]', '{"panels": 3}', '{"panels": [3, {"title": "x"}], "order": {}}'])(
  'data not written by this page (%s) is ignored',
  (text) => {
    const storage = memory()
    storage.setItem('troupe.panels.s1', text)
    expect(open({ storage }).tabs()).toEqual([])
  },
)
