import { mkdtempSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Documents, DocumentText } from '@troupe/core'
import { beforeEach, expect, test } from 'vitest'
import { createAttachments } from './attachments.ts'
import { createBlobFiles } from '../blobs/blob-files.ts'
import { openBlobScopes } from '../http/principal.ts'

let home = ''
let reads = 0
let document: Partial<DocumentText> | Error = {}

const documents: Documents = {
  identify: async ({ name = '' }) =>
    name.endsWith('.docx') ? { format: 'docx', title: 'a Word document', mediaType: 'x/y' } : undefined,
  async read(_file, { outline }) {
    reads++
    if (document instanceof Error) throw document
    const base = { format: 'docx', title: 'a Word document', mediaType: 'x/y', facts: '3 pages' }
    return { ...base, text: 'Dear reader', ...document, ...(outline && { text: '- Chapter 1', next: undefined }) }
  },
}

beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'attachments-'))
  reads = 0
  document = {}
})

async function open(filename: string) {
  const blobs = createBlobFiles(path.join(home, 'blobs'))
  const { sha256 } = await blobs.put(Buffer.from(`bytes of ${filename}`), 'application/octet-stream')
  return {
    attachments: createAttachments({ home, blobs: openBlobScopes(blobs), documents }),
    file: { sessionId: 'ses_1', sha256, filename },
  }
}

test('a short document is shown completely, the same on every turn, and converted once', async () => {
  const { attachments, file } = await open('letter.docx')
  const text = await attachments.textOf(file)
  expect(text).toMatch(/^\[The file letter\.docx is a Word document \(3 pages\), saved at \/.*letter\.docx\.\]/)
  expect(text).toContain('Dear reader')
  expect(await attachments.textOf(file)).toBe(text)
  expect(reads).toBe(1)
})

test('a long document is introduced by its outline and its beginning', async () => {
  document = { text: 'line of text\n'.repeat(5000), next: { offset: 100 } }
  const { attachments, file } = await open('book.docx')
  const text = (await attachments.textOf(file)) ?? ''
  expect(text).toContain('only its beginning is shown')
  expect(text).toContain('- Chapter 1')
  expect(text.length).toBeLessThan(14_000)
})

test('a document that cannot be read says why, and other files are none', async () => {
  document = new Error('It is encrypted.')
  const { attachments, file } = await open('secret.docx')
  expect(await attachments.textOf(file)).toContain('could not be read: It is encrypted.')
  const other = await open('thing.bin')
  expect(await other.attachments.textOf(other.file)).toBeUndefined()
})

test.each(['../../etc/passwd', 'a\u0000b\n.txt', '-rf', '..', 'C:\\x\\y.pdf', '😀'.repeat(200), '報告書.pdf', ''])(
  'the name %j stays in the folder of the chat',
  async (filename) => {
    const { attachments, file } = await open(filename)
    const saved = (await attachments.pathOf(file)) ?? ''
    expect(path.dirname(saved)).toBe(path.join(home, 'sessions/ses_1/output/attachments'))
    expect(path.basename(saved)).toMatch(/^[0-9a-f]{8}-[\p{L}\p{N}._-]+$/u)
    expect(readFileSync(saved, 'utf8')).toBe(`bytes of ${filename}`)
    expect(statSync(saved).mode & 0o077).toBe(0)
  },
)

test('a recording names the tool for its words only where a provider offers transcription', async () => {
  document = { format: 'audio', title: 'an audio file' }
  const { attachments, file } = await open('talk.docx')
  expect(await attachments.textOf(file)).not.toContain('Transcribe')
  const blobs = createBlobFiles(path.join(home, 'blobs'))
  for (const model of ['acme/whisper-1', undefined]) {
    const transcription = { model: async () => model }
    const text = await createAttachments({ home, blobs: openBlobScopes(blobs), documents, transcription }).textOf(file)
    expect(text?.includes('Use Transcribe with this path')).toBe(model !== undefined)
  }
})
