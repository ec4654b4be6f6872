import { lstat } from 'node:fs/promises'
import { secretIn } from '@troupe/command-policy'
import { detectFormat, diffBytes, hunksOf, takeSnapshot } from '@troupe/core'
import type { ChangedFile } from '@troupe/protocol'

/** Null stands for no file. `undefined`: the content is not known. */
export type Content = Uint8Array | null | undefined

const maxBytes = 4 * 2 ** 20
const maxCharacters = 200_000

export interface DiffedFile {
  /** As shown. */
  path: string
  before: Content
  after: Content
  /** Hash of the file as it is now. */
  version: string
  calls: string[]
  secret: boolean
}

/** Undefined if both sides are equal. */
export async function fileDiff({ before, after, secret, ...file }: DiffedFile): Promise<ChangedFile | undefined> {
  const base = { ...file, diff: '', added: 0, removed: 0, hunks: [] }
  const change = before === null ? 'created' : after === null ? 'deleted' : 'changed'
  if (before === undefined || after === undefined) return { ...base, change, note: 'lost' }
  const [old, now] = [toBuffer(before), toBuffer(after)]
  if ((before === null) === (after === null) && old.equals(now)) return undefined
  if (!secret && secretIn(file.path) !== undefined) return { ...base, change, note: 'secret' }
  if (old.length > maxBytes || now.length > maxBytes) return { ...base, change, note: 'too-long' }
  if (isBinary(old) || isBinary(now)) return { ...base, change, note: 'binary' }
  const side = (bytes: Buffer) => ({ bytes, format: detectFormat(bytes) })
  const diff = await diffBytes(
    before === null ? undefined : side(old),
    after === null ? undefined : side(now),
    maxCharacters,
  )
  const shown = { ...base, ...diff, change } as const
  const isWhole = diff.cut === true || isWide(old) || isWide(now)
  return { ...shown, hunks: isWhole ? [] : hunksOf(shown).map(({ id, from, to }) => ({ id, from, to })) }
}

/** The file as it is: null if there is none, undefined if it is too long to compare or no plain file. */
export async function currentContent(
  file: string,
): Promise<{ content: Content; sha256: string; note?: 'too-long' | 'not-a-file' }> {
  const stats = await lstat(file).catch(() => undefined)
  if (stats === undefined) return { content: null, sha256: '' }
  if (!stats.isFile()) return { content: undefined, sha256: 'none', note: 'not-a-file' }
  if (stats.size > 8 * maxBytes) return { content: undefined, sha256: 'none', note: 'too-long' }
  const now = await takeSnapshot(file).catch(() => undefined)
  return now === undefined ? { content: null, sha256: '' } : { content: now.bytes, sha256: now.sha256 }
}

function toBuffer(bytes: Uint8Array | null): Buffer {
  return bytes === null ? Buffer.alloc(0) : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function isWide(bytes: Buffer): boolean {
  return detectFormat(bytes.subarray(0, 4), { isWhole: false }).encoding.startsWith('utf-16')
}

function isBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, 8000).includes(0) && !isWide(bytes)
}
