import { statSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { NamedError } from '@troupe/protocol'
import { fileKind } from '../files/file-kind.ts'
import { changeFiles, withPathLocks } from '../files/file-transaction.ts'
import { type ResolvedPath, resolvePath } from '../files/resolve-path.ts'
import { recordWrite, requireFullyRead, takeSnapshot } from '../files/snapshot.ts'
import { journalFor } from '../files/undo-folder.ts'
import { readErrorCode } from '../tool/abort-reason.ts'
import type { Media, MediaErrorCode, MediaFile, MediaRequest, MediaTask } from '../tool/services.ts'
import type { ToolContext } from '../tool/tool.ts'

const progressIntervalMs = 2000
const maxBytes = 20 * 2 ** 20

interface MediaInput extends Omit<MediaRequest, 'images' | 'mask' | 'chatModel' | 'folder'> {
  /** Paths in the workspace, or of media generated earlier. */
  images?: readonly string[] | undefined
  /** Workspace files to save to, in addition to the session's folder. */
  saveTo?: readonly string[] | undefined
  /** Never replaces a file, but adds a number to the name. */
  keepsOthers?: boolean
  /** Path of an image whose transparent part is to be painted. */
  mask?: string | undefined
}

export type GeneratedMedia = MediaTask & SavedMedia

export async function makeMedia(
  { images = [], mask, saveTo = [], keepsOthers = false, ...request }: MediaInput,
  ctx: ToolContext,
): Promise<GeneratedMedia> {
  let taskId: string | undefined
  try {
    if (ctx.media === undefined) throw mediaError('no_model', 'Images and videos cannot be generated here.')
    // Check before anything costs money.
    const targets = await checkTargets(saveTo, keepsOthers, ctx)
    const sources = await Promise.all(images.map((path) => readPicture(path, ctx)))
    const chatModel = ctx.chatModel.id
    const task = await ctx.media.start({
      ...request,
      chatModel,
      images: sources.length > 0 ? sources : undefined,
      mask: mask === undefined ? undefined : await readPicture(mask, ctx),
      folder: ctx.state.roots[0],
    })
    taskId = task.id
    const { kind, model, prompt } = task
    ctx.emit('media-generate-start', { taskId, kind, model, prompt, toolCallId: ctx.toolCallId })
    const quiet = reportProgress(ctx.media, taskId, ctx)
    const ended = await ctx.media.ended(taskId, ctx.signal).finally(quiet)
    if (ended.status !== 'done')
      throw mediaError(ended.errorCode ?? 'generation_failed', ended.message ?? 'Stopped before it finished.')
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

function reportProgress(media: Media, taskId: string, ctx: ToolContext): () => void {
  const begun = Date.now()
  let isOver = false
  const say = async (): Promise<void> => {
    // Ignore errors here. The caller that waits for the task sees them too.
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
  if (stats?.isFile() !== true) throw new Error(`The image ${shown} does not exist.`)
  if (stats.size > maxBytes) throw new Error(`${shown} is larger than ${maxBytes / 2 ** 20} MB. Use a smaller image.`)
  const bytes = await readFile(real)
  const found = fileKind(bytes)
  if (found.kind !== 'image') throw new Error(`${shown} is not an image.`)
  return { bytes, mediaType: found.mediaType }
}

interface SavedMedia {
  /** Path of each file in the session's folder, where tools can read it. Empty without a blob store. */
  paths: string[]
  saved?: string[]
  /** Sentences about files that were not saved as requested. */
  saveNotes?: string[]
}

const extensions: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/avif': 'avif',
  'image/svg+xml': 'svg',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
  'video/quicktime': 'mov',
}

function fileExtension(mediaType: string): string {
  return extensions[mediaType.split(';', 1)[0] ?? ''] ?? 'bin'
}

/**
 * File names derived from the input alone, so that permission is decided on these paths: `logo.png`, `logo-2.png`. For
 * a folder (trailing slash), the name comes from the prompt, and a number is added if the file exists.
 */
export function targetNames(given: string | undefined, count: number, prompt: string, ending: string): string[] {
  if (given === undefined) return []
  const file = isFolder(given) ? `${given}${nameFrom(prompt)}.${ending}` : given
  const { dir, name, ext } = path.parse(file)
  return Array.from({ length: count }, (_, index) =>
    index === 0 ? file : path.join(dir, `${name}-${index + 1}${ext}`),
  )
}

/** A trailing slash names a folder. */
export function isFolder(given: string): boolean {
  return /[/\\]$/.test(given)
}

/** For an approval. */
export function savedText(given: string, names: readonly string[]): string {
  return isFolder(given) ? `It will be saved in ${given}` : `It will be saved as ${names.join(', ')}.`
}

export function targetProblem(given: string | undefined): string | undefined {
  if (given === undefined || isFolder(given) || path.extname(given) !== '') return undefined
  return `save_to: "${given}" has no file extension. Give a file, such as "${given}.png", or a folder with a trailing slash: "${given}/".`
}

function nameFrom(prompt: string): string {
  const words = prompt.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return words.slice(0, 6).join('-').slice(0, 50) || 'made'
}

/** Throws if a target is not writable, or has content the agent has not read. */
async function checkTargets(names: readonly string[], isFree: boolean, ctx: ToolContext): Promise<ResolvedPath[]> {
  const taken = new Set<string>()
  const targets = names.map((name) => {
    const target = resolvePath(ctx, isFree ? freeName(name, taken, ctx) : name, { for: 'write' })
    taken.add(target.path)
    return target
  })
  for (const target of targets) {
    if (target.stats?.isDirectory() === true)
      throw new Error(`"${target.shown}" is a folder. Add a trailing slash, or give a file in it.`)
    await requireFreshRead(target, ctx)
  }
  return targets
}

/** Throws if the file has content the agent has not read. */
export async function requireFreshRead({ path: real, shown }: ResolvedPath, ctx: ToolContext): Promise<void> {
  const before = await takeSnapshot(real, { shown })
  if (before !== undefined) requireFullyRead(ctx.state, real, shown, before)
}

/** The name, or the first of `name-2`, `name-3`, … that does not exist. */
function freeName(name: string, taken: ReadonlySet<string>, ctx: ToolContext): string {
  const { dir, name: base, ext } = path.parse(name)
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : path.join(dir, `${base}-${number}${ext}`)
    const { path: real, stats } = resolvePath(ctx, candidate, { for: 'write' })
    if (stats === undefined && !taken.has(real)) return candidate
  }
}

/** Copies files to the session's folder, which its tools may read. Identical bytes get the same name. */
async function copyToSession(files: readonly MediaFile[], ctx: ToolContext): Promise<string[]> {
  const folder = path.join(ctx.state.outputFolder, 'media')
  const paths: string[] = []
  for (const { sha256, mediaType } of files) {
    const blob = await ctx.blobs?.get(sha256)
    if (blob === undefined) continue
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const file = path.join(folder, `${sha256.slice(0, 16)}.${fileExtension(mediaType)}`)
    await writeFile(file, blob.bytes, { mode: 0o600 })
    paths.push(file)
  }
  return paths
}

/** Writes the files to the workspace as journaled changes that can be undone. */
async function saveGenerated(
  files: readonly MediaFile[],
  targets: readonly ResolvedPath[],
  ctx: ToolContext,
): Promise<Pick<SavedMedia, 'saved' | 'saveNotes'>> {
  if (targets.length === 0) return {}
  const saved: string[] = []
  const saveNotes: string[] = []
  for (const [index, { sha256, mediaType }] of files.entries()) {
    const target = targets[index]
    if (target === undefined) {
      saveNotes.push('The model generated more than requested. The extra ones were not saved in the workspace.')
      break
    }
    const blob = await ctx.blobs?.get(sha256)
    try {
      if (blob === undefined) throw new Error('its data was not stored.')
      await replaceFile(target, blob.bytes, ctx)
    } catch (error) {
      // The file exists and may have cost money, so keep it even if it cannot be saved.
      saveNotes.push(`Not saved as ${target.shown}: ${(error as Error).message}`)
      continue
    }
    saved.push(target.shown)
    if (!extensionFits(target.path, mediaType))
      saveNotes.push(`${target.shown} contains ${mediaType}, regardless of its extension.`)
  }
  return { saved, saveNotes: saveNotes.length > 0 ? saveNotes : undefined }
}

/** Writes a file as a journaled change that can be undone. */
export async function replaceFile(target: ResolvedPath, bytes: Uint8Array, ctx: ToolContext): Promise<void> {
  const { path: real, shown } = target
  await withPathLocks([real], async () => {
    const before = await takeSnapshot(real, { shown })
    if (before !== undefined) requireFullyRead(ctx.state, real, shown, before)
    const [sha256] = await changeFiles([{ path: real, shown, before, after: [bytes] }], journalFor(ctx), {
      signal: ctx.signal,
      owner: ctx.state.isolation?.user,
    })
    recordWrite(ctx.state, real, sha256 ?? '', statSync(real, { bigint: true }), 'all')
  })
}

function extensionFits(file: string, mediaType: string): boolean {
  const ending = path.extname(file).slice(1).toLowerCase()
  return (ending === 'jpeg' ? 'jpg' : ending) === fileExtension(mediaType)
}

export function savedFilesText({ paths, saved = [], saveNotes = [] }: SavedMedia): string[] {
  return [
    ...(saved.length > 0 ? [`Saved in the workspace as ${saved.join(', ')}.`] : []),
    ...(paths.length > 0 ? [`Stored as ${paths.join(', ')}. Use this path to read, copy or build on it.`] : []),
    ...saveNotes.map((note) => `Note: ${note}`),
  ]
}
