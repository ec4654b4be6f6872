import { createHash } from 'node:crypto'
import { createWriteStream, openAsBlob } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Bucket } from '../util/bucket.ts'
import { type BlobStore, cleanType, isSha256, unknownType } from './blob-store.ts'

const folder = 'blobs/'

/** Stores blobs as objects named by hash, in S3-compatible storage. */
export function createBucketBlobs(bucket: Bucket): BlobStore {
  const keyOf = (sha256: string): string => folder + sha256

  async function find(sha256: string): Promise<{ size: number; mediaType: string } | undefined> {
    if (!isSha256(sha256)) return undefined
    const response = await bucket.send({ method: 'HEAD', key: keyOf(sha256) })
    if (!response.ok) return undefined
    const mediaType = response.headers.get('content-type') ?? unknownType
    return { size: Number(response.headers.get('content-length')), mediaType }
  }

  async function download(sha256: string, range?: { start: number; end: number }): Promise<Response | undefined> {
    if (!isSha256(sha256)) return undefined
    const headers = range === undefined ? undefined : { range: `bytes=${range.start}-${range.end}` }
    const response = await bucket.send({ method: 'GET', key: keyOf(sha256), headers })
    if (response.ok) return response
    await response.body?.cancel()
    return undefined
  }

  async function upload(sha256: string, bytes: Uint8Array | Blob, mediaType: string) {
    const size = bytes instanceof Uint8Array ? bytes.length : bytes.size
    const known = await find(sha256)
    if (known?.size === size) return { sha256, size, mediaType: known.mediaType }
    const type = cleanType(mediaType)
    // The storage checks the bytes against the hash.
    const headers = { 'content-type': type, 'x-amz-content-sha256': sha256 }
    const response = await bucket.send({ method: 'PUT', key: keyOf(sha256), body: bytes, headers })
    await response.body?.cancel()
    return { sha256, size, mediaType: type }
  }

  return {
    put: (bytes, mediaType) => upload(createHash('sha256').update(bytes).digest('hex'), bytes, mediaType),

    /** Through a file, since the name of an object must be known before its bytes are sent. */
    async putStream(bytes, mediaType) {
      const place = await mkdtemp(path.join(tmpdir(), 'troupe-upload-'))
      try {
        const file = path.join(place, 'bytes')
        const hash = createHash('sha256')
        const hashed = async function* (pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
          for await (const piece of pieces) {
            hash.update(piece)
            yield piece
          }
        }
        await pipeline(bytes, hashed, createWriteStream(file, { mode: 0o600 }))
        return await upload(hash.digest('hex'), await openAsBlob(file), mediaType)
      } finally {
        await rm(place, { recursive: true, force: true })
      }
    },

    async get(sha256) {
      const response = await download(sha256)
      if (response === undefined) return undefined
      const mediaType = response.headers.get('content-type') ?? unknownType
      return { bytes: new Uint8Array(await response.arrayBuffer()), mediaType }
    },

    async open(sha256) {
      const found = await find(sha256)
      if (found === undefined) return undefined
      return {
        ...found,
        async *read(range) {
          const response = await download(sha256, range)
          if (response?.body == null) throw new Error(`The blob ${sha256} is gone.`)
          yield* response.body
        },
      }
    },

    async *list() {
      for (let token = ''; ;) {
        const query = { 'list-type': '2', ...(token !== '' && { 'continuation-token': token }) }
        const response = await bucket.send({
          method: 'GET',
          key: '',
          query: { ...query, prefix: bucket.prefix + folder },
        })
        const xml = await response.text()
        for (const [, key = ''] of xml.matchAll(/<Key>([^<]*)<\/Key>/g)) {
          const name = key.slice(key.lastIndexOf('/') + 1)
          if (isSha256(name)) yield name
        }
        token = /<NextContinuationToken>([^<]+)<\/NextContinuationToken>/.exec(xml)?.[1] ?? ''
        if (token === '') return
      }
    },

    async remove(sha256) {
      if ((await find(sha256)) === undefined) return false
      await bucket.send({ method: 'DELETE', key: keyOf(sha256) })
      return true
    },
  }
}
