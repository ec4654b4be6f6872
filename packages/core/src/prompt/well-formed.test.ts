import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyJson } from '../../../protocol/testing/arbitrary-json.ts'
import { runs } from '../../../protocol/testing/test-effort.ts'
import { wellFormed } from '../text/format.ts'

it('repairs lone surrogates anywhere, including keys', () => {
  expect(wellFormed({ a: ['x\ud83d', { '\ude00': '😀' }], b: 1 })).toEqual({ a: ['x\ufffd', { '\ufffd': '😀' }], b: 1 })
})

it('returns the same object if there is nothing to repair', () => {
  const value = { a: ['x', { b: null }], c: 1 }
  expect(wellFormed(value)).toBe(value)
  expect(wellFormed([1, '\ud83d', value])[2]).toBe(value)
})

it('leaves well-formed JSON of any shape', () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      const mended = wellFormed(value)
      expect(JSON.stringify(mended)).not.toMatch(/(?<!\\)(?:\\\\)*\\ud[89a-f]/)
      expect(wellFormed(mended)).toBe(mended)
    }),
    runs(300),
  )
})
