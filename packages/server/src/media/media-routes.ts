import type { Blobs, Media, MediaKind, MediaTask, Store } from '@troupe/core'
import { type BodyOf, mediaEndpoints, type ModelInfo, NamedError } from '@troupe/protocol'
import { personIdOf, type Principal } from '../http/principal.ts'
import { implement, type Route } from '../http/route.ts'
import { findWorkspace } from '../http/scope.ts'
import type { Models } from '../models/models.ts'

interface StartInput {
  principal: Principal
  body: BodyOf<(typeof mediaEndpoints)['POST /ai/image']>
  workspaceId: string
}

/** Routes for image and video tasks. */
export function mediaRoutes(options: { media: Media; models: Models; blobs: Blobs; store: Store }): Route[] {
  const { media, models, blobs, store } = options
  return implement(mediaEndpoints, {
    'POST /ai/image': (input) => start('image', input),
    'GET /ai/image/models': () => list('image'),
    'POST /ai/video': (input) => start('video', input),
    'GET /ai/video/models': () => list('video'),
    'POST /ai/vedio': (input) => start('video', input),
    'GET /ai/vedio/models': () => list('video'),
    'GET /ai/task/:taskId': async ({ params }) => {
      const task = await media.get(params.taskId)
      if (task === undefined) throw new NamedError('TaskNotFound', 'This task does not exist.', { status: 404 })
      return { task: shown(task) }
    },
  })

  async function start(
    kind: MediaKind,
    { principal, body: { images, ...request }, workspaceId }: StartInput,
  ): Promise<{ taskId: string; task: MediaTask }> {
    const sources = await Promise.all((images ?? []).map(readBlob))
    const { path: folder } = await findWorkspace(store, workspaceId)
    const task = await media.start({
      kind,
      ...request,
      folder,
      ownerId: personIdOf(principal) ?? null,
      images: sources.length > 0 ? sources : undefined,
    })
    return { taskId: task.id, task: shown(task) }
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

function shown({ sessionId: _, ownerId: __, ...task }: MediaTask): MediaTask {
  return task
}
