import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { findLibreOffice } from '@troupe/core'
import type { ReadDocument } from '@troupe/protocol'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testServer, type TestServer } from '../testing/test-server.ts'

let server: TestServer
const made = mkdtempSync(path.join(tmpdir(), 'troupe-documents-'))
const workspace = path.join(made, 'workspace')

beforeAll(async () => {
  mkdirSync(workspace)
  writeFileSync(path.join(workspace, 'sums.csv'), 'name,sum\nRent,900\nFood,300\n')
  writeFileSync(path.join(workspace, 'notes.txt'), 'hello')
  writeFileSync(path.join(workspace, 'clip.mp4'), Buffer.from('0123456789'))
  writeFileSync(path.join(workspace, 'page.html'), '<script>alert(1)</script>')
  writeFileSync(path.join(workspace, 'drawing.svg'), '<svg onload="alert(1)"/>')
  server = await testServer({ workspace })
})
afterAll(async () => {
  await server.close()
  rmSync(made, { recursive: true, force: true })
})

interface Answer {
  document: ReadDocument
  error: { name: string; message: string }
}
const read = (query: Record<string, string>) =>
  server.json<Answer>(`/ai/documents?${new URLSearchParams(query).toString()}`)

it('reads a part of a document as Markdown, and cells as data', async () => {
  const text = await read({ path: 'sums.csv', range: 'A2:B3' })
  expect(text.body.document).toMatchObject({ format: 'csv', mediaType: 'text/csv' })
  expect(text.body.document.text).toContain('| 3 | Food | 300 |')
  const cells = await read({ path: 'sums.csv', cells: '1' })
  expect(cells.body.document.cells).toMatchObject({ rows: 3, columns: 2 })
})

it('reads an attachment by its hash', async () => {
  const { body } = await server.json<{ sha256: string }>('/ai/blobs', {
    method: 'POST',
    body: 'a;b\n1;2\n',
    headers: { 'content-type': 'text/csv' },
  })
  const { body: answer } = await read({ blob: body.sha256, name: 'table.csv' })
  expect(answer.document?.text).toContain('| 2 | 1 | 2 |')
  expect((await read({ blob: 'a'.repeat(64) })).body.error.name).toBe('BlobNotFound')
})

it('says why a file cannot be read, and stays in the workspace', async () => {
  expect((await read({ path: 'notes.txt' })).body.error).toMatchObject({ name: 'DocumentUnreadable' })
  expect((await read({ path: 'none.xlsx' })).body.error.name).toBe('FileNotFound')
  expect((await read({ path: '../secret.xlsx' })).status).toBe(403)
})

it('shows pages only of documents that have some', async () => {
  const { status, body } = await server.json<Answer>('/ai/documents/pages?path=sums.csv')
  expect([status, body.error.name]).toEqual([422, 'NoPages'])
})

it.skipIf(findLibreOffice() === undefined)(
  'converts a document to PDF once (needs LibreOffice)',
  async () => {
    writeFileSync(path.join(workspace, 'letter.rtf'), '{\\rtf1 Dear reader}')
    expect((await read({ path: 'letter.rtf' })).body.document.hasPages).toBe(true)
    const get = async () =>
      Buffer.from(await (await server.request('/ai/documents/pages?path=letter.rtf')).arrayBuffer())
    const first = await get()
    expect(first.subarray(0, 5).toString()).toBe('%PDF-')
    // LibreOffice writes the time into the file, so equal bytes come from the first conversion.
    expect((await get()).equals(first)).toBe(true)
  },
  60_000,
)

it('shows pictures that browsers do not know, and nothing else as a picture', async () => {
  const field = (tag: number, value: number): number[] => [tag & 255, tag >> 8, 3, 0, 1, 0, 0, 0, value, 0, 0, 0]
  const fields: [number, number][] = [
    [256, 1],
    [257, 1],
    [258, 8],
    [259, 1],
    [262, 1],
    [273, 8],
    [277, 1],
    [278, 1],
    [279, 1],
  ]
  const head = [...Buffer.from('II*\0'), 10, 0, 0, 0, 128, 0, fields.length, 0]
  const tiff = [...head, ...fields.flatMap(([tag, value]) => field(tag, value)), 0, 0, 0, 0]
  writeFileSync(path.join(workspace, 'scan.tif'), Buffer.from(tiff))
  const answer = await server.request('/ai/documents/picture?path=scan.tif')
  expect(answer.headers.get('content-type')).toBe('image/png')
  expect(Buffer.from(await answer.arrayBuffer()).toString('latin1', 1, 4)).toBe('PNG')
  expect((await server.json('/ai/documents/picture?path=sums.csv')).status).toBe(422)
})

it('sends ranges of a file with headers that let nothing run', async () => {
  const get = (file: string, range?: string) =>
    server.request(`/ai/files/download?inline=1&path=${file}`, { headers: range === undefined ? {} : { range } })
  const part = await get('clip.mp4', 'bytes=2-4')
  expect(part.status).toBe(206)
  expect(await part.text()).toBe('234')
  expect(Object.fromEntries(part.headers)).toMatchObject({
    'content-range': 'bytes 2-4/10',
    'content-type': 'video/mp4',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  })
  expect(await (await get('clip.mp4', 'bytes=-3')).text()).toBe('789')
  expect(await (await get('clip.mp4', 'bytes=8-')).text()).toBe('89')
  expect((await get('clip.mp4', 'bytes=10-')).status).toBe(416)
  expect((await get('clip.mp4', 'bytes=1-2,4-5')).status).toBe(200)
  for (const file of ['page.html', 'drawing.svg']) {
    const { headers } = await get(file)
    expect(headers.get('content-type')).toBe('application/octet-stream')
    expect(headers.get('content-disposition')).toMatch(/^attachment/)
  }
})
