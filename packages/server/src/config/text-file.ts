import { createHash, randomBytes } from 'node:crypto'
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { isInside } from '@troupe/core'
import { NamedError } from '@troupe/protocol'

/** A text that people edit in the settings. */
export interface TextFile {
  path: string
  /** Empty if there is no file. */
  text: string
  /** Changes with the content. */
  version: string
  exists: boolean
}

const maxBytes = 1 << 20

/**
 * Reads a text file inside `root`. Throws `FileNotEditable` (409) if it is a link out of the folder, not a text, or too
 * long.
 */
export function readTextFile(file: string, root: string): TextFile {
  const bytes = readBytes(file, root)
  if (bytes === undefined) return { path: file, text: '', version: versionOf(undefined), exists: false }
  return { path: file, text: plain(decode(bytes, file)), version: versionOf(bytes), exists: true }
}

/**
 * Replaces a text file atomically, if it still has this version. Keeps its line ends, byte order mark and mode. Throws
 * `FileChanged` (409) with the current text, and the errors of `readTextFile`.
 */
export function writeTextFile(file: string, text: string, options: { root: string; version: string }): TextFile {
  const { root, version } = options
  const bytes = readBytes(file, root)
  if (versionOf(bytes) !== version) throw fileChanged(file, bytes)
  const before = bytes === undefined ? '' : decode(bytes, file)
  const mark = before.startsWith('\uFEFF') ? '\uFEFF' : ''
  const ended = text === '' || text.endsWith('\n') ? text : `${text}\n`
  const lines = before.includes('\r\n') ? ended.replaceAll('\n', '\r\n') : ended
  const target = bytes === undefined ? file : realpathSync(file)
  mkdirSync(path.dirname(target), { recursive: true })
  // A parent folder can also be a link.
  refuseOutside(path.join(realpathSync(path.dirname(target)), path.basename(target)), file, root)
  replaceFile(target, mark + lines.replace(/^\uFEFF/, ''))
  return readTextFile(file, root)
}

/** Replaces a file atomically and keeps its mode. */
export function replaceFile(file: string, text: string): void {
  const before = statSync(file, { throwIfNoEntry: false })
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`
  try {
    const handle = openSync(draft, 'wx', 0o644)
    try {
      if (before !== undefined) fchmodSync(handle, before.mode & 0o777)
      writeFileSync(handle, text)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

export function fileNotEditable(file: string, why: string): NamedError {
  return new NamedError('FileNotEditable', `${file} cannot be edited here: ${why}.`, { status: 409, data: { file } })
}

function fileChanged(file: string, bytes: Buffer | undefined): NamedError {
  const text = bytes === undefined ? '' : plain(decode(bytes, file))
  return new NamedError('FileChanged', `${file} was changed by someone else since you opened it.`, {
    status: 409,
    data: { file, text, version: versionOf(bytes) },
  })
}

/** As people edit it: without a byte order mark, and with `\n` as line ends. */
function plain(text: string): string {
  return text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
}

function versionOf(bytes: Buffer | undefined): string {
  return bytes === undefined ? 'none' : createHash('sha256').update(bytes).digest('hex').slice(0, 32)
}

function readBytes(file: string, root: string): Buffer | undefined {
  let real: string
  try {
    real = realpathSync(file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw fileNotEditable(file, (error as Error).message)
  }
  refuseOutside(real, file, root)
  try {
    const found = statSync(real)
    if (!found.isFile()) throw new Error('it is not a file')
    if (found.size > maxBytes) throw new Error('it is larger than 1 MiB')
    return readFileSync(real)
  } catch (error) {
    throw fileNotEditable(file, (error as Error).message)
  }
}

/** A project could link its file to one of the user's, which saving would overwrite. */
function refuseOutside(real: string, file: string, root: string): void {
  if (!isInside(real, realpathSync(root))) throw fileNotEditable(file, 'it is a link to a file outside of its folder')
}

function decode(bytes: Buffer, file: string): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    if (!text.includes('\0')) return text
  } catch {
    // Not UTF-8.
  }
  throw fileNotEditable(file, 'it is not a UTF-8 text')
}
