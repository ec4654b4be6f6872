import type { Buffer } from 'node:buffer'
import { gunzipSync } from 'node:zlib'
import { importLimits, refuseImport, type ArchiveEntry } from './archive-entry.ts'

const block = 512

/** The tar in a gzip; never more than may be imported in all. */
export function unpackGzip(bytes: Buffer): Buffer {
  const most = Math.min(importLimits.allBytes, Math.max(1024 * 1024, bytes.length * importLimits.ratio))
  try {
    return gunzipSync(bytes, { maxOutputLength: most + 2 * block * importLimits.entries })
  } catch (error) {
    const isLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    throw new Error(isLarge ? 'What is in the archive is far larger than the archive.' : 'The archive is broken.', {
      cause: error,
    })
  }
}

/** The entries of a tar: files and folders, with long names in either way. Throws an Error that says what is wrong. */
export function readTar(bytes: Buffer): ArchiveEntry[] {
  const entries: ArchiveEntry[] = []
  let longName: string | undefined
  let longTarget: string | undefined
  for (let at = 0; at + block <= bytes.length;) {
    const header = bytes.subarray(at, at + block)
    if (header.every((byte) => byte === 0)) break
    checkSum(header)
    const size = octal(header, 124, 12)
    const from = at + block
    const to = from + size
    if (to > bytes.length) throw new Error('The archive is broken: it ends too early.')
    at = from + Math.ceil(size / block) * block
    const type = String.fromCharCode(header[156] ?? 0)
    if (type === 'L' || type === 'K' || type === 'x' || type === 'g') {
      if (size > 64 * 1024) throw new Error('The archive is broken: a name in it is too long.')
      const text = bytes.toString('utf8', from, to)
      if (type === 'L') longName = text.replace(/\0.*$/s, '')
      else if (type === 'K') longTarget = text.replace(/\0.*$/s, '')
      else if (type === 'x') {
        longName = paxField(text, 'path') ?? longName
        longTarget = paxField(text, 'linkpath') ?? longTarget
      }
      continue
    }
    const name = longName ?? nameOf(header)
    const target = longTarget ?? textAt(header, 157, 100)
    longName = undefined
    longTarget = undefined
    const kind = tarEntryKind(name, type)
    if (entries.length >= importLimits.entries)
      throw new Error(`The archive has more than ${importLimits.entries} entries.`)
    const executable = (octal(header, 100, 8) & 0o111) !== 0
    entries.push({
      name,
      kind,
      size: kind === 'file' ? size : 0,
      executable,
      read: () => bytes.subarray(from, to),
      ...(kind === 'link' && { target: { path: target, ...(type === '1' && { fromRoot: true as const }) } }),
    })
  }
  return entries
}

function tarEntryKind(name: string, type: string): ArchiveEntry['kind'] {
  if (type === '0' || type === '\0' || type === '7') return name.endsWith('/') ? 'folder' : 'file'
  if (type === '5') return 'folder'
  if (type === '1' || type === '2') return 'link'
  if (type === '3' || type === '4' || type === '6') return 'other'
  return refuseImport(name, 'is neither a file nor a folder')
}

function nameOf(header: Buffer): string {
  const isUstar = header.toString('latin1', 257, 262) === 'ustar'
  const prefix = isUstar ? textAt(header, 345, 155) : ''
  return prefix === '' ? textAt(header, 0, 100) : `${prefix}/${textAt(header, 0, 100)}`
}

function textAt(header: Buffer, start: number, length: number): string {
  return header.toString('utf8', start, start + length).replace(/\0.*$/s, '')
}

function octal(header: Buffer, start: number, length: number): number {
  const text = header
    .toString('latin1', start, start + length)
    .replace(/\0.*$/s, '')
    .trim()
  if (!/^[0-7]*$/.test(text)) throw new Error('The archive is broken: a size in it is none.')
  return Number.parseInt(text || '0', 8)
}

function checkSum(header: Buffer): void {
  const said = header.toString('latin1', 148, 156).replace(/[\0 ]+$/, '')
  let sum = 0
  for (const [i, byte] of header.entries()) sum += i >= 148 && i < 156 ? 32 : byte
  if (sum !== Number.parseInt(said, 8))
    throw new Error('This is no archive that can be read: a zip, a tar or a tar.gz is.')
}

/** `<length> path=<name>\n`, among others. A size of its own is of no use for what is imported here. */
function paxField(text: string, field: 'path' | 'linkpath'): string | undefined {
  if (/^\d+ (size|GNU\.sparse)/m.test(text)) throw new Error('The archive has files that are stored in pieces.')
  return new RegExp(`^\\d+ ${field}=(.*)$`, 'm').exec(text)?.[1]
}
