import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, rm, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Blobs, Store } from '@troupe/core'
import { blobEndpoints, NamedError } from '@troupe/protocol'
import { byteRange, rangeHeaders } from '../http/byte-range.ts'
import { implement, type Route } from '../http/route.ts'

const unknownType = 'application/octet-stream'

/**
 * Stores blobs as files named by hash, each with a small file for the media type. Immutable: the first media type for
 * the same bytes wins.
 */
export function createBlobFiles(folder: string): Blobs {
  async function readType(sha256: string): Promise<string> {
    return (await readIfThere(join(folder, `${sha256}.type`)))?.toString('utf8') ?? unknownType
  }

  return {
    async put(bytes, mediaType) {
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      const path = join(folder, sha256)
      const known = await stat(path).catch(() => undefined)
      if (known?.size !== bytes.length) {
        await mkdir(folder, { recursive: true, mode: 0o700 })
        // Write the bytes last, so an existing blob always has a type.
        await writeSynced(folder, `${sha256}.type`, Buffer.from(cleanType(mediaType)))
        await writeSynced(folder, sha256, bytes)
      }
      return { sha256, size: bytes.length, mediaType: await readType(sha256) }
    },

    async get(sha256) {
      if (!/^[0-9a-f]{64}$/.test(sha256)) return undefined
      const bytes = await readIfThere(join(folder, sha256))
      return bytes && { bytes, mediaType: await readType(sha256) }
    },

    async fileOf(sha256) {
      if (!/^[0-9a-f]{64}$/.test(sha256)) return undefined
      const file = join(folder, sha256)
      return (await stat(file).catch(() => undefined))?.isFile() === true ? file : undefined
    },

    async remove(sha256) {
      if (!/^[0-9a-f]{64}$/.test(sha256)) return false
      try {
        await unlink(join(folder, sha256))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
        throw error
      }
      await rm(join(folder, `${sha256}.type`), { force: true })
      return true
    },
  }
}

/** Writes a file completely or not at all, even after a power failure. */
async function writeSynced(folder: string, name: string, bytes: Uint8Array): Promise<void> {
  const part = join(folder, `.${randomUUID()}.part`)
  try {
    const file = await open(part, 'wx', 0o600)
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(part, join(folder, name))
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
  await syncFolder(folder)
}

/** Makes the new name durable. Windows cannot open folders and does not need this. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function cleanType(mediaType: string): string {
  return /^[\w.+-]{1,100}\/[\w.+-]{1,100}(;[\x20-\x7e]{0,200})?$/.test(mediaType) ? mediaType : unknownType
}

/** Types a browser may display from our origin. All others are downloads only. */
const inlineTypes =
  /^(image\/(png|jpeg|gif|webp|avif)|audio\/[a-z0-9.+-]+|video\/[a-z0-9.+-]+|application\/pdf|text\/plain)$/

export function blobRoutes({ blobs, store }: { blobs: Blobs; store: Pick<Store, 'messages'> }): Route[] {
  return implement(blobEndpoints, {
    'POST /ai/blobs': async ({ body: bytes }, c) => {
      if (bytes.length === 0) throw new NamedError('BadRequest', 'The body is empty.')
      const mediaType = c.req.header('content-type')?.split(';')[0]?.trim().slice(0, 200) || unknownType
      const blob = await blobs.put(bytes, mediaType)
      return { ...blob, url: `/ai/blobs/${blob.sha256}` }
    },
    'GET /ai/blobs/:sha256': async ({ params: { sha256 } }, c) => {
      const blob = /^[0-9a-f]{64}$/.test(sha256) ? await blobs.get(sha256) : undefined
      if (blob === undefined) throw new NamedError('BlobNotFound', 'This blob does not exist.', { status: 404 })
      const size = blob.bytes.length
      const range = byteRange(c.req.header('range'), size)
      if (range === null) return c.body(null, 416, { 'content-range': `bytes */${size}` })
      const bytes = range === undefined ? blob.bytes : blob.bytes.subarray(range.start, range.end + 1)
      return c.body(new Uint8Array(bytes), range === undefined ? 200 : 206, {
        ...rangeHeaders(range, size),
        'content-type': inlineTypes.test(blob.mediaType) ? blob.mediaType : unknownType,
        'content-disposition': inlineTypes.test(blob.mediaType) ? 'inline' : 'attachment',
        'cache-control': 'private, max-age=31536000, immutable',
      })
    },
    'DELETE /ai/blobs/:sha256': async ({ params: { sha256 } }) => {
      if (/^[0-9a-f]{64}$/.test(sha256) && (await store.messages.usesBlob(sha256)))
        throw new NamedError('BlobInUse', 'A message uses this blob.', { status: 409 })
      if ((await blobs.remove?.(sha256)) !== true)
        throw new NamedError('BlobNotFound', 'This blob does not exist.', { status: 404 })
      return { deleted: sha256 }
    },
  })
}
