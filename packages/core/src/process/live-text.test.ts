import { expect, test } from 'vitest'
import { createLiveText } from './output-buffer.ts'

test('chunks are joined, and sent at most twenty times per second', async () => {
  const live = createLiveText()
  live.add('a')
  expect(await live.next()).toBe('a')
  const begun = performance.now()
  for (const text of ['b', 'c', 'd']) live.add(text)
  expect(await live.next()).toBe('bcd')
  expect(performance.now() - begun).toBeGreaterThan(40)
})

test('a flood is shown by its end', async () => {
  const live = createLiveText()
  for (let i = 0; i < 1000; i++) live.add('x'.repeat(999) + '\n')
  live.add('the end')
  const piece = await live.next()
  expect(piece).toMatch(/^\n\.\.\. \[\d+ characters skipped\] \.\.\.\n/)
  expect(piece.endsWith('the end')).toBe(true)
  expect(piece.length).toBeLessThan(4100)
})
