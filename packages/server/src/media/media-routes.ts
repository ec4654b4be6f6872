import type { Blobs, Media, MediaKind } from '@troupe/core'
import { NamedError } from '@troupe/protocol'
import { z } from 'zod'
import { route, type Route } from '../http/route.ts'
import type { Models } from '../models/models.ts'

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'the hash of a blob')

const requestSchema = z.strictObject({
  prompt: z.string().trim().min(1).max(8000),
  model: z.string().max(300).optional(),
  count: z.int().min(1).max(10).optional(),
  size: z
    .string()
    .regex(/^\d{2,5}x\d{2,5}$/, 'such as 1024x1024')
    .optional(),
  aspectRatio: z
    .string()
    .regex(/^\d{1,3}:\d{1,3}$/, 'such as 16:9')
    .optional(),
  seconds: z.number().min(1).max(60).optional(),
  seed: z.int().optional(),
  images: z.array(sha256).max(4).optional().describe('blobs to start from'),
})

/** Routes for image and video tasks. The second video path is a legacy alias. */
export function mediaRoutes({ media, models, blobs }: { media: Media; models: Models; blobs: Blobs }): Route[] {
  return [
    ...routesOf('image', '/ai/image'),
    ...routesOf('video', '/ai/video'),
    ...routesOf('video', '/ai/vedio'),
    {
      method: 'GET',
      path: '/ai/task/:taskId',
      summary: 'How a picture or a film comes along.',
      answers: { 200: '{task}', 404: 'TaskNotFound' },
      async handle(c, { params }) {
        const task = await media.get(params['taskId'] as string)
        if (task === undefined) throw new NamedError('TaskNotFound', 'This task does not exist.', { status: 404 })
        return c.json({ task })
      },
    },
  ]

  function routesOf(kind: MediaKind, path: string): Route[] {
    const what = kind === 'image' ? 'pictures' : 'a film'
    return [
      route({
        method: 'POST',
        path,
        summary: `Begins to make ${what}. The person who sends it has decided so: nobody is asked.`,
        body: requestSchema,
        answers: {
          202: '{taskId, task}',
          400: 'ProviderNotConfigured',
          404: 'ModelNotFound, ProviderNotFound, BlobNotFound',
        },
        async handle(c, { body: { images, ...request } }) {
          const sources = await Promise.all((images ?? []).map(readBlob))
          const task = await media.start({ kind, ...request, ...(sources.length > 0 && { images: sources }) })
          return c.json({ taskId: task.id, task }, 202)
        },
      }),
      {
        method: 'GET',
        path: `${path}/models`,
        summary: `Models that can make ${what} now.`,
        answers: { 200: '{models}' },
        handle: async (c) => c.json({ models: await models.listMediaModels(kind) }),
      },
    ]
  }

  async function readBlob(hash: string): Promise<{ bytes: Uint8Array; mediaType: string }> {
    const blob = await blobs.get(hash)
    if (blob === undefined) throw new NamedError('BlobNotFound', 'There is no such blob.', { status: 404 })
    return blob
  }
}
