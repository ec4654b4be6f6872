import { Readable } from 'node:stream'
import type { Store } from '@troupe/core'
import { blobEndpoints, NamedError } from '@troupe/protocol'
import type { BlobScopes } from '../http/principal.ts'
import { byteRange, rangeHeaders } from '../http/byte-range.ts'
import { implement, type Route } from '../http/route.ts'
import { type BlobStore, isSha256, unknownType } from './blob-store.ts'

/** Types a browser may display from our origin. All others are downloads only. */
const inlineTypes =
  /^(image\/(png|jpeg|gif|webp|avif)|audio\/[a-z0-9.+-]+|video\/[a-z0-9.+-]+|application\/pdf|text\/plain)$/

interface BlobRouteServices {
  blobScopes: BlobScopes
  blobs: BlobStore
  store: Pick<Store, 'messages'>
}

export function blobRoutes({ blobScopes, blobs, store }: BlobRouteServices): Route[] {
  return implement(blobEndpoints, {
    'POST /ai/blobs': async ({ principal, body: bytes }, c) => {
      if (bytes.length === 0) throw new NamedError('BadRequest', 'The body is empty.')
      const mediaType = c.req.header('content-type')?.split(';')[0]?.trim().slice(0, 200) || unknownType
      const blob = await blobScopes.of(principal).put(bytes, mediaType)
      return { ...blob, url: `/ai/blobs/${blob.sha256}` }
    },
    'GET /ai/blobs/:sha256': async ({ params: { sha256 } }, c) => {
      const blob = await blobs.open(sha256)
      if (blob === undefined) throw new NamedError('BlobNotFound', 'This blob does not exist.', { status: 404 })
      const { size } = blob
      const range = byteRange(c.req.header('range'), size)
      if (range === null) return c.body(null, 416, { 'content-range': `bytes */${size}` })
      const status = range === undefined ? 200 : 206
      const headers = {
        ...rangeHeaders(range, size),
        'content-type': inlineTypes.test(blob.mediaType) ? blob.mediaType : unknownType,
        'content-disposition': inlineTypes.test(blob.mediaType) ? 'inline' : 'attachment',
        'cache-control': 'private, max-age=31536000, immutable',
      }
      if (c.req.method === 'HEAD' || size === 0) return c.body(null, status, headers)
      return c.body(Readable.toWeb(Readable.from(blob.read(range))) as ReadableStream, status, headers)
    },
    'DELETE /ai/blobs/:sha256': async ({ params: { sha256 } }) => {
      if (isSha256(sha256) && (await store.messages.usesBlob(sha256)))
        throw new NamedError('BlobInUse', 'A message uses this blob.', { status: 409 })
      if ((await blobs.remove(sha256)) !== true)
        throw new NamedError('BlobNotFound', 'This blob does not exist.', { status: 404 })
      return { deleted: sha256 }
    },
  })
}
