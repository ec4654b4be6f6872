import type { Blobs, Media, MediaKind, MediaTask } from '@troupe/core'
import { type BodyOf, mediaEndpoints, type ModelInfo, NamedError } from '@troupe/protocol'
import { implement, type Route } from '../http/route.ts'
import type { Models } from '../models/models.ts'

type Request = BodyOf<(typeof mediaEndpoints)['POST /ai/image']>

/** Routes for image and video tasks. */
export function mediaRoutes({ media, models, blobs }: { media: Media; models: Models; blobs: Blobs }): Route[] {
  return implement(mediaEndpoints, {
    'POST /ai/image': ({ body }) => start('image', body),
    'GET /ai/image/models': () => list('image'),
    'POST /ai/video': ({ body }) => start('video', body),
    'GET /ai/video/models': () => list('video'),
    'POST /ai/vedio': ({ body }) => start('video', body),
    'GET /ai/vedio/models': () => list('video'),
    'GET /ai/task/:taskId': async ({ params }) => {
      const task = await media.get(params.taskId)
      if (task === undefined) throw new NamedError('TaskNotFound', 'This task does not exist.', { status: 404 })
      return { task }
    },
  })

  async function start(kind: MediaKind, { images, ...request }: Request): Promise<{ taskId: string; task: MediaTask }> {
    const sources = await Promise.all((images ?? []).map(readBlob))
    const task = await media.start({ kind, ...request, images: sources.length > 0 ? sources : undefined })
    return { taskId: task.id, task }
  }

  async function list(kind: MediaKind): Promise<{ models: ModelInfo[] }> {
    return { models: await models.listMediaModels(kind) }
  }

  async function readBlob(hash: string): Promise<{ bytes: Uint8Array; mediaType: string }> {
    const blob = await blobs.get(hash)
    if (blob === undefined) throw new NamedError('BlobNotFound', 'This blob does not exist.', { status: 404 })
    return blob
  }
}
