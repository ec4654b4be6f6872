import { expect, test } from 'vitest'
import browserObserve from './browser-observe.ts'

test('a list of elements with long texts is cut to the limit', () => {
  const elements = Array.from({ length: 100 }, (_, i) => ({
    ref: `e${i}`,
    text: `link "${'x'.repeat(800)}" [ref=e${i}]`,
  }))
  const output = { url: 'https://a.test/', title: '', elements, total: 150, notes: [] }
  const text = browserObserve.toModel!(output, { query: 'x', limit: 100 })
  expect(text.length).toBeLessThan(21_000)
  const told = text.match(/\[ref=/g)?.length ?? 0
  expect(told).toBeGreaterThan(20)
  expect(text).toContain(`[${150 - told} more]`)
})
