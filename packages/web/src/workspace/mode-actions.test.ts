import type { Mode } from '@troupe/core'
import { expect, test } from 'vitest'
import { listed, openApp } from '../testing/open-app.ts'
import { availableModes, currentMode, nextMode } from './app-state.ts'

const page = (mode: Mode) => ({ sessions: [listed('s1', { mode })], nextCursor: null, hits: [] })

test('a new chat starts in the server’s mode, or in the chosen one, which is sent with its first message', async () => {
  const { app, requests } = openApp({
    'GET /ai/sessions': () => ({ sessions: [], nextCursor: null, hits: [] }),
    'GET /ai/rules': () => ({ rules: [], warnings: [], mode: 'plan', bypass: false, sandbox: { available: true } }),
  })
  await app.refresh()
  const { sessionId } = app.getState()
  expect(currentMode(app.getState())).toBe('plan')
  expect(app.pendingMode(sessionId)).toBeUndefined()
  await app.chooseMode('accept-edits')
  expect(currentMode(app.getState())).toBe('accept-edits')
  expect(app.pendingMode(sessionId)).toBe('accept-edits')
  expect(requests.some((name) => name.startsWith('PATCH'))).toBe(false)
  // The session started, and a tool changed its mode before the list was reloaded.
  app.sessionBegan()
  app.modeChanged(sessionId, 'default')
  expect(currentMode(app.getState())).toBe('default')
})

test('quick choices arrive in their order, and the last one is shown all the while', async () => {
  const sent: { mode: Mode; arrive: () => void }[] = []
  const { app, broadcasts } = openApp(
    {
      'GET /ai/sessions': () => page('default'),
      'PATCH /ai/sessions/s1': (body) => {
        const { mode } = body as { mode: Mode }
        return new Promise((resolve) => {
          sent.push({ mode, arrive: () => resolve({ session: listed('s1', { mode }) }) })
        })
      },
    },
    's1',
  )
  await app.refresh()
  const both = Promise.all([app.chooseMode('accept-edits'), app.chooseMode('plan')])
  while (sent.length < 1) await new Promise(setImmediate)
  expect(currentMode(app.getState())).toBe('plan')
  sent[0]?.arrive()
  while (sent.length < 2) await new Promise(setImmediate)
  expect(currentMode(app.getState())).toBe('plan')
  sent[1]?.arrive()
  await both
  expect(sent.map(({ mode }) => mode)).toEqual(['accept-edits', 'plan'])
  expect(app.getState().chosenModes).toEqual({})
  expect(currentMode(app.getState())).toBe('plan')
  expect(broadcasts).toEqual(['changed s1', 'changed s1'])
})

test('a refused mode is reverted and reported', async () => {
  const error = { name: 'BypassNotAllowed', message: 'Bypass mode runs everything without asking.' }
  const { app, errors } = openApp(
    {
      'GET /ai/sessions': () => page('plan'),
      'PATCH /ai/sessions/s1': () => Response.json({ error }, { status: 403 }),
    },
    's1',
  )
  await app.refresh()
  await app.chooseMode('bypass')
  expect(currentMode(app.getState())).toBe('plan')
  expect(errors.at(-1)).toMatchObject({ name: 'BypassNotAllowed' })
})

test('a list requested before a mode change is requested again', async () => {
  let change: (() => void) | undefined
  const pages = ['default', 'plan'] as Mode[]
  const { app } = openApp(
    {
      'GET /ai/sessions': () => {
        change?.()
        change = undefined
        return page(pages.shift() ?? 'plan')
      },
    },
    's1',
  )
  change = () => app.modeChanged('s1', 'plan')
  await app.refresh()
  expect(pages).toEqual([])
  expect(currentMode(app.getState())).toBe('plan')
})

test('the shortcut skips bypass mode, which is available only if the server allows it', () => {
  expect((['default', 'accept-edits', 'plan', 'bypass'] as const).map(nextMode)).toEqual([
    'accept-edits',
    'plan',
    'default',
    'default',
  ])
  expect(availableModes({ bypass: false })).toEqual(['default', 'accept-edits', 'plan'])
  expect(availableModes({ bypass: true })).toEqual(['default', 'accept-edits', 'plan', 'bypass'])
})
