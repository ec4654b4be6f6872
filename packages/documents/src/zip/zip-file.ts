import { isUtf8 } from 'node:buffer'
import { type FileHandle, open } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import { crc32, createInflateRaw, inflateRawSync } from 'node:zlib'
import { setImmediate as nextTurn } from 'node:timers/promises'

export interface ZipEntry {
  name: string
  /** Declared size. More bytes are an error. */
  size: number
  isEncrypted: boolean
  /** Yields unpacked bytes. Throws if they do not match the zip directory. */
  read(): AsyncIterable<Uint8Array>
}

/** The zip is damaged, or holds what is not read. The message names no file and has no period. */
export class ZipError extends Error {
  override name = 'ZipError'
}

export interface ZipFile {
  entries: ZipEntry[]
  close(): Promise<void>
}

const maxEntries = 200_000
const maxDirectoryBytes = 64 * 1024 * 1024
/** Maximum compression ratio of an entry beyond its first MiB. */
const maxRatio = 200
const chunkBytes = 1 << 18
const smallBytes = 1 << 16

/**
 * Reads a zip from disk in pieces, regardless of its size. Supports stored and deflated entries, without encryption or
 * overlapping data. Unpacks nothing to a path, so names are harmless.
 */
export async function openZipFile(path: string): Promise<ZipFile> {
  const file = await open(path, 'r')
  try {
    return { entries: await readDirectory(file), close: () => file.close() }
  } catch (error) {
    await file.close()
    throw error
  }
}

async function readDirectory(file: FileHandle): Promise<ZipEntry[]> {
  const { size } = await file.stat()
  const { count, length, start } = await findDirectory(file, size)
  if (count > maxEntries || length > maxDirectoryBytes || start + length > size) throw broken()
  const directory = await bytesAt(file, start, length)
  const placed: { from: number; to: number }[] = []
  const entries: ZipEntry[] = []
  let at = 0
  for (let i = 0; i < count; i++) {
    // Servers read large directories on their main thread.
    if (i % 500 === 499) await nextTurn()
    if (at + 46 > directory.length || directory.readUInt32LE(at) !== 0x02014b50) throw broken()
    const nameLength = directory.readUInt16LE(at + 28)
    const extra = directory.readUInt16LE(at + 30)
    const comment = directory.readUInt16LE(at + 32)
    const crc = directory.readUInt32LE(at + 16)
    const flags = directory.readUInt16LE(at + 8)
    const method = directory.readUInt16LE(at + 10)
    const name = decodeName(directory.subarray(at + 46, at + 46 + nameLength))
    const { packed, unpacked, local } = placeOf(directory, at, at + 46 + nameLength, extra)
    at += 46 + nameLength + extra + comment
    if (name.endsWith('/')) continue
    placed.push({ from: local, to: local + 30 + nameLength + packed })
    const isEncrypted = (flags & 1) !== 0
    const read = (): AsyncIterable<Uint8Array> => {
      if (isEncrypted) throw new ZipError(`${name.slice(0, 200)} is encrypted`)
      if (method !== 0 && method !== 8)
        throw new ZipError(`${name.slice(0, 200)} uses an unsupported compression method`)
      if (unpacked > 1024 * 1024 && unpacked > packed * maxRatio)
        throw new ZipError(`${name.slice(0, 200)} would expand to more than ${maxRatio} times its size`)
      return unpack(file, { name, crc, packed, size: unpacked, local, deflated: method === 8 })
    }
    entries.push({ name, size: unpacked, isEncrypted, read })
  }
  placed.sort((a, b) => a.from - b.from)
  for (const [i, { from }] of placed.entries()) if (from < (placed[i - 1]?.to ?? 0)) throw broken()
  return entries
}

/** The directory is named by the last record, or by the record before it in archives over 4 GiB or 65,534 files (zip64). */
async function findDirectory(
  file: FileHandle,
  size: number,
): Promise<{ count: number; length: number; start: number }> {
  const tail = await bytesAt(file, Math.max(0, size - 22 - 0xffff - 20), Math.min(size, 22 + 0xffff + 20))
  const end = tail.lastIndexOf(Buffer.from('PK\u0005\u0006', 'latin1'))
  if (end === -1 || end + 22 > tail.length) throw broken()
  const count = tail.readUInt16LE(end + 10)
  const length = tail.readUInt32LE(end + 12)
  const start = tail.readUInt32LE(end + 16)
  if (count !== 0xffff && length !== 0xffffffff && start !== 0xffffffff) return { count, length, start }
  const locator = end - 20
  if (locator < 0 || tail.readUInt32LE(locator) !== 0x07064b50) return { count, length, start }
  const record = await bytesAt(file, large(tail, locator + 8), 56)
  if (record.length < 56 || record.readUInt32LE(0) !== 0x06064b50) throw broken()
  return { count: large(record, 32), length: large(record, 40), start: large(record, 48) }
}

/** Sizes and place of an entry. Those that do not fit into 32 bits are in an extra field, in this order. */
function placeOf(
  directory: Buffer,
  at: number,
  extraStart: number,
  extraLength: number,
): { packed: number; unpacked: number; local: number } {
  let unpacked = directory.readUInt32LE(at + 24)
  let packed = directory.readUInt32LE(at + 20)
  let local = directory.readUInt32LE(at + 42)
  const end = Math.min(directory.length, extraStart + extraLength)
  for (let field = extraStart; field + 4 <= end; field += 4 + directory.readUInt16LE(field + 2)) {
    if (directory.readUInt16LE(field) !== 1) continue
    let value = field + 4
    const next = (): number => {
      if (value + 8 > end) throw broken()
      value += 8
      return large(directory, value - 8)
    }
    if (unpacked === 0xffffffff) unpacked = next()
    if (packed === 0xffffffff) packed = next()
    if (local === 0xffffffff) local = next()
    break
  }
  return { packed, unpacked, local }
}

/** Names are UTF-8, or in the code page of the program that made the zip: often Chinese, where bytes come in pairs. */
function decodeName(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8')
  const runs = bytes.toString('latin1').match(/[\u0080-\u00FF]+/g) ?? []
  return new TextDecoder(runs.every(({ length }) => length % 2 === 0) ? 'gb18030' : 'windows-1252').decode(bytes)
}

function large(bytes: Buffer, at: number): number {
  const value = bytes.readBigUInt64LE(at)
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw broken()
  return Number(value)
}

interface Located {
  name: string
  crc: number
  packed: number
  size: number
  local: number
  deflated: boolean
}

async function* unpack(file: FileHandle, entry: Located): AsyncGenerator<Uint8Array> {
  const head = await bytesAt(file, entry.local, 30)
  if (head.length < 30 || head.readUInt32LE(0) !== 0x04034b50) throw broken()
  const start = entry.local + 30 + head.readUInt16LE(26) + head.readUInt16LE(28)
  const raw = packedBytes(file, start, entry.packed)
  // Ends when the reader stops. Errors surface in the loop below.
  const bytes = entry.deflated && entry.packed > 0 ? inflated(raw, entry) : raw
  let size = 0
  let sum = 0
  try {
    for await (const chunk of bytes as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > entry.size) break
      sum = crc32(chunk, sum)
      yield chunk
    }
  } catch (error) {
    throw new ZipError(`${entry.name.slice(0, 200)} cannot be unpacked`, { cause: error })
  }
  if (size !== entry.size || sum !== entry.crc)
    throw new ZipError(`${entry.name.slice(0, 200)} does not match its entry in the zip`)
}

/** Throws unless all entries unpack to what the directory says, in `most` bytes. */
export async function checkEntries({ entries }: ZipFile, most: number): Promise<void> {
  if (entries.reduce((sum, { size }) => sum + size, 0) > most)
    throw new ZipError(`it would expand to more than ${Math.round(most / 2 ** 20)} MB`)
  for (const entry of entries) for await (const _ of entry.read());
}

/** Avoids a stream on the handle, which would add listeners for each entry. */
async function* packedBytes(file: FileHandle, start: number, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < length; at += chunkBytes) yield bytesAt(file, start + at, Math.min(chunkBytes, length - at))
}

/** Inflates small entries at once, since a stream per entry would be far slower with thousands of them. */
function inflated(raw: AsyncGenerator<Buffer>, { packed, size }: Located): AsyncIterable<Buffer> {
  if (packed <= smallBytes && size <= smallBytes) return inflateSmall(raw)
  return pipeline(raw, createInflateRaw(), () => undefined)
}

async function* inflateSmall(raw: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  for await (const bytes of raw) yield inflateRawSync(bytes, { maxOutputLength: smallBytes + 1 })
}

async function bytesAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length)
  let at = 0
  while (at < length) {
    const { bytesRead } = await file.read(bytes, at, length - at, position + at)
    if (bytesRead === 0) break
    at += bytesRead
  }
  return bytes.subarray(0, at)
}

function broken(): Error {
  return new ZipError('the zip is damaged')
}
