import { expect, test } from 'vitest'
import { decodeText } from './read-page.ts'

const bytes = (...parts: (string | number[])[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))))

test('the encoding comes from the byte order mark, the header or the page, in this order', () => {
  expect(decodeText(bytes('caf', [0xe9]), 'text/html; charset=ISO-8859-1')).toBe('café')
  expect(decodeText(bytes([0x82, 0xb1]), 'text/html; charset="Shift_JIS"')).toBe('こ')
  expect(decodeText(bytes('<meta charset=windows-1251>', [0xcf]), 'text/html')).toBe('<meta charset=windows-1251>П')
  expect(
    decodeText(bytes('<meta http-equiv="Content-Type" content="text/html; charset=euc-kr">', [0xb0, 0xa1]), ''),
  ).toMatch(/가$/)
  expect(decodeText(bytes('<?xml version="1.0" encoding="iso-8859-2"?>', [0xb1]), 'text/xml')).toMatch(/ą$/)
  expect(decodeText(bytes([0xef, 0xbb, 0xbf], [0xc3, 0xa9]), 'text/html; charset=latin1')).toBe('é')
  expect(decodeText(bytes([0xff, 0xfe], [0x41, 0x00]), '')).toBe('A')
})

test('pages without a valid encoding are read like in a browser', () => {
  expect(decodeText(Buffer.from('naïve'), '')).toBe('naïve')
  expect(decodeText(bytes('caf', [0xe9]), 'text/plain')).toBe('café')
  expect(decodeText(Buffer.from('naïve'), 'text/html; charset=klingon')).toBe('naïve')
  expect(decodeText(bytes('<meta charset="utf-16">', [0xc3, 0xa9]), 'text/html')).toBe('<meta charset="utf-16">é')
  expect(decodeText(bytes('a', [0xff], 'b'), 'text/html; charset=utf-8')).toBe('a\ufffdb')
})
