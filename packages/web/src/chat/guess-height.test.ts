import type { Part } from '@troupe/core/protocol'
import { expect, test } from 'vitest'
import { guessHeight } from './guess-height.ts'

const said = (text: string, ...more: Part[]) => ({ parts: [{ type: 'text', text } as Part, ...more] })

test('a long text is higher than a short one, by its lines', () => {
  const short = guessHeight(said('message'))
  expect(guessHeight(said('word '.repeat(2000)))).toBeGreaterThan(2000)
  expect(guessHeight(said('line\n'.repeat(20)))).toBeGreaterThan(3 * short)
})

test('parts that show nothing take no room', () => {
  const nothing = Array.from({ length: 50 }, (): Part => ({ type: 'step-start' }))
  expect(guessHeight(said('', ...nothing))).toBe(guessHeight(said('')))
})
