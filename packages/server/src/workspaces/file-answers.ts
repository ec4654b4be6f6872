import { Buffer } from 'node:buffer'
import fs, { type BigIntStats, Dirent, type Stats } from 'node:fs'

/** Fields of the memory that both threads see: the last request that ended, and the last that was given up. */
export const ended = 0
export const givenUp = 1

/** A result of `node:fs` without classes, which are lost on the way between threads. */
export type Packed =
  | { stats: object; isBig: boolean }
  | { entries: { name: string; parentPath: string; type: number }[] }
  | { bytes: Uint8Array }
  | { plain: unknown }

export function packed(value: unknown): Packed {
  if (value instanceof fs.Stats) return { stats: Object.assign({}, value), isBig: false }
  if (value instanceof bigStats) return { stats: Object.assign({}, value), isBig: true }
  if (value instanceof Uint8Array) return { bytes: value }
  if (Array.isArray(value) && value[0] instanceof Dirent) {
    const entries = value as Dirent[]
    return {
      entries: entries.map((entry) => ({ name: entry.name, parentPath: entry.parentPath, type: typeOf(entry) })),
    }
  }
  return { plain: value }
}

export function unpacked(value: Packed): unknown {
  if ('stats' in value) {
    const kind = value.isBig ? bigStats : fs.Stats
    return Object.setPrototypeOf(value.stats, kind.prototype as object) as Stats | BigIntStats
  }
  if ('entries' in value) return value.entries.map(({ name, parentPath, type }) => new DirentOf(name, type, parentPath))
  if ('bytes' in value) return Buffer.from(value.bytes.buffer, value.bytes.byteOffset, value.bytes.byteLength)
  return value.plain
}

// The constructor has no documentation, and no other way makes an entry.
const DirentOf = Dirent as unknown as new (name: string, type: number, parentPath: string) => Dirent

const bigStats = fs.statSync('/', { bigint: true }).constructor as unknown as new () => BigIntStats

function typeOf(entry: Dirent): number {
  const { constants } = fs as unknown as { constants: Record<string, number> }
  const kinds: [boolean, string][] = [
    [entry.isFile(), 'UV_DIRENT_FILE'],
    [entry.isDirectory(), 'UV_DIRENT_DIR'],
    [entry.isSymbolicLink(), 'UV_DIRENT_LINK'],
    [entry.isFIFO(), 'UV_DIRENT_FIFO'],
    [entry.isSocket(), 'UV_DIRENT_SOCKET'],
    [entry.isCharacterDevice(), 'UV_DIRENT_CHAR'],
    [entry.isBlockDevice(), 'UV_DIRENT_BLOCK'],
  ]
  return constants[kinds.find(([isKind]) => isKind)?.[1] ?? 'UV_DIRENT_UNKNOWN'] ?? 0
}
