import type { Ask } from '@troupe/core'
import type { NamedError } from '@troupe/protocol'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createPageCalls } from './page-calls.ts'
import { createPageTabs, type PageTab } from './page-tabs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function open() {
  const tabs = createPageTabs()
  const calls = createPageCalls(tabs, () => Promise.resolve({ workspaceId: 'w', ownerId: null }))
  const nobody: string[] = []
  const onNobody = (error: NamedError) => void nobody.push(error.name)
  const announce = (tabId: string, more: Partial<PageTab> = {}) =>
    tabs.announce({
      workspaceId: 'w',
      ownerId: null,
      clientId: 'c',
      tabId,
      actions: ['open-url'],
      sessionId: null,
      ...more,
    })
  const of = (tabId: string) => calls.of({ clientId: 'c', tabId }).calls.map(({ toolCallId }) => toolCallId)
  return { tabs, calls, nobody, onNobody, announce, of }
}
const ask = (more: Partial<Ask> = {}): Ask => ({
  id: 'ask',
  kind: 'browser',
  sessionId: 's',
  runId: 'r',
  agentPath: ['master'],
  toolCallId: 'call',
  toolName: 'OpenUrl',
  input: {},
  title: 'Open',
  content: { action: 'open-url', input: { url: 'x' } },
  reason: '',
  rule: null,
  client: 'c',
  tab: '1',
  createdAt: 1,
  closedAt: null,
  answer: null,
  ...more,
})

test('a new call that no page supports fails at once', async () => {
  const { calls, onNobody, announce } = open()
  await expect(calls.open(ask(), { isNew: true, onNobody })).rejects.toThrow('No open page')
  announce('1', { actions: ['notify'] })
  await expect(calls.open(ask(), { isNew: true, onNobody })).rejects.toThrow('No open page')
})

test('a call from before a restart waits for its page for a limited time', async () => {
  const { calls, onNobody, nobody, announce, of } = open()
  await calls.open(ask(), { isNew: false, onNobody })
  vi.advanceTimersByTime(20_000)
  announce('1')
  expect(of('1')).toEqual(['call'])
  vi.advanceTimersByTime(20_000)
  expect(nobody).toEqual([])
  await calls.open(ask({ id: 'other', toolCallId: 'other', content: { action: 'notify' } }), { isNew: false, onNobody })
  vi.advanceTimersByTime(31_000)
  expect(nobody).toEqual(['NoPage'])
})

test('a closed page leaves its call to the next page, or to none', async () => {
  const { tabs, calls, onNobody, nobody, announce, of } = open()
  announce('1')
  announce('2')
  const letGo = await calls.open(ask(), { isNew: true, onNobody })
  expect([of('1'), of('2')]).toEqual([['call'], []])
  tabs.leave({ clientId: 'c', tabId: '1' })
  vi.advanceTimersByTime(6000)
  expect(of('2')).toEqual(['call'])
  // The first tab returns too late, after another took the call.
  announce('1')
  expect([of('1'), of('2')]).toEqual([[], ['call']])
  tabs.leave({ clientId: 'c', tabId: '1' })
  tabs.leave({ clientId: 'c', tabId: '2' })
  vi.advanceTimersByTime(14_000)
  expect(nobody).toEqual([])
  vi.advanceTimersByTime(3000)
  expect(nobody).toEqual(['NoPage'])
  letGo()
  expect(of('2')).toEqual([])
})

test('only the browser that was asked may answer', async () => {
  const { calls, onNobody, announce } = open()
  announce('1')
  announce('9', { clientId: 'other' })
  await calls.open(ask(), { isNew: true, onNobody })
  expect([calls.isWith('ask', 'c'), calls.isWith('ask', 'other'), calls.isWith('ask', undefined)]).toEqual([
    true,
    false,
    false,
  ])
})

test('an ask without an action is for anyone who may answer it', async () => {
  const { calls, onNobody, of, announce } = open()
  await calls.open(ask({ content: null }), { isNew: true, onNobody })
  announce('1')
  expect(of('1')).toEqual([])
})
