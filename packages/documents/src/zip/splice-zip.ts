import { Buffer } from 'node:buffer'
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib'

/** A part of the new archive: bytes of the old one from `start` to `end`, or new bytes. */
export type ZipPiece = { start: number; end: number } | Uint8Array

export interface ZipRecord {
  name: string
  /** Unpacked size. */
  size: number
  packed: number
  crc: number
  flags: number
  method: number
  /** The local record, with its header and data descriptor. */
  start: number
  end: number
  /** The record in the directory. */
  central: { start: number; end: number; nameLength: number; extraLength: number }
}

export interface ZipDirectory {
  /** In the order of the directory. */
  records: ZipRecord[]
  /** Bytes before the first record. */
  prefix: number
  start: number
  isZip64: boolean
  comment: Buffer
  /** Offsets in the archive count from here. More than 0 if something was put before the archive. */
  base: number
}

const maxEntries = 20_000
const maxEntryBytes = 512 * 2 ** 20
const maxRatio = 1000
const unknown32 = 0xffffffff

/** Reads the directory of an archive in memory. Throws if it is damaged, or if records overlap. */
export function readZipDirectory(zip: Buffer): ZipDirectory {
  const end = zip.lastIndexOf(Buffer.from('PK\u0005\u0006', 'latin1'))
  if (end === -1 || end + 22 > zip.length) throw damaged()
  const found = readEnd(zip, end)
  const { count, length, offset, isZip64, endStart } = found
  if (count > maxEntries) throw new Error('The file has too many parts to be edited.')
  const start = endStart - length
  const base = start - offset
  if (start < 0 || base < 0) throw damaged()
  const records: ZipRecord[] = []
  let at = start
  for (let i = 0; i < count; i++) {
    if (at + 46 > endStart || zip.readUInt32LE(at) !== 0x02014b50) throw damaged()
    const nameLength = zip.readUInt16LE(at + 28)
    const extraLength = zip.readUInt16LE(at + 30)
    const next = at + 46 + nameLength + extraLength + zip.readUInt16LE(at + 32)
    if (next > endStart) throw damaged()
    const sizes = readSizes(zip, at, nameLength, extraLength)
    const { local } = sizes
    if (base + local + 30 > start || zip.readUInt32LE(base + local) !== 0x04034b50) throw damaged()
    records.push({
      name: zip.toString('utf8', at + 46, at + 46 + nameLength),
      size: sizes.size,
      packed: sizes.packed,
      crc: zip.readUInt32LE(at + 16),
      flags: zip.readUInt16LE(at + 8),
      method: zip.readUInt16LE(at + 10),
      start: base + local,
      end: base + local,
      central: { start: at, end: next, nameLength, extraLength },
    })
    at = next
  }
  const placed = records.toSorted((a, b) => a.start - b.start)
  for (const [i, record] of placed.entries()) {
    record.end = placed[i + 1]?.start ?? start
    if (dataStart(zip, record) + record.packed > record.end) throw damaged()
  }
  const comment = zip.subarray(end + 22, Math.min(zip.length, end + 22 + zip.readUInt16LE(end + 20)))
  return { records, prefix: placed[0]?.start ?? start, start, isZip64, comment, base }
}

/** Unpacks one record. Throws if it is encrypted, damaged or expands too much. */
export function readZipRecord(zip: Buffer, record: ZipRecord): Buffer {
  const name = record.name.slice(0, 200)
  if ((record.flags & 1) !== 0) throw new Error(`${name} is encrypted. Save the file without a password first.`)
  if (record.method !== 0 && record.method !== 8)
    throw new Error(`${name} is compressed in a way that is not supported.`)
  if (record.size > maxEntryBytes || (record.size > 2 ** 20 && record.size > record.packed * maxRatio))
    throw new Error(`${name} would expand to ${record.size} bytes, which is more than can be edited.`)
  const from = dataStart(zip, record)
  const raw = zip.subarray(from, from + record.packed)
  const bytes = record.method === 0 ? raw : inflate(raw, record)
  if (bytes.length !== record.size || crc32(bytes) !== record.crc)
    throw new Error(`${name} does not match its entry in the file, so the file is damaged.`)
  return bytes
}

function inflate(raw: Buffer, record: ZipRecord): Buffer {
  try {
    return inflateRawSync(raw, { maxOutputLength: Math.max(1, record.size) })
  } catch (error) {
    throw new Error(`${record.name.slice(0, 200)} cannot be unpacked, so the file is damaged.`, { cause: error })
  }
}

/**
 * Replaces, adds (new names) and removes (null) entries. Every other record is copied byte by byte, in its place, with
 * its time and its compressed data.
 */
export function spliceZip(
  zip: Buffer,
  directory: ZipDirectory,
  changes: ReadonlyMap<string, Uint8Array | null>,
): ZipPiece[] {
  const pieces: ZipPiece[] = []
  let length = 0
  const push = (piece: ZipPiece): void => {
    const last = pieces.at(-1)
    length += piece instanceof Uint8Array ? piece.length : piece.end - piece.start
    if (last !== undefined && 'start' in last && 'start' in piece && last.end === piece.start) last.end = piece.end
    else pieces.push('start' in piece ? { ...piece } : piece)
  }
  const offsets = new Map<ZipRecord, { offset: number; packed?: Packed }>()
  push({ start: 0, end: directory.prefix })
  for (const record of directory.records.toSorted((a, b) => a.start - b.start)) {
    const bytes = changes.get(record.name)
    if (bytes === null) continue
    const offset = length - directory.base
    if (bytes === undefined) {
      offsets.set(record, { offset })
      push({ start: record.start, end: record.end })
      continue
    }
    const packed = pack(bytes)
    offsets.set(record, { offset, packed })
    push(localHeader(zip, record, packed))
    push(packed.data)
  }
  const added: Buffer[] = []
  const known = new Set(directory.records.map(({ name }) => name))
  for (const [name, bytes] of changes) {
    if (bytes === null || known.has(name)) continue
    const packed = pack(bytes)
    added.push(newCentral(name, packed, length - directory.base))
    push(newLocal(name, packed))
    push(packed.data)
  }
  const kept = directory.records.flatMap((record) => {
    const now = offsets.get(record)
    return now === undefined ? [] : [patchedCentral(zip, record, now)]
  })
  const central = Buffer.concat([...kept, ...added])
  const offset = length - directory.base
  push(central)
  push(endRecords({ count: kept.length + added.length, length: central.length, offset, directory }))
  return pieces
}

interface Packed {
  data: Uint8Array
  size: number
  crc: number
  method: number
}

function pack(bytes: Uint8Array): Packed {
  const deflated = deflateRawSync(bytes)
  const isSmaller = deflated.length < bytes.length
  return { data: isSmaller ? deflated : bytes, size: bytes.length, crc: crc32(bytes), method: isSmaller ? 8 : 0 }
}

/** Keeps the name and time of a replaced record. Its sizes are in the header, so it needs no data descriptor. */
function localHeader(zip: Buffer, { start }: ZipRecord, packed: Packed): Buffer {
  const nameLength = zip.readUInt16LE(start + 26)
  const header = Buffer.from(zip.subarray(start, start + 30 + nameLength))
  writeFields(header, 6, packed)
  header.writeUInt16LE(0, 28)
  return header
}

function patchedCentral(
  zip: Buffer,
  { central, flags }: ZipRecord,
  { offset, packed }: { offset: number; packed?: Packed },
): Buffer {
  if (offset >= unknown32) throw new Error('The file would be too large.')
  const bytes = Buffer.from(zip.subarray(central.start, central.end))
  const name = bytes.subarray(46, 46 + central.nameLength)
  const comment = bytes.subarray(46 + central.nameLength + central.extraLength)
  if (packed === undefined) {
    if (bytes.readUInt32LE(42) === unknown32) patchZip64Offset(bytes, central, offset)
    else bytes.writeUInt32LE(offset, 42)
    return bytes
  }
  const header = Buffer.from(bytes.subarray(0, 46))
  header.writeUInt16LE(flags, 8)
  writeFields(header, 8, packed)
  header.writeUInt16LE(0, 30)
  header.writeUInt32LE(offset, 42)
  return Buffer.concat([header, name, comment])
}

/** Flags, method, checksum and sizes, which follow each other in both headers around the time. */
function writeFields(header: Buffer, at: number, { data, size, crc, method }: Packed): void {
  header.writeUInt16LE(Math.min(header.readUInt16LE(at - 2), 20), at - 2)
  header.writeUInt16LE(header.readUInt16LE(at) & ~0x0e, at)
  header.writeUInt16LE(method, at + 2)
  header.writeUInt32LE(crc, at + 8)
  header.writeUInt32LE(data.length, at + 12)
  header.writeUInt32LE(size, at + 16)
}

/** The first day that a zip can name. Archives with new entries are then the same for the same content. */
const firstDay = 0x21

function newLocal(name: string, packed: Packed): Buffer {
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(20, 4)
  header.writeUInt16LE(0x800, 6)
  header.writeUInt16LE(firstDay, 12)
  writeFields(header, 6, packed)
  const bytes = Buffer.from(name)
  header.writeUInt16LE(bytes.length, 26)
  return Buffer.concat([header, bytes])
}

function newCentral(name: string, packed: Packed, offset: number): Buffer {
  const header = Buffer.alloc(46)
  header.writeUInt32LE(0x02014b50, 0)
  header.writeUInt16LE(20, 4)
  header.writeUInt16LE(20, 6)
  header.writeUInt16LE(0x800, 8)
  header.writeUInt16LE(firstDay, 14)
  writeFields(header, 8, packed)
  const bytes = Buffer.from(name)
  header.writeUInt16LE(bytes.length, 28)
  header.writeUInt32LE(offset, 42)
  return Buffer.concat([header, bytes])
}

interface End {
  count: number
  length: number
  offset: number
  isZip64: boolean
  /** Required end of the directory. */
  endStart: number
}

function readEnd(zip: Buffer, end: number): End {
  const plain = {
    count: zip.readUInt16LE(end + 10),
    length: zip.readUInt32LE(end + 12),
    offset: zip.readUInt32LE(end + 16),
    isZip64: false,
    endStart: end,
  }
  const locator = end - 20
  if (locator < 0 || zip.readUInt32LE(locator) !== 0x07064b50) return plain
  // Something before the archive shifts the record, so it is looked for, too.
  let at = Number(zip.readBigUInt64LE(locator + 8))
  if (at + 56 > locator || zip.readUInt32LE(at) !== 0x06064b50)
    at = zip.lastIndexOf(Buffer.from('PK\u0006\u0006', 'latin1'), locator)
  if (at < 0 || at + 56 > locator) throw damaged()
  return {
    count: Number(zip.readBigUInt64LE(at + 32)),
    length: Number(zip.readBigUInt64LE(at + 40)),
    offset: Number(zip.readBigUInt64LE(at + 48)),
    isZip64: true,
    endStart: at,
  }
}

function readSizes(
  zip: Buffer,
  at: number,
  nameLength: number,
  extraLength: number,
): { size: number; packed: number; local: number } {
  let packed = zip.readUInt32LE(at + 20)
  let size = zip.readUInt32LE(at + 24)
  let local = zip.readUInt32LE(at + 42)
  if (size !== unknown32 && packed !== unknown32 && local !== unknown32) return { size, packed, local }
  const field = zip64Field(zip, at + 46 + nameLength, extraLength)
  if (field === undefined) throw damaged()
  let next = field.start
  const take = (): number => {
    if (next + 8 > field.end) throw damaged()
    const value = Number(zip.readBigUInt64LE(next))
    next += 8
    return value
  }
  if (size === unknown32) size = take()
  if (packed === unknown32) packed = take()
  if (local === unknown32) local = take()
  return { size, packed, local }
}

function patchZip64Offset(bytes: Buffer, central: ZipRecord['central'], offset: number): void {
  const field = zip64Field(bytes, 46 + central.nameLength, central.extraLength)
  if (field === undefined) throw damaged()
  const before = (bytes.readUInt32LE(24) === unknown32 ? 8 : 0) + (bytes.readUInt32LE(20) === unknown32 ? 8 : 0)
  bytes.writeBigUInt64LE(BigInt(offset), field.start + before)
}

function zip64Field(bytes: Buffer, from: number, length: number): { start: number; end: number } | undefined {
  for (let at = from; at + 4 <= from + length;) {
    const end = at + 4 + bytes.readUInt16LE(at + 2)
    if (bytes.readUInt16LE(at) === 1 && end <= from + length) return { start: at + 4, end }
    at = end
  }
  return undefined
}

function endRecords(given: { count: number; length: number; offset: number; directory: ZipDirectory }): Buffer {
  const { count, length, offset, directory } = given
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Math.min(count, 0xffff), 8)
  end.writeUInt16LE(Math.min(count, 0xffff), 10)
  end.writeUInt32LE(length, 12)
  end.writeUInt32LE(offset, 16)
  end.writeUInt16LE(directory.comment.length, 20)
  const tail = [end, directory.comment]
  if (!directory.isZip64) return Buffer.concat(tail)
  const end64 = Buffer.alloc(56)
  end64.writeUInt32LE(0x06064b50, 0)
  end64.writeBigUInt64LE(44n, 4)
  end64.writeUInt16LE(45, 12)
  end64.writeUInt16LE(45, 14)
  end64.writeBigUInt64LE(BigInt(count), 24)
  end64.writeBigUInt64LE(BigInt(count), 32)
  end64.writeBigUInt64LE(BigInt(length), 40)
  end64.writeBigUInt64LE(BigInt(offset), 48)
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeBigUInt64LE(BigInt(directory.base + offset + length), 8)
  locator.writeUInt32LE(1, 16)
  return Buffer.concat([end64, locator, ...tail])
}

function dataStart(zip: Buffer, { start }: ZipRecord): number {
  return start + 30 + zip.readUInt16LE(start + 26) + zip.readUInt16LE(start + 28)
}

function damaged(): Error {
  return new Error('The file is damaged: it is not a complete zip archive.')
}

/** An archive without entries, to build new files from. */
export function emptyZip(): Buffer {
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  return end
}

export function joinPieces(zip: Uint8Array, pieces: readonly ZipPiece[]): Buffer {
  return Buffer.concat(
    pieces.map((piece) => (piece instanceof Uint8Array ? piece : zip.subarray(piece.start, piece.end))),
  )
}
