import { expect, test } from 'vitest'
import { moveWindow, windowAt, windowAtEnd, windowAtStart } from './scrolling.ts'

const tens = (count: number) => ({ count, heightOf: () => 10 })

test('the end of a list is as many of its last rows as fill the height', () => {
  expect(windowAtEnd(tens(100), 35)).toEqual({ from: 96, to: 100, above: 960, below: 0 })
  expect(windowAtEnd(tens(2), 35)).toEqual({ from: 0, to: 2, above: 0, below: 0 })
  expect(windowAtEnd(tens(0), 35)).toEqual({ from: 0, to: 0, above: 0, below: 0 })
})

test('its start is as many of its first rows', () => {
  expect(windowAtStart(tens(100), 35)).toEqual({ from: 0, to: 4, above: 0, below: 960 })
  expect(windowAtStart(tens(2), 35)).toEqual({ from: 0, to: 2, above: 0, below: 0 })
})

test('rows are added in the direction of scrolling, and rows behind are removed', () => {
  const end = windowAtEnd(tens(100), 40)
  const up = moveWindow(end, tens(100), { top: 895, bottom: 935, spare: 0 })
  expect(up).toEqual({ from: 89, to: 94, above: 890, below: 60 })
  expect(moveWindow(up, tens(100), { top: 960, bottom: 1000, spare: 0 })).toEqual({ ...end, from: 95, above: 950 })
})

test('a rendered row stays rendered a little beyond the viewport', () => {
  const seen = { from: 50, to: 60, above: 500, below: 400 }
  expect(moveWindow(seen, tens(100), { top: 530, bottom: 580, spare: 100 })).toEqual(seen)
  expect(moveWindow(seen, tens(100), { top: 530, bottom: 580, spare: 15 })).toEqual({ ...seen, from: 51, above: 510 })
})

test('a long jump renders only existing rows', () => {
  const leapt = moveWindow(windowAtEnd(tens(5000), 40), tens(5000), { top: 100, bottom: 140, spare: 20 })
  expect(leapt).toEqual({ from: 10, to: 14, above: 100, below: 49_860 })
})

test('the rendered rows keep their position if the rows above are higher than estimated', () => {
  const rows = { count: 20, heightOf: (index: number) => (index < 10 ? 30 : 10) }
  const guessed = { from: 10, to: 20, above: 100, below: 0 }
  const moved = moveWindow(guessed, rows, { top: 0, bottom: 200, spare: 0 })
  expect(moved).toEqual({ from: 6, to: 20, above: -20, below: 0 })
})

test('a requested row is rendered in the middle of the others', () => {
  expect(windowAt(tens(100), 30)).toEqual({ from: 30, to: 31, above: 300, below: 690 })
})

test('an empty or short list is rendered', () => {
  const seen = { from: 0, to: 3, above: 0, below: 0 }
  expect(moveWindow(seen, tens(3), { top: 0, bottom: 400, spare: 0 })).toEqual(seen)
  expect(moveWindow({ ...seen, to: 0 }, tens(0), { top: 0, bottom: 400, spare: 0 })).toEqual({ ...seen, to: 0 })
})
