import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openDocuments } from './open-documents.ts'
import { makeZip } from './testing/make-zip.ts'

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

test('empty, misnamed and damaged files say what is wrong and what to do', async () => {
  const problem = async (name: string, content: string | Uint8Array): Promise<string> => {
    const file = path.join(folder, name)
    writeFileSync(file, content)
    return documents.read({ path: file }, {}).then(
      () => 'none',
      (error: unknown) => (error as Error).message,
    )
  }
  expect(await problem('empty.docx', '')).toBe('empty.docx is empty (0 bytes).')
  expect(await problem('noise.xlsx', Buffer.alloc(600, '\x01\x02\xff'))).toMatch(
    /^noise\.xlsx is named like an Excel workbook, but its content is something else\..* Ask for another copy\.$/,
  )
  const spreadsheet = makeZip({ mimetype: 'application/vnd.oasis.opendocument.spreadsheet', 'content.xml': '<x/>' })
  expect(await problem('cut.ods', spreadsheet.subarray(0, -30))).toBe(
    'cut.ods is damaged or incomplete: the zip is damaged. Ask for another copy.',
  )
  // The library for binary workbooks does not check what it unpacks, and loops in damaged parts.
  expect(await problem('lie.xlsb', makeZip({ 'xl/workbook.bin': 'x' }, { crc: 1 }))).toBe(
    'lie.xlsb is damaged or incomplete: xl/workbook.bin does not match its entry in the zip. Ask for another copy.',
  )
  expect(await problem('deep.html', '<div>'.repeat(10_001))).toContain('nested too deeply')
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
