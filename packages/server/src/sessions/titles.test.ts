import type { RunRecord } from '@troupe/core'
import { scriptedModel } from '@troupe/core/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Models } from '../models/models.ts'
import { testServer, type TestServer } from '../testing/test-server.ts'
import { createTitleWriter } from './titles.ts'

let server: TestServer
beforeEach(async () => {
  server = await testServer()
})
afterEach(() => server.close())

const words = 'Please tell me about the tides of the northern sea'

/** Titles a session's first answer like a server. Returns the title, the models called and the log. */
async function titled(given: { answer?: string; on?: boolean; model?: string; rename?: string; more?: string } = {}) {
  const { answer = 'Tides of the North Sea', on = true, model = 'shop/large' } = given
  const asked: string[] = []
  const lines: object[] = []
  await server.chat('s1', words)
  if (given.more !== undefined) await server.chat('s1', given.more)
  if (given.rename !== undefined) await server.store.sessions.update('s1', { title: given.rename })
  const leaf = await server.store.messages.latestLeaf({ sessionId: 's1' })
  const titles = createTitleWriter({
    store: server.store,
    models: {
      listModels: () =>
        Promise.resolve([
          { ref: 'shop/large', usable: true, price: { input: 3, output: 15 } },
          { ref: 'shop/small', usable: true, price: { input: 0.1, output: 0.4 } },
          { ref: 'shop/away', usable: false, price: { input: 0, output: 0 } },
          { ref: 'other/free', usable: true, price: { input: 0, output: 0 } },
        ] as unknown as Awaited<ReturnType<Models['listModels']>>),
      resolveChatModel: (id) => {
        asked.push(id ?? '')
        return Promise.resolve({ model: scriptedModel(() => [{ text: answer }]) } as never)
      },
    },
    logger: (line) => void lines.push(line),
    isOn: () => on,
    isSilent: (ref) => ref.startsWith('demo/'),
  })
  titles.answered({ sessionId: 's1', messageId: leaf, request: { model } } as unknown as RunRecord)
  const title = async () => (await server.store.sessions.get('s1'))?.title
  return { asked, lines, titles, title }
}

test('the cheapest model of the same provider writes the title after the first answer', async () => {
  const { asked, title } = await titled()
  await expect.poll(title).toBe('Tides of the North Sea')
  expect(asked).toEqual(['shop/small'])
})

test.each([
  ['it is switched off', { on: false }],
  ['the model is silent', { model: 'demo/tour' }],
  ['the person has named the session', { rename: 'Mine' }],
  ['it is not the first answer', { more: 'and of the southern one' }],
])('no model is called if %s', async (_, given) => {
  const { asked, titles, title } = await titled(given)
  await titles.close()
  expect(asked).toEqual([])
  expect(await title()).toBe('rename' in given ? 'Mine' : 'Please tell me about the tides…')
})

test('if a model returns none, the first words stay, and this is logged', async () => {
  const { lines, title } = await titled({ answer: ' ' })
  await expect.poll(() => lines.length).toBe(1)
  expect(lines[0]).toMatchObject({ level: 'warn', message: 'a session got no title' })
  expect(await title()).toBe('Please tell me about the tides…')
})
