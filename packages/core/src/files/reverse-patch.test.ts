import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyReplacements } from '../text/text-edit.ts'
import { applyReverse, packReverse } from './undo-store.ts'

test('reversing any replacement restores the original, byte for byte', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      fc.array(fc.tuple(fc.nat(40), fc.nat(20), fc.uint8Array({ maxLength: 30 })), { maxLength: 5 }),
      (given, gaps) => {
        const before = Buffer.from(given)
        let at = 0
        const replacements = gaps.flatMap(([gap, length, bytes]) => {
          const start = at + gap
          at = start + length
          return at <= before.length ? [{ start, end: at, bytes: Buffer.from(bytes) }] : []
        })
        const after = Buffer.concat(applyReplacements(before, { replacements }))
        let shift = 0
        const parts = replacements.map(({ start, end, bytes }) => {
          const part = { start: start + shift, length: bytes.length, bytes: before.subarray(start, end) }
          shift += bytes.length - (end - start)
          return part
        })
        expect(applyReverse(after, packReverse(parts)).equals(before)).toBe(true)
      },
    ),
  )
})
