import type { Stats } from 'node:fs'
import { cp, link, lstat, mkdir, open, rename, rm, unlink } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { randomBytes } from 'node:crypto'
import { isInside } from '@troupe/core'
import { NamedError } from '@troupe/protocol'
import { byteRange, rangeHeaders } from '../http/byte-range.ts'
import type { Ctx } from '../http/route.ts'
import { saveBody } from '../http/save-body.ts'
import { shownTypes } from './file-content.ts'
import { checkNewName, fileExists, type FileRoot, notFound, resolveEntry, resolveTarget } from './workspace-path.ts'

const maxUpload = 2 * 1024 * 1024 * 1024

export async function createEntry(root: FileRoot, given: string, kind: 'file' | 'folder'): Promise<{ path: string }> {
  const entry = resolveEntry(root, given)
  checkNewName(entry.relative)
  if (entry.stats !== undefined) throw fileExists(entry.relative)
  await attempt(entry.relative, async () => {
    await mkdir(path.dirname(entry.path), { recursive: true })
    if (kind === 'folder') return mkdir(entry.path)
    const handle = await open(entry.path, 'wx', 0o666)
    return handle.close()
  })
  return { path: entry.relative }
}

/** Renames within the folder. Two names of one entry may differ only in case. */
export async function moveEntry(root: FileRoot, from: string, to: string): Promise<{ path: string }> {
  const source = resolveEntry(root, from)
  const target = resolveEntry(root, to)
  checkNewName(target.relative)
  const { stats } = source
  if (stats === undefined) throw notFound(from)
  if (source.path === target.path) return { path: target.relative }
  if (stats.isDirectory() && isInside(target.path, source.path))
    throw new NamedError('MoveIntoItself', 'A folder cannot be moved into itself.', { status: 409 })
  const isSame = target.stats?.ino === stats.ino && target.stats.dev === stats.dev
  const onlyCase = isSame && source.path.toLowerCase() === target.path.toLowerCase()
  if (target.stats !== undefined && !onlyCase) throw fileExists(target.relative)
  await attempt(target.relative, async () => {
    await mkdir(path.dirname(target.path), { recursive: true })
    await moveOver(source.path, target.path, stats)
  })
  return { path: target.relative }
}

/** A file is linked first, which fails if the name was just taken. Folders cannot be linked; a taken name is not empty. */
async function moveOver(from: string, to: string, stats: Stats): Promise<void> {
  if (stats.isFile() && from.toLowerCase() !== to.toLowerCase()) {
    try {
      await link(from, to)
      await unlink(from)
      return
    } catch (error) {
      if (!noLinkCodes.has((error as NodeJS.ErrnoException).code ?? '')) throw error
    }
  }
  try {
    await rename(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    await cp(from, to, {
      recursive: true,
      verbatimSymlinks: true,
      errorOnExist: true,
      force: false,
      preserveTimestamps: true,
    })
    await rm(from, { recursive: true })
  }
}

/** File systems without hard links, and moves between file systems. */
const noLinkCodes = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV'])

/** Streams the body into a temporary file next to the target, then moves it into place. */
export async function saveUpload(
  c: Ctx,
  root: FileRoot,
  given: string,
  { replace }: { replace: boolean },
): Promise<{ path: string; size: number }> {
  const target = resolveTarget(root, given, 'write')
  checkNewName(target.relative)
  if (target.stats?.isDirectory() === true || (target.stats !== undefined && !replace))
    throw fileExists(target.relative)
  const temporary = path.join(path.dirname(target.path), `.troupe-${randomBytes(9).toString('base64url')}.tmp`)
  try {
    return await attempt(target.relative, async () => {
      await mkdir(path.dirname(target.path), { recursive: true })
      const size = await saveBody(c, temporary, { maxBytes: maxUpload, mode: 0o666, tooLarge })
      if (replace) await rename(temporary, target.path)
      else {
        const stats = await lstat(temporary)
        await moveOver(temporary, target.path, stats)
      }
      return { path: target.relative, size }
    })
  } finally {
    await rm(temporary, { force: true })
  }
}

function tooLarge(): NamedError {
  return new NamedError('BodyTooLarge', 'The file is too large. The limit is 2 GiB.', { status: 413 })
}

/** Sends a file in pieces. Only a picture may be shown in our origin. */
export async function download(
  c: Ctx,
  root: FileRoot,
  given: string,
  { inline }: { inline: boolean },
): Promise<Response> {
  const found = resolveTarget(root, given, 'read')
  if (found.stats?.isFile() !== true) throw notFound(given)
  const shown = inline ? shownTypes[path.extname(found.path).toLowerCase()] : undefined
  const { size } = found.stats
  const range = byteRange(c.req.header('range'), size)
  if (range === null) return c.body(null, 416, { 'content-range': `bytes */${size}` })
  const name = path.posix.basename(found.relative).toWellFormed()
  const headers = {
    ...rangeHeaders(range, size),
    'content-type': shown ?? 'application/octet-stream',
    'content-disposition': `${shown === undefined ? 'attachment' : 'inline'}; filename*=UTF-8''${encodeName(name)}`,
    'content-security-policy': "default-src 'none'; sandbox",
  }
  const status = range === undefined ? 200 : 206
  if (c.req.method === 'HEAD' || size === 0) return c.body(null, status, headers)
  const handle = await open(found.path, 'r')
  // The length is promised, so a file that grows meanwhile is sent as it was.
  const stream = handle.createReadStream({ start: 0, end: size - 1, ...range, autoClose: true })
  return c.body(Readable.toWeb(stream) as ReadableStream, status, headers)
}

/** Quotes all that RFC 5987 does not allow in a name. */
function encodeName(name: string): string {
  return encodeURIComponent(name).replace(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** Turns an error of the system into one for the person. */
export async function attempt<T>(relative: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof NamedError) throw error
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' || code === 'ENOTEMPTY' || code === 'ERR_FS_CP_EEXIST') throw fileExists(relative)
    if (code === 'ENOENT') throw notFound(relative)
    const text = systemFaults[code]
    // A full disk has its own answer for all routes.
    if (text === undefined) throw error
    throw new NamedError('OutsideWorkspace', text, { status: 403, cause: error })
  }
}

const systemFaults: Record<string, string> = {
  EACCES: 'The system does not allow this change. Check the permissions of the folder.',
  EPERM: 'The system does not allow this change. Check the permissions of the folder.',
  EROFS: 'This folder is read-only, so nothing was changed.',
  EBUSY: 'Another program uses this file or folder. Close it there, then try again.',
  ENAMETOOLONG: 'The name is too long for this file system.',
  ENOTDIR: 'A part of this path is a file, not a folder.',
  EINVAL: 'This file system does not allow this name.',
}
