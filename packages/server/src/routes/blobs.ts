import { NamedError, type Blobs, type Store } from '@troupe/core'
import type { Route } from '../route.ts'

/** Types that a browser may show from our own address; everything else is only offered as a download. */
const inlineTypes =
  /^(image\/(png|jpeg|gif|webp|avif)|audio\/[a-z0-9.+-]+|video\/[a-z0-9.+-]+|application\/pdf|text\/plain)$/

export function blobRoutes({ blobs, store }: { blobs: Blobs; store: Pick<Store, 'messages'> }): Route[] {
  return [
    {
      method: 'POST',
      path: '/ai/blobs',
      summary: 'Stores bytes; their content-type is kept.',
      body: 'bytes',
      answers: { 201: '{sha256, size, mediaType, url}', 413: 'BodyTooLarge' },
      async handle(c, { body }) {
        const bytes = body as Uint8Array
        if (bytes.length === 0) throw new NamedError('BadRequest', 'The body is empty.')
        const mediaType =
          (c.req.header('content-type') ?? 'application/octet-stream').split(';')[0]?.trim().slice(0, 200) ||
          'application/octet-stream'
        const blob = await blobs.put(bytes, mediaType)
        return c.json({ ...blob, url: `/ai/blobs/${blob.sha256}` }, 201)
      },
    },
    {
      method: 'GET',
      path: '/ai/blobs/:sha256',
      summary: 'The bytes of a blob.',
      linkable: true,
      gives: ['bytes'],
      answers: { 200: 'bytes', 404: 'BlobNotFound' },
      async handle(c, { params }) {
        const sha256 = params['sha256'] as string
        const blob = /^[0-9a-f]{64}$/.test(sha256) ? await blobs.get(sha256) : undefined
        if (blob === undefined) throw new NamedError('BlobNotFound', 'There is no such blob.', { status: 404 })
        return c.body(new Uint8Array(blob.bytes), 200, {
          'content-type': inlineTypes.test(blob.mediaType) ? blob.mediaType : 'application/octet-stream',
          'content-disposition': inlineTypes.test(blob.mediaType) ? 'inline' : 'attachment',
          'cache-control': 'private, max-age=31536000, immutable',
        })
      },
    },
    {
      method: 'DELETE',
      path: '/ai/blobs/:sha256',
      summary: 'Removes bytes that no message holds: an attachment that was taken out before it was sent.',
      answers: { 200: '{deleted}', 404: 'BlobNotFound', 409: 'BlobInUse' },
      async handle(c, { params }) {
        const sha256 = params['sha256'] as string
        if (/^[0-9a-f]{64}$/.test(sha256) && (await store.messages.usesBlob(sha256)))
          throw new NamedError('BlobInUse', 'A message holds this blob.', { status: 409 })
        if ((await blobs.remove?.(sha256)) !== true)
          throw new NamedError('BlobNotFound', 'There is no such blob.', { status: 404 })
        return c.json({ deleted: sha256 })
      },
    },
  ]
}
