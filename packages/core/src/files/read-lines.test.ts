import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLineCollector } from './read-range.ts'

const line = fc.array(fc.constantFrom('a', 'é', '\r', 'xyz'), { maxLength: 6 }).map((parts) => parts.join(''))
const text = fc
  .tuple(fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n')), { maxLength: 12 }), line)
  .map(([pairs, last]) => pairs.flat().join('') + last)

/** Reference implementation. */
function expected(content: string, offset: number, limit: number): { lines: string[]; more: boolean } {
  const all = content.split('\n')
  if (all.at(-1) === '') all.pop()
  const isEnded = (index: number): boolean => index < all.length - 1 || content.endsWith('\n')
  const lines = all.map((one, index) => (isEnded(index) ? one.replace(/\r$/, '') : one))
  return { lines: lines.slice(offset - 1, offset - 1 + limit), more: lines.length > offset - 1 + limit }
}

test('lines are the same for every way to split the bytes', () => {
  fc.assert(
    fc.property(
      text,
      fc.integer({ min: 1, max: 15 }),
      fc.integer({ min: 1, max: 8 }),
      fc.array(fc.integer({ min: 1, max: 9 })),
      (content, offset, limit, sizes) => {
        const bytes = Buffer.from(content)
        const collector = createLineCollector({ offset, limit, maxBytes: 1e6, maxLineBytes: 1e6 })
        const shared = Buffer.alloc(16)
        for (let at = 0, turn = 0, isDone = false; at < bytes.length && !isDone; turn++) {
          const size = sizes[turn % Math.max(1, sizes.length)] ?? 16
          const piece = bytes.subarray(at, at + size)
          // Reuse the same memory for every chunk, as the real reader does.
          piece.copy(shared)
          isDone = collector.push(shared.subarray(0, piece.length))
          at += piece.length
        }
        const { lines, more } = collector.end()
        const wanted = expected(content, offset, limit)
        expect(lines.map((one) => one.bytes.toString())).toEqual(wanted.lines)
        expect(more).toBe(wanted.more)
      },
    ),
    { numRuns: 500 },
  )
})

test('a line is kept only as far as it is shown, with its full length', () => {
  const collector = createLineCollector({ offset: 1, limit: 10, maxBytes: 1e6, maxLineBytes: 5 })
  for (let turn = 0; turn < 1000; turn++) collector.push(Buffer.from('0123456789'))
  collector.push(Buffer.from('\r\nnext'))
  const { lines, seen } = collector.end()
  expect(lines.map(({ bytes, length }) => [bytes.toString(), length])).toEqual([
    ['01234', 10_000],
    ['next', 4],
  ])
  expect(seen).toBe(2)
})

test('the limit of bytes ends a range, but one line is always shown', () => {
  const collector = createLineCollector({ offset: 1, limit: 10, maxBytes: 3, maxLineBytes: 100 })
  expect(collector.push(Buffer.from('long line\nnext\n'))).toBe(true)
  expect(collector.end()).toMatchObject({ seen: 1, more: true, endings: { lf: true, crlf: false } })
})
