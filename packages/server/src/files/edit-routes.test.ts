import { afterAll, beforeAll, expect, it } from 'vitest'
import { scriptedModel } from '@troupe/core/testing'
import { testServer, type TestServer } from '../testing/test-server.ts'

let server: TestServer
let asked = ''

beforeAll(async () => {
  const model = scriptedModel((prompt) => {
    asked = JSON.stringify(prompt)
    return [{ text: '```ts\nconst b = 2\n```' }]
  })
  server = await testServer({ models: { 'test/editor': model } })
})
afterAll(() => server.close())

const edit = (more: object = {}) =>
  server.request('/ai/files/edit', {
    body: { path: 'a.ts', instruction: 'Rename a', text: 'const a = 1', before: '// above', after: '', ...more },
  })

it('streams the new text of the lines, without the fence that models add', async () => {
  const text = await (await edit({ model: 'test/editor' })).text()
  const events = [...text.matchAll(/^data: (\{.*\})$/gm)].map(
    ([, json = '']) => JSON.parse(json) as { type: string; text: string },
  )
  expect(events.at(-1)).toEqual({ type: 'done', text: 'const b = 2' })
  const written = events.filter(({ type }) => type === 'delta').map((event) => event.text)
  expect('const b = 2').toContain(written.join(''))
  expect(asked).toContain('Rename a')
  expect(asked).toContain('// above')
})

it('says why it cannot edit', async () => {
  expect((await edit({ model: 'demo/tour' })).status).toBe(409)
  expect((await edit({ model: 'none/none' })).status).toBe(404)
  expect((await edit({ instruction: ' ' })).status).toBe(400)
})
