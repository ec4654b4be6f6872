import type { ArchiveEntry } from './entries.ts'

const blockSize = 512
const maxEntries = 200_000
const longestName = 65_536

export interface TarListing {
  entries: ArchiveEntry[]
  /** The archive has more entries than were read, or is cut off. */
  isPartial: boolean
}

/** A stream of bytes that can be skipped. */
export interface ByteReader {
  /** Fewer bytes at the end. */
  take(length: number): Promise<Buffer>
  skip(length: number): Promise<void>
}

export function isTar(head: Buffer): boolean {
  if (head.length < blockSize) return false
  if (head.toString('latin1', 257, 262) === 'ustar') return true
  return /^[^\0]{1,100}\0/.test(head.toString('latin1', 0, 101)) && isHeader(head)
}

/** Lists a tar by its headers, and unpacks nothing. */
export async function listTar(bytes: ByteReader, isLate: () => boolean): Promise<TarListing> {
  const entries: ArchiveEntry[] = []
  let longName: string | undefined
  let longLink: string | undefined
  while (entries.length < maxEntries) {
    if (isLate()) return { entries, isPartial: true }
    const header = await bytes.take(blockSize)
    if (header.length < blockSize) return { entries, isPartial: header.length > 0 || entries.length === 0 }
    if (header.every((byte) => byte === 0)) return { entries, isPartial: false }
    if (!isHeader(header)) return { entries, isPartial: true }
    const size = sizeOf(header)
    const padded = Math.ceil(size / blockSize) * blockSize
    const kind = String.fromCharCode(header[156] ?? 0)
    if ('LKxg'.includes(kind) && size <= longestName) {
      const content = (await bytes.take(padded)).subarray(0, size).toString('utf8')
      if (kind === 'L') longName = content.replace(/\0.*$/s, '')
      if (kind === 'K') longLink = content.replace(/\0.*$/s, '')
      if (kind === 'x') {
        longName = /^\d+ path=(.*)$/m.exec(content)?.[1] ?? longName
        longLink = /^\d+ linkpath=(.*)$/m.exec(content)?.[1] ?? longLink
      }
      continue
    }
    const name = longName ?? nameOf(header)
    const isLink = kind === '1' || kind === '2'
    if (kind !== '5' && kind !== 'g' && !name.endsWith('/'))
      entries.push({ name, size: isLink ? 0 : size, link: isLink ? (longLink ?? text(header, 157, 100)) : undefined })
    longName = undefined
    longLink = undefined
    await bytes.skip(isLink ? 0 : padded)
  }
  return { entries, isPartial: true }
}

function nameOf(header: Buffer): string {
  const prefix = header.toString('latin1', 257, 263) === 'ustar\0' ? text(header, 345, 155) : ''
  return prefix === '' ? text(header, 0, 100) : `${prefix}/${text(header, 0, 100)}`
}

function text(header: Buffer, at: number, length: number): string {
  return header.toString('utf8', at, at + length).replace(/\0.*$/s, '')
}

/** Sizes over 8 GB are in binary, marked by the first bit. */
function sizeOf(header: Buffer): number {
  if ((header[124]! & 0x80) !== 0) return Math.min(Number.MAX_SAFE_INTEGER, Number(header.readBigUInt64BE(128)))
  const size = Number.parseInt(text(header, 124, 12).trim(), 8)
  return Number.isNaN(size) ? 0 : size
}

/** The checksum counts itself as spaces. */
function isHeader(header: Buffer): boolean {
  let sum = 8 * 0x20
  for (let at = 0; at < blockSize; at++) if (at < 148 || at >= 156) sum += header[at]!
  return Number.parseInt(text(header, 148, 8).trim(), 8) === sum
}
