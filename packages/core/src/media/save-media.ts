import { statSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { changeFiles } from '../files/change-files.ts'
import { journalFor } from '../files/change-mark.ts'
import { withPathLocks } from '../files/path-lock.ts'
import { type ResolvedPath, resolvePath } from '../files/resolve-path.ts'
import { takeSnapshot } from '../files/snapshot.ts'
import { requireFullyRead, recordWrite } from '../files/stamps.ts'
import type { ToolContext } from '../tool.ts'
import type { MediaFile } from './media.ts'

export interface SavedMedia {
  /** Where each file lies in the session's own folder: tools can read it there. Empty where nothing keeps bytes. */
  paths: string[]
  /** As what it was saved in the workspace. */
  saved?: string[]
  /** What the person did not get as they named it, in sentences. */
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

/** The ending of a file's name, without the dot. */
export function fileExtension(mediaType: string): string {
  return extensions[mediaType.split(';', 1)[0] ?? ''] ?? 'bin'
}

/**
 * The names that so many files get, told by the input alone, so that permission is decided on these very paths:
 * `logo.png`, `logo-2.png`. For a folder, written with a slash at its end, the name comes from the words.
 */
export function targetNames(given: string | undefined, count: number, prompt: string, ending: string): string[] {
  if (given === undefined) return []
  const file = /[/\\]$/.test(given) ? `${given}${nameFrom(prompt)}.${ending}` : given
  const { dir, name, ext } = path.parse(file)
  return Array.from({ length: count }, (_, index) =>
    index === 0 ? file : path.join(dir, `${name}-${index + 1}${ext}`),
  )
}

/** What is wrong with a name to save to. */
export function targetProblem(given: string | undefined): string | undefined {
  if (given === undefined || /[/\\]$/.test(given) || path.extname(given) !== '') return undefined
  return `save_to: "${given}" has no ending. Name a file, such as "${given}.png", or a folder with a slash at its end: "${given}/".`
}

function nameFrom(prompt: string): string {
  const words = prompt.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return words.slice(0, 6).join('-').slice(0, 50) || 'made'
}

/** Throws where one could not be written, or holds what the agent has not seen. */
export async function checkTargets(names: readonly string[], ctx: ToolContext): Promise<ResolvedPath[]> {
  const targets = names.map((name) => resolvePath(ctx, name, { for: 'write' }))
  for (const target of targets) {
    if (target.stats?.isDirectory() === true)
      throw new Error(`"${target.shown}" is a folder. Put a slash at its end, or name a file in it.`)
    await requireFreshRead(target, ctx)
  }
  return targets
}

async function requireFreshRead({ path: real, shown }: ResolvedPath, ctx: ToolContext): Promise<void> {
  const before = await takeSnapshot(real, { shown })
  if (before !== undefined) requireFullyRead(ctx.state, real, shown, before)
}

/** Copies into the session's own folder, which its tools may read. The same bytes have the same name. */
export async function copyToSession(files: readonly MediaFile[], ctx: ToolContext): Promise<string[]> {
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

/** Writes them into the workspace as every change of a file is written: journaled, to be undone like any other. */
export async function saveGenerated(
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
      saveNotes.push('More were made than were asked for; the rest was not saved in the workspace.')
      break
    }
    const blob = await ctx.blobs?.get(sha256)
    if (blob === undefined) throw new Error('Its bytes are not kept anywhere, so it could not be saved.')
    try {
      await replaceFile(target, blob.bytes, ctx)
    } catch (error) {
      // It is made and may be paid for: what cannot be saved is still kept.
      saveNotes.push(`Not saved as ${target.shown}: ${(error as Error).message}`)
      continue
    }
    saved.push(target.shown)
    if (!extensionFits(target.path, mediaType))
      saveNotes.push(`${target.shown} is ${mediaType}, whatever its ending says.`)
  }
  return { saved, ...(saveNotes.length > 0 && { saveNotes }) }
}

async function replaceFile(target: ResolvedPath, bytes: Uint8Array, ctx: ToolContext): Promise<void> {
  const { path: real, shown } = target
  await withPathLocks([real], async () => {
    const before = await takeSnapshot(real, { shown })
    if (before !== undefined) requireFullyRead(ctx.state, real, shown, before)
    const [sha256] = await changeFiles([{ path: real, shown, before, after: [bytes] }], journalFor(ctx), ctx.signal)
    recordWrite(ctx.state, real, sha256 ?? '', statSync(real, { bigint: true }), 'all')
  })
}

function extensionFits(file: string, mediaType: string): boolean {
  const ending = path.extname(file).slice(1).toLowerCase()
  return (ending === 'jpeg' ? 'jpg' : ending) === fileExtension(mediaType)
}

/** What the model reads of where they are. */
export function savedFilesText({ paths, saved = [], saveNotes = [] }: SavedMedia): string[] {
  return [
    ...(saved.length > 0 ? [`Saved in the workspace as ${saved.join(', ')}.`] : []),
    ...(paths.length > 0 ? [`Kept as ${paths.join(', ')}: to be read, copied or started from under that path.`] : []),
    ...saveNotes.map((note) => `Note: ${note}`),
  ]
}
