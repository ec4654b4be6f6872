import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createBlobFiles } from './blobs.ts'

describe('blob files', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'troupe-blobs-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  it('gives back the bytes and the type under their hash', async () => {
    const blobs = createBlobFiles(join(folder, 'blobs'))
    const bytes = Buffer.from([0, 1, 255, 10])
    const put = await blobs.put(bytes, 'image/png')
    const sha256 = 'a95803d91f2a2eb57d42e2a799bb0d42e2acc37c22aa9d433a4173e5db794f28'
    expect(put).toEqual({ sha256, size: 4, mediaType: 'image/png' })
    const got = await blobs.get(put.sha256)
    expect(Buffer.from(got!.bytes).equals(bytes)).toBe(true)
    expect(got!.mediaType).toBe('image/png')
  })

  it('keeps the first type if the same bytes are stored again', async () => {
    const blobs = createBlobFiles(folder)
    await blobs.put(Buffer.from('<p>'), 'text/plain')
    expect((await blobs.put(Buffer.from('<p>'), 'text/html')).mediaType).toBe('text/plain')
    expect((await readdir(folder)).length).toBe(2)
  })

  it('finds nothing for an unknown or invalid hash', async () => {
    await writeFile(join(folder, 'secret'), 'x')
    const blobs = createBlobFiles(folder)
    for (const name of ['0'.repeat(64), 'secret', '../secret', `${'0'.repeat(64)}.type`, '', 'A'.repeat(64)]) {
      expect(await blobs.get(name)).toBeUndefined()
    }
  })

  it('treats an invalid type as plain bytes', async () => {
    const blobs = createBlobFiles(folder)
    expect((await blobs.put(Buffer.from('a'), 'text/html\r\nset-cookie: x')).mediaType).toBe('application/octet-stream')
  })

  it('writes again over a file that was cut short', async () => {
    const blobs = createBlobFiles(folder)
    const { sha256 } = await blobs.put(Buffer.from('hello'), 'text/plain')
    await writeFile(join(folder, sha256), 'he')
    await blobs.put(Buffer.from('hello'), 'text/plain')
    expect(Buffer.from((await blobs.get(sha256))!.bytes).toString()).toBe('hello')
  })

  it('stores a blob once for concurrent writes', async () => {
    const blobs = createBlobFiles(folder)
    const bytes = Buffer.alloc(100_000, 7)
    const puts = await Promise.all(Array.from({ length: 10 }, () => blobs.put(bytes, 'application/pdf')))
    expect(new Set(puts.map((put) => put.sha256)).size).toBe(1)
    expect((await readdir(folder)).length).toBe(2)
  })
})
