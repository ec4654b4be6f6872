import { expect, test } from 'vitest'
import { readableType } from './readable-type.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)

test('images and PDFs keep their type, any text is plain text, the rest is refused', () => {
  expect(readableType('image/png', new Uint8Array([137, 80]))).toBe('image/png')
  expect(readableType('application/pdf', bytesOf('%PDF'))).toBe('application/pdf')
  expect(readableType('', bytesOf('# Grüße'))).toBe('text/plain')
  expect(readableType('application/json', bytesOf('{}'))).toBe('text/plain')
  expect(readableType('application/zip', new Uint8Array([80, 75, 0, 3]))).toBeUndefined()
  expect(readableType('', new Uint8Array([0xff, 0xfe]))).toBeUndefined()
  expect(readableType('text/plain', new Uint8Array())).toBeUndefined()
})
