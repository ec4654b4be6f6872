import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countNewlines } from './scan-bytes.ts'

test('the count equals that of a plain loop, for every start position', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 3000 }), fc.nat(7), (bytes, from) => {
      const part = bytes.subarray(from)
      expect(countNewlines(part)).toBe(part.reduce((count, byte) => count + (byte === 10 ? 1 : 0), 0))
    }),
  )
})

test('a text of only line feeds does not overflow', () => {
  for (const length of [0, 1, 3, 4, 1019, 1020, 1021, 4096, 1_000_003]) {
    expect(countNewlines(Buffer.alloc(length, '\n'))).toBe(length)
    expect(countNewlines(Buffer.alloc(length, 0x8a))).toBe(0)
  }
})
