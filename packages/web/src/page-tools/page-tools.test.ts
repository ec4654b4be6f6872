import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ApiError } from '../api/request.ts'
import type { CallNote, PageCall, TabNote } from '../api/session-types.ts'
import { createStorage } from '../platform/storage.ts'
import type { Action, ActionContext } from './actions.ts'
import { createDoneCalls, type TabLocks } from './done-calls.ts'
import { createPageTools } from './page-tools.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Fake server that assigns a call to one tab and accepts one result. */
function createServer() {
  const given = new Map<string, PageCall[]>()
  const acks: CallNote[] = []
  const notes: TabNote[] = []
  const answers: number[] = []
  return {
    given,
    acks,
    notes,
    /** Statuses of the next acknowledgments. */
    answers,
    api: {
      announceTab: (tab: TabNote) => {
        notes.push(tab)
        return Promise.resolve({ calls: given.get(tab.tabId) ?? [], others: 0 })
      },
      acknowledgeCall: (ack: CallNote) => {
        const status = answers.shift() ?? 200
        if (status !== 200) return Promise.reject(new ApiError(status, { name: 'x', message: 'x' }))
        if (acks.some(({ toolCallId }) => toolCallId === ack.toolCallId))
          return Promise.reject(new ApiError(409, { name: 'AskClosed', message: 'closed' }))
        acks.push(ack)
        return Promise.resolve({ result: 'resolved' as const })
      },
    },
  }
}

function createBrowser() {
  const values = new Map<string, string>()
  const storage = {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  } as unknown as Storage
  const turns = new Map<string, Promise<unknown>>()
  const locks: TabLocks = {
    async alone(name, work) {
      const before = turns.get(name)
      const turn = (before ?? Promise.resolve()).catch(() => undefined).then(work)
      turns.set(name, turn)
      return turn
    },
    live: () => Promise.resolve(true),
    alive: () => Promise.resolve(undefined),
  }
  return { storage, locks, values }
}

function openTab(
  server: ReturnType<typeof createServer>,
  browser: ReturnType<typeof createBrowser>,
  tabId: string,
  act: Action,
) {
  const tools = createPageTools({
    api: server.api,
    ids: { clientId: 'browser', tabId },
    newTabId: () => `${tabId}-2`,
    actions: { names: ['do'], load: (name) => Promise.resolve(name === 'do' ? act : undefined) },
    locks: browser.locks,
    done: createDoneCalls(createStorage(() => browser.storage)),
    reader: { read: () => Promise.reject(new Error('no')) },
    sessionInSight: () => 's',
    isBusyElsewhere: () => false,
    contextOf: () => ({}) as ActionContext,
  })
  const stop = tools.start()
  void tools.look()
  return { ...tools, stop }
}

const call = (toolCallId: string, more: Partial<PageCall> = {}): PageCall => ({
  askId: `ask-${toolCallId}`,
  sessionId: 's',
  toolCallId,
  toolName: 'Do',
  action: 'do',
  input: { x: 1 },
  title: 'Do',
  byPerson: false,
  createdAt: Date.now(),
  timeoutMs: 60_000,
  ...more,
})
const settle = () => vi.advanceTimersByTimeAsync(0)

test('a request is performed and reported once, however often it arrives', async () => {
  const [server, browser] = [createServer(), createBrowser()]
  const act = vi.fn<Action>((input) => ({ seen: input }))
  server.given.set('a', [call('c1')])
  const tab = openTab(server, browser, 'a', act)
  await settle()
  await tab.look()
  await vi.advanceTimersByTimeAsync(30_000)
  expect(act).toHaveBeenCalledTimes(1)
  expect(server.acks).toEqual([
    { sessionId: 's', clientId: 'browser', toolCallId: 'c1', status: 'success', output: { seen: { x: 1 } } },
  ])
  expect(server.notes.length).toBeGreaterThan(3)
  tab.stop()
})

test('two tabs that both get a request perform it once', async () => {
  const [server, browser] = [createServer(), createBrowser()]
  const act = vi.fn<Action>(() => new Promise((resolve) => setTimeout(() => resolve('done'), 1000)))
  for (const tab of ['a', 'b']) server.given.set(tab, [call('c1')])
  const tabs = ['a', 'b'].map((tab) => openTab(server, browser, tab, act))
  await vi.advanceTimersByTimeAsync(5000)
  expect([act.mock.calls.length, server.acks.length]).toEqual([1, 1])
  for (const tab of tabs) tab.stop()
})

test('a request that fails because the page is left is performed by the reloaded page', async () => {
  const [server, browser] = [createServer(), createBrowser()]
  server.given.set('a', [call('c1')])
  const aborted = Promise.withResolvers<string>()
  const before = openTab(server, browser, 'a', () => aborted.promise)
  await settle()
  before.leave()
  aborted.reject(new Error('Failed to fetch'))
  before.stop()
  await settle()
  expect(server.acks).toEqual([])
  const after = openTab(server, browser, 'a', () => 'done')
  await settle()
  expect(server.acks).toMatchObject([{ toolCallId: 'c1', status: 'success', output: 'done' }])
  after.stop()
})

test('a reloaded page reports its result again, and does not repeat the action', async () => {
  const [server, browser] = [createServer(), createBrowser()]
  const act = vi.fn<Action>(() => 'done')
  server.given.set('a', [call('c1')])
  // The server fails for as long as the first page lives.
  server.answers.push(...Array.from({ length: 3 }, () => 500))
  const before = openTab(server, browser, 'a', act)
  await settle()
  expect([act.mock.calls.length, server.acks.length]).toEqual([1, 0])
  before.stop()
  const after = openTab(server, { ...browser, locks: createBrowser().locks }, 'a', act)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(act).toHaveBeenCalledTimes(1)
  expect(server.acks).toMatchObject([{ status: 'success', output: 'done' }])
  after.stop()
})

test('if a tab died in the middle, the next one performs the action', async () => {
  const [server, browser] = [createServer(), createBrowser()]
  server.given.set('a', [call('c1')])
  const dies = openTab(server, browser, 'a', () => new Promise(() => undefined))
  await settle()
  dies.stop()
  server.given.set('b', [call('c1')])
  const act = vi.fn<Action>(() => 'done')
  // The closed tab has released its lock.
  const next = openTab(server, { ...browser, locks: createBrowser().locks }, 'b', act)
  await settle()
  expect([act.mock.calls.length, server.acks]).toMatchObject([1, [{ output: 'done' }]])
  next.stop()
})

test('a failed action is reported with a reason, and unknown actions are not performed', async () => {
  const [server, browser] = [createServer(), createBrowser()]
  server.given.set('a', [call('c1'), call('c2', { action: 'format-disk' })])
  const tab = openTab(server, browser, 'a', () => Promise.reject(new Error('It is stuck.')))
  await settle()
  const words = Object.fromEntries(
    server.acks.map(({ toolCallId, status, errorText }) => [toolCallId, [status, errorText]]),
  )
  expect(words).toEqual({
    c1: ['failed', 'It is stuck.'],
    c2: ['failed', 'This page cannot do "format-disk".'],
  })
  expect(server.acks).toHaveLength(2)
  tab.stop()
})

test('actions that need the user wait for a click, and shared data is not stored in the browser', async () => {
  const [server, browser] = [createServer(), createBrowser()]
  const act = vi.fn<Action>(() => ({ text: 'a secret' }))
  const asked = call('c1', { byPerson: true })
  server.given.set('a', [asked])
  const tab = openTab(server, browser, 'a', act)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(act).not.toHaveBeenCalled()
  await tab.perform(asked)
  expect(server.acks).toMatchObject([{ output: { text: 'a secret' } }])
  expect(JSON.stringify([...browser.values])).not.toContain('secret')
  // A late answer is rejected with an error.
  await expect(tab.decline(asked)).rejects.toMatchObject({ name: 'AskClosed', status: 409 })
  expect(server.acks).toHaveLength(1)
  tab.stop()
})

test('a failed click can be repeated, and nothing is reported', async () => {
  const [server, browser] = [createServer(), createBrowser()]
  const act = vi.fn<Action>().mockRejectedValueOnce(new Error('not allowed'))
  const tab = openTab(server, browser, 'a', act)
  await expect(tab.perform(call('c1'))).rejects.toThrow('not allowed')
  expect(server.acks).toEqual([])
  await tab.answer(call('c1'), { text: 'by hand' })
  expect(server.acks).toMatchObject([{ status: 'success', output: { text: 'by hand' } }])
  tab.stop()
})

test('a rejected answer shows the reason soon, and can be repeated', async () => {
  const [server, browser] = [createServer(), createBrowser()]
  const tab = openTab(server, browser, 'a', () => ({ text: 'x' }))
  server.answers.push(403)
  await expect(tab.decline(call('c1'))).rejects.toMatchObject({ status: 403 })
  // The server is unreachable.
  server.answers.push(...Array.from({ length: 20 }, () => 0))
  const [away] = await Promise.all([Promise.allSettled([tab.perform(call('c1'))]), vi.advanceTimersByTimeAsync(20_000)])
  expect(away).toMatchObject([{ status: 'rejected', reason: { status: 0 } }])
  server.answers.splice(0)
  await tab.perform(call('c1'))
  expect(server.acks).toMatchObject([{ status: 'success' }])
  tab.stop()
})

test('the user can decline during the action, and then nothing is reported', async () => {
  const [server, browser] = [createServer(), createBrowser()]
  const upload = Promise.withResolvers<unknown>()
  const tab = openTab(server, browser, 'a', () => upload.promise)
  const performed = tab.perform(call('c1'))
  await tab.decline(call('c1'))
  upload.resolve({ files: [] })
  await performed
  expect(server.acks).toMatchObject([{ status: 'failed', errorText: 'The person declined.' }])
  tab.stop()
})

test('a result too long to survive a reload is reported as lost, never as done', async () => {
  const [server, browser] = [createServer(), createBrowser()]
  const act = vi.fn<Action>(() => 'x'.repeat(30_000))
  server.given.set('a', [call('c1')])
  server.answers.push(500)
  const before = openTab(server, browser, 'a', act)
  await settle()
  before.stop()
  const after = openTab(server, { ...browser, locks: createBrowser().locks }, 'a', act)
  await settle()
  expect(act).toHaveBeenCalledTimes(1)
  expect(server.acks).toMatchObject([{ status: 'failed', errorText: expect.stringContaining('lost') as string }])
  after.stop()
})

test('a call that the stream tells of is looked for until the server has it', async () => {
  const [server, browser] = [createServer(), createBrowser()]
  const tab = openTab(server, browser, 'a', () => 'done')
  await settle()
  void tab.look({ toolCallId: 'c1' })
  await vi.advanceTimersByTimeAsync(100)
  server.given.set('a', [call('c1')])
  await vi.advanceTimersByTimeAsync(600)
  expect(server.acks).toHaveLength(1)
  tab.stop()
})

test('a duplicated tab gets its own name', async () => {
  const [server, browser] = [createServer(), createBrowser()]
  const locks: TabLocks = { ...browser.locks, live: (tabId) => Promise.resolve(tabId !== 'a') }
  const tab = openTab(server, { ...browser, locks }, 'a', () => 'done')
  await settle()
  expect(server.notes.map(({ tabId }) => tabId)).toEqual(['a-2'])
  tab.stop()
})
