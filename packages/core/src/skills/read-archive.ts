import { Buffer } from 'node:buffer'
import { lstatSync, readdirSync, readFileSync, readlinkSync, type Stats, statSync } from 'node:fs'
import path from 'node:path'
import { crc32, gunzipSync, inflateRawSync } from 'node:zlib'

/** Reads the entries of a folder, zip, tar or tar.gz. Writes nothing. */
export function readSource(source: string): { entries: ArchiveEntry[]; packedBytes?: number } {
  const stats = statSync(source, { throwIfNoEntry: false })
  if (stats === undefined) throw new Error(`${source} does not exist.`)
  if (stats.isDirectory()) return { entries: readTree(source) }
  if (!stats.isFile()) throw new Error(`${source} is neither a folder nor an archive.`)
  if (stats.size > importLimits.archiveBytes)
    throw new Error(`${source} is larger than ${importLimits.archiveBytes / 1024 / 1024} MiB.`)
  const bytes = readFileSync(source)
  const packedBytes = bytes.length
  if (bytes.subarray(0, 2).toString('latin1') === 'PK') return { entries: readZip(bytes), packedBytes }
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b
  return { entries: readTar(isGzip ? unpackGzip(bytes) : bytes), packedBytes }
}

/** Reads a folder without the files of git and npm. */
function readTree(root: string): ArchiveEntry[] {
  const entries: ArchiveEntry[] = []
  const visit = (names: readonly string[]): void => {
    for (const name of readdirSync(path.join(root, ...names)).toSorted()) {
      if (name === '.git' || name === 'node_modules') continue
      const own = [...names, name]
      const file = path.join(root, ...own)
      const shown = own.join('/')
      const stats = lstatSync(file)
      if (entries.length >= importLimits.entries) refuseImport(root, `has more than ${importLimits.entries} entries`)
      const kind = sourceKind(stats)
      entries.push({
        name: shown,
        kind,
        size: kind === 'file' ? stats.size : 0,
        executable: kind === 'file' && (stats.mode & 0o111) !== 0,
        read: () => readFileSync(file),
        target: kind === 'link' ? { path: readlinkSync(file) } : undefined,
      })
      if (kind === 'folder' && own.length < importLimits.depth) visit(own)
    }
  }
  visit([])
  return entries
}

function sourceKind(stats: Stats): ArchiveEntry['kind'] {
  if (stats.isSymbolicLink()) return 'link'
  if (stats.isDirectory()) return 'folder'
  return stats.isFile() ? 'file' : 'other'
}

/** An entry as declared by an archive or folder. Nothing in it is verified yet. */
export interface ArchiveEntry {
  name: string
  /** `other`: a device or pipe, which no skill may have. */
  kind: 'file' | 'folder' | 'link' | 'other'
  /** Target of a link, relative to its folder, or to the root of the archive if `fromRoot`. */
  target?: { path: string; fromRoot?: true }
  executable: boolean
  /** Unpacked size in bytes. */
  size: number
  read(): Uint8Array
}

export const importLimits = {
  entries: 20_000,
  skillEntries: 2000,
  fileBytes: 10 * 1024 * 1024,
  allBytes: 50 * 1024 * 1024,
  archiveBytes: 50 * 1024 * 1024,
  /** Maximum ratio of unpacked to packed size, above the first MiB. */
  ratio: 100,
  depth: 16,
} as const

export class ImportRefused extends Error {}

export function refuseImport(name: string, why: string): never {
  // oxlint-disable-next-line no-control-regex
  const shown = name.replace(/[\u0000-\u001f\u007f]/g, '?').slice(0, 200)
  throw new ImportRefused(`"${shown}" ${why}. Nothing was imported.`)
}

/** Splits a name that stays within the target folder on every system. Throws for any other name. */
export function checkName(name: string): string[] {
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f\\]/.test(name)) refuseImport(name, 'has an invalid character in its name')
  if (name.startsWith('/') || /^[A-Za-z]:/.test(name)) refuseImport(name, 'is an absolute path')
  const parts = name.replace(/\/+$/, '').split('/')
  const own = parts[0] === '.' ? parts.slice(1) : parts
  if (own.some((part) => part === '..')) refuseImport(name, 'points outside the folder')
  if (own.some((part) => part === '' || part === '.' || part.length > 255)) refuseImport(name, 'is not a plain path')
  if (own.length > importLimits.depth) refuseImport(name, `is more than ${importLimits.depth} folders deep`)
  return own
}

const block = 512

/** Unpacks a gzip to a tar, up to the total import limit. */
function unpackGzip(bytes: Buffer): Buffer {
  const most = Math.min(importLimits.allBytes, Math.max(1024 * 1024, bytes.length * importLimits.ratio))
  try {
    return gunzipSync(bytes, { maxOutputLength: most + 2 * block * importLimits.entries })
  } catch (error) {
    const isLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    throw new Error(isLarge ? 'The unpacked contents are far larger than the archive.' : 'The archive is damaged.', {
      cause: error,
    })
  }
}

/** Reads the files and folders of a tar, with both formats of long names. Throws an Error that explains the problem. */
function readTar(bytes: Buffer): ArchiveEntry[] {
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
    if (to > bytes.length) throw new Error('The archive is damaged: it ends too early.')
    at = from + Math.ceil(size / block) * block
    const type = String.fromCharCode(header[156] ?? 0)
    if (type === 'L' || type === 'K' || type === 'x' || type === 'g') {
      if (size > 64 * 1024) throw new Error('The archive is damaged: a name in it is too long.')
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
      target: kind === 'link' ? { path: target, fromRoot: type === '1' || undefined } : undefined,
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
  if (!/^[0-7]*$/.test(text)) throw new Error('The archive is damaged: it contains an invalid size.')
  return Number.parseInt(text || '0', 8)
}

function checkSum(header: Buffer): void {
  const said = header.toString('latin1', 148, 156).replace(/[\0 ]+$/, '')
  let sum = 0
  for (const [i, byte] of header.entries()) sum += i >= 148 && i < 156 ? 32 : byte
  if (sum !== Number.parseInt(said, 8))
    throw new Error('This is not a supported archive. Use a zip, tar or tar.gz file.')
}

/** Finds `<length> path=<name>\n` among other fields. Rejects archives that override sizes. */
function paxField(text: string, field: 'path' | 'linkpath'): string | undefined {
  if (/^\d+ (size|GNU\.sparse)/m.test(text))
    throw new Error('The archive contains files stored in several parts, which is not supported.')
  return new RegExp(`^\\d+ ${field}=(.*)$`, 'm').exec(text)?.[1]
}

const endMark = 0x06054b50
const entryMark = 0x02014b50
const localMark = 0x04034b50

interface Located extends ArchiveEntry {
  from: number
  to: number
}

/**
 * Reads the entries of a zip from its central directory. Supports only common features: stored or deflated, not
 * encrypted, no overlapping parts. Throws an Error that explains the problem.
 */
function readZip(bytes: Buffer): ArchiveEntry[] {
  const end = bytes.lastIndexOf(Buffer.from('PK\u0005\u0006', 'latin1'))
  if (end === -1 || end + 22 > bytes.length || bytes.readUInt32LE(end) !== endMark) broken()
  const count = bytes.readUInt16LE(end + 10)
  const start = bytes.readUInt32LE(end + 16)
  if (count === 0xffff || start === 0xffffffff) throw new Error('The zip file is too large for a skill.')
  if (count > importLimits.entries) throw new Error(`The zip file has more than ${importLimits.entries} entries.`)
  const entries: Located[] = []
  let at = start
  for (let i = 0; i < count; i++) {
    if (at + 46 > end || bytes.readUInt32LE(at) !== entryMark) broken()
    const lengths = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset)) as [number, number, number]
    entries.push(entryAt(bytes, at, lengths[0]))
    at += 46 + lengths[0] + lengths[1] + lengths[2]
  }
  const placed = entries.toSorted((a, b) => a.from - b.from)
  for (const [i, { name, from }] of placed.entries())
    if (from < (placed[i - 1]?.to ?? 0)) refuseImport(name, 'overlaps another entry of the zip')
  return entries
}

function entryAt(bytes: Buffer, at: number, nameLength: number): Located {
  const name = bytes.toString('utf8', at + 46, at + 46 + nameLength)
  const madeBy = bytes.readUInt8(at + 5)
  const mode = madeBy === 3 || madeBy === 19 ? bytes.readUInt32LE(at + 38) >>> 16 : 0
  const [flags, method] = [bytes.readUInt16LE(at + 8), bytes.readUInt16LE(at + 10)]
  const [crc, packed, size, local] = [16, 20, 24, 42].map((offset) => bytes.readUInt32LE(at + offset)) as [
    number,
    number,
    number,
    number,
  ]
  if ((flags & 1) !== 0) refuseImport(name, 'is encrypted')
  if (method !== 0 && method !== 8) refuseImport(name, 'uses an unsupported compression method')
  const kind = zipEntryKind(name, mode)
  if (local + 30 > bytes.length || bytes.readUInt32LE(local) !== localMark) broken()
  const localName = bytes.readUInt16LE(local + 26)
  if (bytes.toString('utf8', local + 30, local + 30 + localName) !== name)
    refuseImport(name, 'has two names in the zip')
  const from = local + 30 + localName + bytes.readUInt16LE(local + 28)
  const to = from + packed
  if (to > bytes.length) broken()
  const read = (): Uint8Array => {
    const data = bytes.subarray(from, to)
    const content = method === 0 ? data : inflate(name, data, size)
    if (content.length !== size || crc32(content) !== crc) refuseImport(name, 'does not match its entry in the zip')
    return content
  }
  const executable = kind === 'file' && (mode & 0o111) !== 0
  if (kind !== 'link') return { name, kind, size, executable, from: local, to, read }
  if (size > 4096) refuseImport(name, 'is a broken link')
  const target = { path: Buffer.from(read()).toString('utf8') }
  return { name, kind, size: 0, executable, from: local, to, read, target }
}

/** The creating system may have recorded the file type. */
function zipEntryKind(name: string, mode: number): ArchiveEntry['kind'] {
  const type = mode & 0o170000
  if (type === 0o120000) return 'link'
  if (type !== 0 && type !== 0o100000 && type !== 0o040000) return 'other'
  return name.endsWith('/') || type === 0o040000 ? 'folder' : 'file'
}

function inflate(name: string, data: Uint8Array, size: number): Uint8Array {
  try {
    return inflateRawSync(data, { maxOutputLength: Math.max(1, size) })
  } catch {
    return refuseImport(name, 'could not be unpacked correctly')
  }
}

function broken(): never {
  throw new Error('The zip file is damaged.')
}
