import type { Part } from '@troupe/protocol'
import { expect, test } from 'vitest'
import { estimateHeight } from './read-message.ts'

const said = (text: string, ...more: Part[]) => ({ parts: [{ type: 'text', text } as Part, ...more] })

test('a long text is higher than a short one, by its lines', () => {
  const short = estimateHeight(said('message'))
  expect(estimateHeight(said('word '.repeat(2000)))).toBeGreaterThan(2000)
  expect(estimateHeight(said('line\n'.repeat(20)))).toBeGreaterThan(3 * short)
})

test('empty parts take no space', () => {
  const nothing = Array.from({ length: 50 }, (): Part => ({ type: 'step-start' }))
  expect(estimateHeight(said('', ...nothing))).toBe(estimateHeight(said('')))
})
