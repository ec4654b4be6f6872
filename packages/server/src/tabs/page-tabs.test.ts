import { afterEach, expect, test, vi } from 'vitest'
import { createPageTabs, type PageTab, type PageTabs } from './page-tabs.ts'

let tabs: PageTabs
afterEach(() => {
  tabs.close()
  vi.useRealTimers()
})

function open(options = {}) {
  vi.useFakeTimers()
  tabs = createPageTabs(options)
  return tabs
}
const tab = (clientId: string, tabId: string, more: Partial<PageTab> = {}): PageTab => ({
  workspaceId: 'w',
  ownerId: null,
  clientId,
  tabId,
  actions: ['open-url'],
  sessionId: null,
  ...more,
})
const wanted = { workspaceId: 'w', ownerId: null, action: 'open-url', sessionId: 's' }

test('a page’s actions are available until it has been silent for a while', () => {
  open()
  expect(tabs.offers({ workspaceId: 'w', ownerId: null }, 'open-url')).toBe(false)
  tabs.announce(tab('a', '1'))
  expect([
    tabs.offers({ workspaceId: 'w', ownerId: null }, 'open-url'),
    tabs.offers({ workspaceId: 'w', ownerId: null }, 'notify'),
    tabs.offers({ workspaceId: 'other', ownerId: null }, 'open-url'),
  ]).toEqual([[], false, false])
  vi.advanceTimersByTime(80_000)
  tabs.announce(tab('a', '1'))
  vi.advanceTimersByTime(80_000)
  expect(tabs.offers({ workspaceId: 'w', ownerId: null }, 'open-url')).toEqual([])
  vi.advanceTimersByTime(20_000)
  expect(tabs.offers({ workspaceId: 'w', ownerId: null }, 'open-url')).toBe(false)
})

test('pages’ notes on an action are included once, while they are open', () => {
  open()
  tabs.announce(tab('a', '1', { notes: { 'open-url': ['b', 'a'], notify: ['c'] } }))
  tabs.announce(tab('b', '2', { notes: { 'open-url': ['a'] } }))
  expect(tabs.offers({ workspaceId: 'w', ownerId: null }, 'open-url')).toEqual(['a', 'b'])
  tabs.alive('a', [])
  expect(tabs.offers({ workspaceId: 'w', ownerId: null }, 'open-url')).toEqual(['a'])
})

test('the tab that started the run comes first, then its browser, then any tab with the session open', () => {
  open()
  tabs.announce(tab('a', '1'))
  tabs.announce(tab('a', '2', { sessionId: 's' }))
  tabs.announce(tab('b', '3', { sessionId: 's' }))
  tabs.announce(tab('b', '4'))
  const pick = (clientId?: string, tabId?: string, held?: string) =>
    tabs.pick({ ...wanted, clientId, tabId }, held)?.tabId
  expect(pick('a', '1')).toBe('1')
  expect(pick('a', 'gone')).toBe('2')
  expect(pick('gone', '1')).toBe('3')
  expect(pick()).toBe('3')
  expect(tabs.pick({ ...wanted, sessionId: 'other' })?.tabId).toBe('4')
  // A tab that already has the call keeps it.
  expect(pick('a', '1', 'b 4')).toBe('4')
  expect(tabs.pick({ ...wanted, action: 'notify' })).toBeUndefined()
})

test('a closed tab has a moment to come back, as after a reload', () => {
  open()
  let changes = 0
  tabs.onChange(() => changes++)
  tabs.announce(tab('a', '1'))
  tabs.leave({ clientId: 'a', tabId: '1' })
  expect(tabs.offers({ workspaceId: 'w', ownerId: null }, 'open-url')).toEqual([])
  vi.advanceTimersByTime(2000)
  tabs.announce(tab('a', '1'))
  vi.advanceTimersByTime(10_000)
  expect(tabs.offers({ workspaceId: 'w', ownerId: null }, 'open-url')).toEqual([])
  tabs.leave({ clientId: 'a', tabId: '1' })
  changes = 0
  vi.advanceTimersByTime(6000)
  expect([tabs.offers({ workspaceId: 'w', ownerId: null }, 'open-url'), changes]).toEqual([false, 1])
})

test('a browser reports its own open tabs, and none of others', () => {
  open()
  for (const [client, id] of [
    ['a', '1'],
    ['a', '2'],
    ['b', '1'],
  ] as const)
    tabs.announce(tab(client, id))
  tabs.alive('a', ['2'])
  expect(tabs.pick({ ...wanted, clientId: 'a', tabId: '1' })?.tabId).toBe('2')
  expect(tabs.pick({ ...wanted, clientId: 'b', tabId: '1' })?.clientId).toBe('b')
})

test('many tabs do not grow without end', () => {
  open()
  for (let index = 0; index < 600; index++) tabs.announce(tab('a', String(index)))
  expect(tabs.pick({ ...wanted, clientId: 'a', tabId: '50' })?.tabId).toBe('599')
  expect(tabs.pick({ ...wanted, clientId: 'a', tabId: '150' })?.tabId).toBe('150')
})
