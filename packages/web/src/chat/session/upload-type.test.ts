import { expect, test } from 'vitest'
import { uploadType } from './attachments.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)

test('text of any kind is plain text, everything else keeps its type', () => {
  expect(uploadType('image/png', new Uint8Array([137, 80, 0]))).toBe('image/png')
  expect(uploadType('application/zip', new Uint8Array([80, 75, 0, 3]))).toBe('application/zip')
  expect(uploadType('', bytesOf('# Grüße'))).toBe('text/plain')
  expect(uploadType('application/json', bytesOf('{}'))).toBe('text/plain')
  expect(uploadType('', new Uint8Array([0xff, 0xfe]))).toBe('application/octet-stream')
  expect(uploadType('not a type', new Uint8Array([0]))).toBe('application/octet-stream')
})
