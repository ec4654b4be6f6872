import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openDocuments } from './open-documents.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'documents-'))
const documents = openDocuments()
afterAll(() => documents.close())

test('a zip is listed', async () => {
  // An archive without entries is 22 bytes long.
  const file = path.join(folder, 'empty.zip')
  writeFileSync(file, Buffer.concat([Buffer.from('PK\u0005\u0006', 'latin1'), Buffer.alloc(18)]))
  expect(await documents.identify({ path: file })).toMatchObject({ format: 'zip', mediaType: 'application/zip' })
  expect(await documents.read({ path: file }, {})).toMatchObject({ facts: '0 files, 0 bytes unpacked', text: '' })
})

test('text is no document', async () => {
  const file = path.join(folder, 'notes.txt')
  writeFileSync(file, 'hello')
  expect(await documents.identify({ path: file })).toBeUndefined()
  await expect(documents.read({ path: file }, {})).rejects.toThrow('notes.txt is not a document that can be read.')
})

test('a read that is stopped ends, and the next one works', async () => {
  const file = path.join(folder, 'empty.zip')
  await expect(documents.read({ path: file }, {}, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped')
  const stop = new AbortController()
  const reading = documents.read({ path: file }, {}, stop.signal)
  stop.abort(new Error('stopped later'))
  await expect(reading).rejects.toThrow('stopped later')
  expect(await documents.read({ path: file }, {})).toMatchObject({ format: 'zip' })
})
