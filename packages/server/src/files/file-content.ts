import { closeSync } from 'node:fs'
import path from 'node:path'
import {
  changeFiles,
  decodeText,
  detectFormat,
  encodeText,
  fileKind,
  headLength,
  openFile,
  readOpenFile,
  sha256Of,
  type Snapshot,
  takeSnapshot,
  type TextFormat,
  type UndoJournal,
  withPathLocks,
} from '@troupe/core'
import { type FileContent, NamedError, newId, type SavedFile } from '@troupe/protocol'
import { checkNewName, type FileRoot, isSecret, notFound, resolveTarget, type WorkspacePath } from './workspace-path.ts'

/** Longer texts are shown in part. An editor of the page handles this much on one line. */
const maxEditable = 8 * 1024 * 1024
const maxShown = 1024 * 1024

/** Pictures that the page shows. */
export const pictureTypes: Record<string, string> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.bmp': 'image/bmp',
  '.ico': 'image/x-icon',
}

/** Media types that viewers load by URL. HTML and SVG are downloads only, because they can contain scripts. */
export const shownTypes: Record<string, string> = {
  ...pictureTypes,
  '.pdf': 'application/pdf',
  '.mp3': 'audio/mpeg',
  '.m4a': 'audio/mp4',
  '.aac': 'audio/aac',
  '.wav': 'audio/wav',
  '.ogg': 'audio/ogg',
  '.oga': 'audio/ogg',
  '.opus': 'audio/ogg',
  '.flac': 'audio/flac',
  '.weba': 'audio/webm',
  '.mp4': 'video/mp4',
  '.m4v': 'video/mp4',
  '.mov': 'video/mp4',
  '.webm': 'video/webm',
  '.ogv': 'video/ogg',
}

export async function readContent(
  root: FileRoot,
  given: string,
  { secret }: { secret: boolean },
): Promise<FileContent> {
  const found = resolveTarget(root, given, 'read')
  if (found.stats?.isFile() !== true) throw notFound(given)
  if (!secret && isSecret(found.path, [root.path]))
    throw new NamedError('SecretFile', 'This file may contain keys or passwords, so it is not shown automatically.', {
      status: 403,
      data: { path: found.relative },
    })
  return readFound(found)
}

async function readFound(found: WorkspacePath): Promise<FileContent> {
  const { fd, stats } = openChecked(found)
  try {
    const size = Number(stats.size)
    const isCut = size > maxEditable
    const bytes = await readOpenFile(fd, isCut ? maxShown : size)
    const facts = { path: found.relative, size, modifiedAt: Number(stats.mtimeMs) }
    if (pictureTypes[path.extname(found.path).toLowerCase()] !== undefined) return { ...facts, kind: 'image' }
    const kind = fileKind(bytes.subarray(0, headLength))
    if (kind.kind !== 'text') return { ...facts, kind: 'binary', ...(kind.kind === 'binary' && { about: kind.name }) }
    const format = detectFormat(bytes, { isWhole: !isCut })
    return {
      ...facts,
      kind: 'text',
      text: decodeText(bytes, format),
      ...format,
      ...(isCut ? { isCut: true } : { version: sha256Of(bytes) }),
      ...((stats.mode & 0o222n) === 0n && { isReadOnly: true }),
    }
  } finally {
    closeSync(fd)
  }
}

function openChecked(found: WorkspacePath): ReturnType<typeof openFile> {
  try {
    return openFile(found.path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') throw notFound(found.relative)
    throw new NamedError('OutsideWorkspace', 'The system does not allow access to this file or folder.', {
      status: 403,
      cause: error,
    })
  }
}

interface WriteRequest {
  path: string
  text: string
  /** The version that the person saw, or null for a new file. */
  version: string | null
  format: TextFormat
}

/**
 * Saves a file for the person if it still has the version they saw. Keeps the old content in the undo journal. Agents
 * notice the change, since they compare the hash of the file with what they have read.
 */
export async function writeContent(root: FileRoot, request: WriteRequest, journal: UndoJournal): Promise<SavedFile> {
  const found = resolveTarget(root, request.path, 'write')
  checkNewName(found.relative)
  if (found.stats !== undefined && !found.stats.isFile())
    throw new NamedError('BadFileName', 'There is a folder with this name.')
  if (found.stats !== undefined && (found.stats.mode & 0o222) === 0)
    throw new NamedError('FileReadOnly', 'This file is read-only, so it was not saved.', { status: 403 })
  const bytes = encode(request)
  return withPathLocks([found.path], async () => {
    const before = await takeSnapshot(found.path, { shown: found.relative })
    if ((before?.sha256 ?? null) !== request.version) throw await fileChanged(found, before)
    const mark = personMark()
    let version: string | null | undefined
    try {
      ;[version] = await changeFiles(
        [{ path: found.path, shown: found.relative, before, after: [bytes] }],
        ({ folder }) =>
          journal.before(mark, found.path, before?.bytes ?? null, {
            ...(before !== undefined && { sha256: before.sha256, mode: Number(before.stats.mode) }),
            folder,
          }),
      )
    } catch (error) {
      const now = await takeSnapshot(found.path, { shown: found.relative })
      if ((now?.sha256 ?? null) !== request.version) throw await fileChanged(found, now)
      throw error
    }
    const { modifiedAt } = facts(found)
    return { path: found.relative, version: version ?? sha256Of(bytes), size: bytes.length, modifiedAt }
  })
}

function facts(found: WorkspacePath): { modifiedAt: number } {
  const { fd, stats } = openChecked(found)
  closeSync(fd)
  return { modifiedAt: Number(stats.mtimeMs) }
}

/** The person's own changes belong to no chat, so that no agent undoes them. */
function personMark(): Parameters<UndoJournal['before']>[0] {
  return { sessionId: 'person', messageId: 'person', runId: 'person', step: 0, toolCallId: newId() }
}

function encode({ text, format }: WriteRequest): Buffer {
  try {
    return encodeText(text, format)
  } catch (error) {
    throw new NamedError(
      'CannotEncode',
      'The encoding of this file lacks a character of your text. Save it as UTF-8.',
      {
        status: 422,
        cause: error,
      },
    )
  }
}

async function fileChanged(found: WorkspacePath, now: Snapshot | undefined): Promise<NamedError> {
  const current = now === undefined ? null : await readFound(found).catch(() => null)
  return new NamedError('FileChanged', 'Someone else changed this file in the meantime.', {
    status: 409,
    data: { current },
  })
}
