import { expect, test } from 'vitest'
import { createRing } from './output-buffer.ts'

test('added text can be read from any position', () => {
  const ring = createRing(100)
  ring.add('hello ')
  ring.add('world')
  expect(ring.read()).toEqual({ text: 'hello world', next: 11, lost: 0 })
  expect(ring.read(6)).toEqual({ text: 'world', next: 11, lost: 0 })
  expect(ring.read(11)).toEqual({ text: '', next: 11, lost: 0 })
  expect(ring.read(99)).toEqual({ text: '', next: 11, lost: 0 })
})

test('only the end is kept, and the lost part is counted', () => {
  const ring = createRing(10)
  for (const piece of ['aaaa', 'bbbb', 'cccc', 'dddd']) ring.add(piece)
  expect(ring.read()).toEqual({ text: 'bbccccdddd', next: 16, lost: 6 })
  expect(ring.read(8)).toEqual({ text: 'ccccdddd', next: 16, lost: 0 })
  ring.add('e'.repeat(25))
  expect(ring.read(12)).toEqual({ text: 'e'.repeat(10), next: 41, lost: 19 })
})

test('chunks of any size give the same text', () => {
  const ring = createRing(20_000)
  let whole = ''
  for (let i = 0; i < 3000; i++) {
    const piece = String(i).repeat((i * 7) % 13)
    whole += piece
    ring.add(piece)
  }
  expect(ring.read().text).toBe(whole.slice(-20_000))
  expect(ring.length).toBe(whole.length)
})
