import { expect, test } from 'vitest'
import { inFolder, withoutFolder } from './folder-scope.ts'
import { requestInFolder } from './request.ts'

test('every request of a page names its folder, once, except in the server’s own', async () => {
  const asked: string[] = []
  const request = requestInFolder((_, path) => {
    asked.push(path)
    return Promise.resolve(new Response())
  }, 'w_1')
  for (const path of ['/ai/rules', '/ai/sessions?q=a', '/ai/sessions?workspace=w_2', '/health'])
    await request('GET', path)
  expect(asked).toEqual([
    '/ai/rules?workspace=w_1',
    '/ai/sessions?q=a&workspace=w_1',
    '/ai/sessions?workspace=w_2',
    '/health',
  ])
  expect(inFolder('/ai/rules', null)).toBe('/ai/rules')
  expect(asked.map(withoutFolder)).toEqual(['/ai/rules', '/ai/sessions?q=a', '/ai/sessions', '/health'])
  expect(withoutFolder('/ai/sessions?workspace=w_2&q=a')).toBe('/ai/sessions?q=a')
})
