import { expect, test } from 'vitest'
import { createPageCache } from './web-fetch.ts'

const page = (bytes: number) => ({ url: 'u', status: 200, statusText: '', contentType: '', body: Buffer.alloc(bytes) })

test('a page is kept for a quarter of an hour', () => {
  const cache = createPageCache()
  cache.set('a', page(1), 0)
  expect(cache.get('a', 15 * 60_000 - 1)).toMatchObject({ fetchedAt: 0 })
  expect(cache.get('a', 15 * 60_000)).toBeUndefined()
  expect(cache.get('a', 0)).toBeUndefined()
})

test('the oldest make room', () => {
  const cache = createPageCache()
  for (let i = 0; i < 8; i++) cache.set(`${i}`, page(10 * 1024 * 1024), i)
  expect(Array.from({ length: 8 }, (_, i) => cache.get(`${i}`, 10) !== undefined)).toEqual([
    false,
    false,
    false,
    true,
    true,
    true,
    true,
    true,
  ])
  cache.set('7', page(1), 9)
  cache.set('8', page(9 * 1024 * 1024), 9)
  expect(cache.get('3', 10)).toBeDefined()
})
