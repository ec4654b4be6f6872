import type { Part } from '@troupe/core/protocol'
import { expect, test } from 'vitest'
import { tailOf } from './tail-of.ts'

const said = (text: string, ...more: Part[]) => ({ parts: [{ type: 'text', text } as Part, ...more] })

test('as many of the last messages as fill the height, and no more', () => {
  const messages = Array.from({ length: 100 }, (_, index) => said(`message ${index}`))
  expect(tailOf(messages, 780)).toEqual(messages.slice(-10))
})

test('one long answer fills it alone', () => {
  const long = said('word '.repeat(2000))
  expect(tailOf([said('question'), long], 900)).toEqual([long])
})

test('few messages are all of them, the very same list', () => {
  const messages = [said('question'), said('answer', { type: 'step-start' })]
  expect(tailOf(messages, 900)).toBe(messages)
  expect(tailOf([], 900)).toEqual([])
})

test('parts that show nothing take no room', () => {
  const quiet = said('', ...Array.from({ length: 50 }, (): Part => ({ type: 'step-start' })))
  const messages = Array.from({ length: 20 }, () => quiet)
  expect(tailOf(messages, 640)).toHaveLength(10)
})
