import type { ParamValues } from '@troupe/protocol'
import { expect, test } from 'vitest'
import { listed, openApp } from '../testing/open-app.ts'
import { currentParams } from './session-choices.ts'

const page = (params?: ParamValues) => ({
  sessions: [listed('s1', params === undefined ? {} : { params })],
  nextCursor: null,
  hits: [],
})

test('a new chat sends its settings with its first message', async () => {
  const { app, requests } = openApp({ 'GET /ai/sessions': () => ({ sessions: [], nextCursor: null, hits: [] }) })
  await app.refresh()
  const { sessionId } = app.getState()
  expect(app.pendingParams(sessionId)).toBeUndefined()
  await app.chooseParams({ temperature: 0.2 })
  expect(currentParams(app.getState())).toEqual({ temperature: 0.2 })
  expect(app.pendingParams(sessionId)).toEqual({ temperature: 0.2 })
  expect(requests.some((name) => name.startsWith('PATCH'))).toBe(false)
})

test('of quick choices the last one is sent and shown, and then the word of the server counts', async () => {
  const sent: ParamValues[] = []
  const { app, broadcasts } = openApp(
    {
      'GET /ai/sessions': () => page({ seed: 1 }),
      'PATCH /ai/sessions/s1': (body) => {
        const { params } = body as { params: ParamValues }
        sent.push(params)
        return { session: listed('s1', { params }) }
      },
    },
    's1',
  )
  await app.refresh()
  expect(currentParams(app.getState())).toEqual({ seed: 1 })
  const all = [{ seed: 2 }, { seed: 3 }, { seed: 4 }].map((params) => app.chooseParams(params))
  expect(currentParams(app.getState())).toEqual({ seed: 4 })
  await Promise.all(all)
  expect(sent).toEqual([{ seed: 4 }])
  expect(app.getState().chosenParams).toEqual({})
  expect(currentParams(app.getState())).toEqual({ seed: 4 })
  expect(broadcasts).toEqual(['changed s1'])
})

test('refused settings are reverted and reported', async () => {
  const refusal = { error: { name: 'BadParams', message: 'Temperature must be between 0 and 2.' } }
  const { app, errors } = openApp(
    {
      'GET /ai/sessions': () => page({ temperature: 1 }),
      'PATCH /ai/sessions/s1': () => Response.json(refusal, { status: 422 }),
    },
    's1',
  )
  await app.refresh()
  await app.chooseParams({ temperature: 9 })
  expect(currentParams(app.getState())).toEqual({ temperature: 1 })
  expect(errors.at(-1)).toMatchObject({ name: 'BadParams' })
})
