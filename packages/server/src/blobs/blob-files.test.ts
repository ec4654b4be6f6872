import { mkdtempSync, rmSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createBlobFiles } from './blob-files.ts'
import { blobsContract } from './testing/blobs-contract.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-blobs-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

blobsContract('files', async () => createBlobFiles(join(folder, 'blobs')))

it('reads no other file', async () => {
  await writeFile(join(folder, 'secret'), 'x')
  const blobs = createBlobFiles(folder)
  expect(await blobs.get('secret')).toBeUndefined()
  expect(await blobs.open('secret')).toBeUndefined()
})

it('writes again over a file that was cut short', async () => {
  const blobs = createBlobFiles(folder)
  const { sha256 } = await blobs.put(Buffer.from('hello'), 'text/plain')
  await writeFile(join(folder, sha256), 'he')
  await blobs.put(Buffer.from('hello'), 'text/plain')
  expect(Buffer.from((await blobs.get(sha256))!.bytes).toString()).toBe('hello')
})

it('has two files for concurrent writes of the same bytes, and none for a broken one', async () => {
  const blobs = createBlobFiles(folder)
  const bytes = Buffer.alloc(100_000, 7)
  await Promise.all(Array.from({ length: 10 }, () => blobs.put(bytes, 'application/pdf')))
  // oxlint-disable-next-line require-yield
  async function* broken(): AsyncGenerator<Uint8Array> {
    throw new Error('cut')
  }
  await expect(blobs.putStream(broken(), 'text/plain')).rejects.toThrow('cut')
  expect((await readdir(folder)).length).toBe(2)
})
