import { Buffer } from 'node:buffer'
import { crc32, inflateRawSync } from 'node:zlib'
import { importLimits, refuseImport, type ArchiveEntry } from './archive-entry.ts'

const endMark = 0x06054b50
const entryMark = 0x02014b50
const localMark = 0x04034b50

interface Located extends ArchiveEntry {
  from: number
  to: number
}

/**
 * The entries of a zip, as its directory at the end names them. Only what every program writes is read: stored or
 * deflated, not encrypted, no parts that lie over each other. Throws an Error that says what is wrong.
 */
export function readZip(bytes: Buffer): ArchiveEntry[] {
  const end = bytes.lastIndexOf(Buffer.from('PK\u0005\u0006', 'latin1'))
  if (end === -1 || end + 22 > bytes.length || bytes.readUInt32LE(end) !== endMark) broken()
  const count = bytes.readUInt16LE(end + 10)
  const start = bytes.readUInt32LE(end + 16)
  if (count === 0xffff || start === 0xffffffff) throw new Error('The zip is larger than a skill can be.')
  if (count > importLimits.entries) throw new Error(`The zip has more than ${importLimits.entries} entries.`)
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
    if (from < (placed[i - 1]?.to ?? 0)) refuseImport(name, 'lies over another entry of the zip')
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
  if (method !== 0 && method !== 8) refuseImport(name, 'is packed in a way that is not known here')
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
    if (content.length !== size || crc32(content) !== crc) refuseImport(name, 'is not what the zip says it is')
    return content
  }
  const executable = kind === 'file' && (mode & 0o111) !== 0
  if (kind !== 'link') return { name, kind, size, executable, from: local, to, read }
  if (size > 4096) refuseImport(name, 'is a link that leads nowhere')
  const target = { path: Buffer.from(read()).toString('utf8') }
  return { name, kind, size: 0, executable, from: local, to, read, target }
}

/** The system that wrote it may have told what kind of file it is. */
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
    return refuseImport(name, 'cannot be unpacked to what the zip says it is')
  }
}

function broken(): never {
  throw new Error('The zip is broken.')
}
