import { readFile } from 'node:fs/promises'
import { fileKind } from '../files/file-kind.ts'
import { resolvePath } from '../files/resolve-path.ts'
import { readErrorCode } from '../error-code.ts'
import { NamedError } from '../error.ts'
import type { ToolContext } from '../tool.ts'
import type { Media, MediaErrorCode, MediaRequest, MediaTask } from './media.ts'
import { checkTargets, copyToSession, saveGenerated, type SavedMedia } from './save-media.ts'

const progressIntervalMs = 2000
const maxBytes = 20 * 2 ** 20

export interface MediaInput extends Omit<MediaRequest, 'images' | 'chatModel'> {
  /** Files of the workspace, or of those that were made before. */
  images?: readonly string[] | undefined
  /** Files of the workspace that it is saved as, besides the session's own folder. */
  saveTo?: readonly string[] | undefined
}

/** A finished task, and where its files can be found again. */
export type GeneratedMedia = MediaTask & SavedMedia

/** What the tools that make pictures and films do; the stream tells how it goes. */
export async function makeMedia(
  { images = [], saveTo = [], ...request }: MediaInput,
  ctx: ToolContext,
): Promise<GeneratedMedia> {
  let taskId: string | undefined
  try {
    if (ctx.media === undefined) throw mediaError('no_model', 'Nothing here can make pictures or films.')
    // Before anything is paid for.
    const targets = await checkTargets(saveTo, ctx)
    const sources = await Promise.all(images.map((path) => readPicture(path, ctx)))
    const chatModel = ctx.chatModel.id
    const task = await ctx.media.start({ ...request, chatModel, ...(sources.length > 0 && { images: sources }) })
    taskId = task.id
    const { kind, model, prompt } = task
    ctx.emit('media-generate-start', { taskId, kind, model, prompt, toolCallId: ctx.toolCallId })
    const quiet = reportProgress(ctx.media, taskId, ctx)
    const ended = await ctx.media.ended(taskId, ctx.signal).finally(quiet)
    if (ended.status !== 'done')
      throw mediaError(ended.errorCode ?? 'generation_failed', ended.message ?? 'It was stopped before it was done.')
    ctx.emit('media-generate-end', { taskId, kind, model, files: ended.files, toolCallId: ctx.toolCallId })
    return {
      ...ended,
      paths: await copyToSession(ended.files, ctx),
      ...(await saveGenerated(ended.files, targets, ctx)),
    }
  } catch (error) {
    const errorCode = readErrorCode(error) ?? 'generation_failed'
    const { message } = error as Error
    const named = taskId === undefined ? {} : { taskId }
    ctx.emit('media-generate-error', { ...named, errorCode, message, toolCallId: ctx.toolCallId })
    throw error
  }
}

/** That time passes is known of every task; how far it is only of some. */
function reportProgress(media: Media, taskId: string, ctx: ToolContext): () => void {
  const begun = Date.now()
  let isOver = false
  const say = async (): Promise<void> => {
    // What goes wrong here goes wrong for whoever waits for the end, too.
    const progress = (await media.get(taskId).catch(() => undefined))?.progress
    if (isOver) return
    const known = progress === undefined ? {} : { progress: Math.min(1, Math.max(0, progress)) }
    const elapsedMs = Date.now() - begun
    ctx.emit('media-generate-progress', { taskId, elapsedMs, ...known, toolCallId: ctx.toolCallId })
  }
  const timer = setInterval(() => void say(), progressIntervalMs)
  return () => {
    isOver = true
    clearInterval(timer)
  }
}

function mediaError(errorCode: MediaErrorCode, message: string): NamedError {
  return new NamedError('MediaFailed', message, { status: 502, data: { errorCode } })
}

async function readPicture(path: string, ctx: ToolContext): Promise<{ bytes: Uint8Array; mediaType: string }> {
  const { path: real, shown, stats } = resolvePath(ctx, path, { for: 'read' })
  if (stats?.isFile() !== true) throw new Error(`There is no picture ${shown}.`)
  if (stats.size > maxBytes) throw new Error(`${shown} is larger than ${maxBytes / 2 ** 20} MB. Use a smaller picture.`)
  const bytes = await readFile(real)
  const found = fileKind(bytes)
  if (found.kind !== 'image') throw new Error(`${shown} is not a picture.`)
  return { bytes, mediaType: found.mediaType }
}
