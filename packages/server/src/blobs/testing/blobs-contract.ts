import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { BlobStore } from '../blob-store.ts'

/** `open` returns a store without blobs. */
export function blobsContract(name: string, open: () => Promise<BlobStore>): void {
  const hash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
  const readAll = async (bytes: AsyncIterable<Uint8Array>): Promise<Buffer> =>
    Buffer.concat(await Array.fromAsync(bytes))
  async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
    const piece = Buffer.alloc(size)
    for (let at = 0; at < bytes.length; at += size) {
      piece.set(bytes.subarray(at, at + size))
      // The same memory each time, as some streams do.
      yield piece.subarray(0, Math.min(size, bytes.length - at))
    }
  }

  describe(`the contract of blobs on ${name}`, () => {
    it('gives back the bytes and the type under their hash', async () => {
      const blobs = await open()
      const bytes = Buffer.from([0, 1, 255, 10])
      const put = await blobs.put(bytes, 'image/png')
      const sha256 = 'a95803d91f2a2eb57d42e2a799bb0d42e2acc37c22aa9d433a4173e5db794f28'
      expect(put).toEqual({ sha256, size: 4, mediaType: 'image/png' })
      const got = await blobs.get(put.sha256)
      expect(Buffer.from(got!.bytes).equals(bytes)).toBe(true)
      expect(got!.mediaType).toBe('image/png')
    })

    it('stores and reads streams of any size, whole and in part', async () => {
      const blobs = await open()
      const chunk = 256 * 1024
      for (const size of [0, 1, chunk - 1, chunk, chunk + 1, 9 * chunk + 17]) {
        const bytes = randomBytes(size)
        const put = await blobs.putStream(inPieces(bytes, 100_003), 'application/zip')
        expect(put).toEqual({ sha256: hash(bytes), size, mediaType: 'application/zip' })
        const blob = (await blobs.open(put.sha256))!
        expect([blob.size, blob.mediaType]).toEqual([size, 'application/zip'])
        expect((await readAll(blob.read())).equals(bytes)).toBe(true)
        expect(Buffer.from((await blobs.get(put.sha256))!.bytes).equals(bytes)).toBe(true)
        const ranges = [
          [0, 0],
          [0, size - 1],
          [size - 1, size - 1],
          [chunk - 2, chunk + 1],
          [17, 5 * chunk + 3],
        ] as const
        for (const [start, end] of ranges) {
          if (start < 0 || start > end || end >= size) continue
          expect((await readAll(blob.read({ start, end }))).equals(bytes.subarray(start, end + 1))).toBe(true)
        }
      }
    })

    it('keeps the first type if the same bytes are stored again, also at once', async () => {
      const blobs = await open()
      await blobs.put(Buffer.from('<p>'), 'text/plain')
      expect((await blobs.put(Buffer.from('<p>'), 'text/html')).mediaType).toBe('text/plain')
      expect((await blobs.putStream(inPieces(Buffer.from('<p>'), 2), 'text/html')).mediaType).toBe('text/plain')
      const bytes = randomBytes(300_000)
      const puts = await Promise.all(
        Array.from({ length: 4 }, (_, i) =>
          i % 2 === 0
            ? blobs.put(bytes, 'application/pdf')
            : blobs.putStream(inPieces(bytes, 70_000), 'application/pdf'),
        ),
      )
      expect(new Set(puts.map((put) => put.sha256)).size).toBe(1)
      const listed = await Array.fromAsync(blobs.list())
      expect(listed.toSorted()).toEqual([hash(Buffer.from('<p>')), hash(bytes)].toSorted())
    })

    it('finds nothing for an unknown or invalid hash', async () => {
      const blobs = await open()
      for (const name of ['0'.repeat(64), 'secret', '../secret', `${'0'.repeat(64)}.type`, '', 'A'.repeat(64)]) {
        expect(await blobs.get(name)).toBeUndefined()
        expect(await blobs.open(name)).toBeUndefined()
        expect(await blobs.remove(name)).toBe(false)
      }
      expect(await Array.fromAsync(blobs.list())).toEqual([])
    })

    it('treats an invalid type as plain bytes', async () => {
      const blobs = await open()
      const { mediaType } = await blobs.put(Buffer.from('a'), 'text/html\r\nset-cookie: x')
      expect(mediaType).toBe('application/octet-stream')
    })

    it('lists all, and removes each once', async () => {
      const blobs = await open()
      const texts = ['one', 'two', 'three', 'four', 'five']
      for (const text of texts) await blobs.put(Buffer.from(text), 'text/plain')
      const all = texts.map((text) => hash(Buffer.from(text)))
      expect((await Array.fromAsync(blobs.list())).toSorted()).toEqual(all.toSorted())
      expect([await blobs.remove(all[0]!), await blobs.remove(all[0]!)]).toEqual([true, false])
      expect(await blobs.open(all[0]!)).toBeUndefined()
      expect(await Array.fromAsync(blobs.list())).toHaveLength(4)
      await blobs.put(Buffer.from('one'), 'text/css')
      expect((await blobs.get(all[0]!))?.mediaType).toBe('text/css')
    })

    it('keeps nothing of a stream that breaks off', async () => {
      const blobs = await open()
      async function* broken(): AsyncGenerator<Uint8Array> {
        yield randomBytes(300_000)
        throw new Error('the upload was cut')
      }
      await expect(blobs.putStream(broken(), 'text/plain')).rejects.toThrow('cut')
      expect(await Array.fromAsync(blobs.list())).toEqual([])
    })
  })
}
