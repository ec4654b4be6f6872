import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeText, detectFormat, encodeText, type Encoding } from './encoding.ts'

test('every text round-trips through every encoding that supports it', () => {
  const bom = fc.boolean()
  fc.assert(
    fc.property(
      fc.constantFrom<Encoding>('utf-8', 'utf-16le', 'utf-16be'),
      fc.string({ unit: 'binary' }),
      bom,
      (encoding, text, isMarked) => {
        const format = { encoding, bom: isMarked }
        expect(decodeText(encodeText(text, format), format)).toBe(text)
      },
    ),
  )
  const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
  const latin1 = { encoding: 'latin1', bom: false } as const
  expect(encodeText(decodeText(all, latin1), latin1).equals(all)).toBe(true)
})

test.each<[string, number[] | string, string]>([
  ['plain ASCII', 'hello', 'utf-8'],
  ['UTF-8', 'grüße', 'utf-8'],
  ['a Latin-1 letter at the very end', [0x63, 0x61, 0x66, 0xe9], 'latin1'],
  ['a Latin-1 letter in the middle', [0xe9, 0x74, 0xe9, 0x0a], 'latin1'],
  ['UTF-8 with one damaged byte', [...Buffer.from('größe äöü'), 0xff], 'utf-8'],
  ['nothing', '', 'utf-8'],
])('%s is detected', (_, content, encoding) => {
  expect(detectFormat(Buffer.from(content as string)).encoding).toBe(encoding)
})

test('a beginning that ends within a character is not damaged', () => {
  const bytes = Buffer.from('a😀')
  for (let end = 1; end < bytes.length; end++) {
    expect(detectFormat(bytes.subarray(0, end), { isWhole: false }).encoding).toBe('utf-8')
  }
  expect(detectFormat(Buffer.from([0xe9, 0x20, 0xe9, 0x20]), { isWhole: false }).encoding).toBe('latin1')
})
