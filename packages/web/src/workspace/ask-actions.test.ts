import { expect, test } from 'vitest'
import { ask, listed, openApp } from '../testing/open-app.ts'

test('many changes at once cause one request for asks, and one more for later changes', async () => {
  const gates: (() => void)[] = []
  const { app, requests } = openApp({
    'GET /ai/asks': () => new Promise((resolve) => gates.push(() => resolve({ asks: [ask('a1')] }))),
    'GET /ai/sessions/s1': () => ({ session: listed('s1') }),
  })
  const all = Promise.all([app.refreshAsks(), app.refreshAsks(), app.refreshAsks(), app.refreshAsks()])
  while (gates.length < 1) await Promise.resolve()
  gates[0]?.()
  while (gates.length < 2) await new Promise(setImmediate)
  gates[1]?.()
  await all
  expect(requests.filter((name) => name === 'GET /ai/asks')).toHaveLength(2)
  expect(app.getState().asks.map(({ id }) => id)).toEqual(['a1'])
})

test('an ask answered here does not return with an older list', async () => {
  const { app } = openApp({ 'GET /ai/asks': () => ({ asks: [ask('a1'), ask('a2'), ask('a3')] }) })
  await app.refreshAsks()
  app.asksAnswered(['a1', 'a3'])
  expect(app.getState().asks.map(({ id }) => id)).toEqual(['a2'])
  await app.refreshAsks()
  expect(app.getState().asks.map(({ id }) => id)).toEqual(['a2'])
})

test('the same asks do not change the state', async () => {
  const { app } = openApp({ 'GET /ai/asks': () => ({ asks: [ask('a1')] }) })
  await app.refreshAsks()
  const { asks } = app.getState()
  await app.refreshAsks()
  expect(app.getState().asks).toBe(asks)
})

test('a waiting chat too old for the list is loaded separately', async () => {
  const { app, requests } = openApp({
    'GET /ai/sessions': () => ({ sessions: [listed('s2')], nextCursor: 'more', hits: [] }),
    'GET /ai/asks': () => ({ asks: [ask('a1'), ask('a2', { sessionId: 's2' })] }),
    'GET /ai/sessions/s1': () => ({ session: listed('s1', { title: 'Long ago' }) }),
  })
  await app.refresh()
  expect(app.getState().unlistedSessions['s1']?.title).toBe('Long ago')
  expect(requests).not.toContain('GET /ai/sessions/s2')
  await app.refreshAsks()
  expect(requests.filter((name) => name === 'GET /ai/sessions/s1')).toHaveLength(1)
})
