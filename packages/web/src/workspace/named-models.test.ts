import { expect, test } from 'vitest'
import { listed, openApp } from '../testing/open-app.ts'
import { currentModel } from './app-state.ts'

const own = { ref: 'acme/large', name: 'large', providerName: 'Acme', tags: [] }
const openProviders = [{ id: 'acme', name: 'Acme' }]
const storage = { get: () => null, set: () => undefined }

function open(session: object = {}) {
  const asked: (string | null)[] = []
  const shown = openApp(
    {
      'GET /ai/sessions': () => ({ sessions: [listed('s1', session)], nextCursor: null }),
      'GET /ai/asks': () => ({ asks: [] }),
      'GET /ai/rules': () => ({ mode: 'default', bypass: false, sandbox: { available: true } }),
      'GET /ai/workspace': () => ({ workspace: null }),
      'GET /ai/models': (_, query) => {
        asked.push(query.get('also'))
        const also = (query.get('also')?.split(' ') ?? []).filter((ref) => ref.startsWith('acme/'))
        return { models: [own, ...also.map((ref) => ({ ...own, ref }))], defaultModel: own.ref, openProviders }
      },
      'PATCH /ai/sessions/s1': () => ({ session: listed('s1', session) }),
    },
    's1',
  )
  return { ...shown, asked }
}

test('a typed model is used at once, and its facts are read', async () => {
  const { app, asked } = open()
  await app.start(null)
  await app.chooseModel('acme/gpt-4o-mini')
  expect(currentModel(app.getState(), storage)).toBe('acme/gpt-4o-mini')
  expect(asked).toEqual([null, 'acme/gpt-4o-mini'])
  await app.chooseModel(own.ref)
  expect(asked).toHaveLength(2)
})

test('a chat keeps a model that another browser typed', async () => {
  const { app, asked } = open({ model: 'acme/from-elsewhere' })
  await app.start(null)
  await expect.poll(() => asked).toEqual([null, 'acme/from-elsewhere'])
  expect(currentModel(app.getState(), storage)).toBe('acme/from-elsewhere')
})

test('a model of a provider that is gone is not used', async () => {
  const { app } = open({ model: 'gone/x' })
  await app.start(null)
  expect(currentModel(app.getState(), storage)).toBe(own.ref)
})
