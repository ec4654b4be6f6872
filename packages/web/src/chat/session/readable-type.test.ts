import { expect, test } from 'vitest'
import { modelMediaType } from './attachments.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)

test('images and PDFs keep their type, any text is plain text, the rest is refused', () => {
  expect(modelMediaType('image/png', new Uint8Array([137, 80]))).toBe('image/png')
  expect(modelMediaType('application/pdf', bytesOf('%PDF'))).toBe('application/pdf')
  expect(modelMediaType('', bytesOf('# Grüße'))).toBe('text/plain')
  expect(modelMediaType('application/json', bytesOf('{}'))).toBe('text/plain')
  expect(modelMediaType('application/zip', new Uint8Array([80, 75, 0, 3]))).toBeUndefined()
  expect(modelMediaType('', new Uint8Array([0xff, 0xfe]))).toBeUndefined()
  expect(modelMediaType('text/plain', new Uint8Array())).toBeUndefined()
})
