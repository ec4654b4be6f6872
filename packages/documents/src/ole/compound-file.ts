export interface CompoundEntry {
  /** From the root: `VBA/Module1`. */
  path: string
  isStorage: boolean
  size: number
}

/** An OLE compound file: a small file system that old Office formats and Outlook messages are stored in. */
export interface CompoundFile {
  entries: readonly CompoundEntry[]
  has(path: string): boolean
  /** Bytes of a stream, by its path in any case. Undefined if there is none. */
  stream(path: string): Buffer | undefined
}

const endOfChain = 0xfffffffe
const maxEntries = 100_000
const maxDepth = 100

export function isCompoundFile(bytes: Uint8Array): boolean {
  return [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1].every((byte, index) => bytes[index] === byte)
}

/** Every chain of sectors is followed at most as far as the file has sectors, so cycles end. */
export function openCompoundFile(bytes: Buffer): CompoundFile {
  if (!isCompoundFile(bytes) || bytes.length < 512) throw damaged()
  const sectorSize = 1 << bytes.readUInt16LE(30)
  const smallSize = 1 << bytes.readUInt16LE(32)
  if ((sectorSize !== 512 && sectorSize !== 4096) || smallSize < 8 || smallSize > sectorSize) throw damaged()
  const sectors = Math.ceil(bytes.length / sectorSize)
  const sector = (id: number): Buffer => {
    const start = (id + 1) * sectorSize
    return bytes.subarray(start, Math.min(bytes.length, start + sectorSize))
  }
  const table = readTable(bytes, sector, sectors)
  const chain = (first: number, length: number): Buffer => {
    const pieces: Buffer[] = []
    let left = length
    let id = first
    for (let steps = 0; id < endOfChain && left > 0 && steps <= sectors; steps++) {
      const piece = sector(id)
      if (piece.length === 0) break
      pieces.push(piece.subarray(0, left))
      left -= piece.length
      id = table[id] ?? endOfChain
    }
    return Buffer.concat(pieces)
  }
  const directory = chain(bytes.readUInt32LE(48), sectors * sectorSize)
  const nodes = readNodes(directory)
  const root = nodes[0]
  if (root === undefined) throw damaged()
  const smallTable = chain(bytes.readUInt32LE(60), bytes.readUInt32LE(64) * sectorSize)
  let smallData: Buffer | undefined
  const smallChain = (first: number, length: number): Buffer => {
    smallData ??= chain(root.first, root.size)
    const pieces: Buffer[] = []
    let left = length
    let id = first
    for (let steps = 0; id < endOfChain && left > 0 && steps * 4 <= smallTable.length; steps++) {
      const piece = smallData.subarray(id * smallSize, Math.min(smallData.length, (id + 1) * smallSize))
      if (piece.length === 0) break
      pieces.push(piece.subarray(0, left))
      left -= piece.length
      id = id * 4 + 4 <= smallTable.length ? smallTable.readUInt32LE(id * 4) : endOfChain
    }
    return Buffer.concat(pieces)
  }
  const cutoff = bytes.readUInt32LE(56)
  const found = new Map<string, Node & { path: string }>()
  walk(nodes, root.child, '', 0, found, new Set())
  return {
    entries: [...found.values()].map(({ path, isStorage, size }) => ({ path, isStorage, size })),
    has: (path) => found.has(path.toLowerCase()),
    stream(path) {
      const node = found.get(path.toLowerCase())
      if (node === undefined || node.isStorage) return undefined
      return node.size < cutoff ? smallChain(node.first, node.size) : chain(node.first, node.size)
    },
  }
}

/** The table that links each sector to the next one of its stream. */
function readTable(bytes: Buffer, sector: (id: number) => Buffer, sectors: number): Uint32Array {
  const parts: number[] = []
  for (let index = 0; index < 109; index++) parts.push(bytes.readUInt32LE(76 + index * 4))
  let more = bytes.readUInt32LE(68)
  for (let steps = 0; more < endOfChain && steps <= sectors; steps++) {
    const block = sector(more)
    if (block.length < 8) break
    for (let at = 0; at + 8 <= block.length; at += 4) parts.push(block.readUInt32LE(at))
    more = block.readUInt32LE(block.length - 4)
  }
  const table = new Uint32Array(sectors + 1).fill(endOfChain)
  let at = 0
  for (const id of parts) {
    if (id >= endOfChain) continue
    const block = sector(id)
    for (let offset = 0; offset + 4 <= block.length && at < table.length; offset += 4)
      table[at++] = block.readUInt32LE(offset)
    if (at >= table.length) break
  }
  return table
}

interface Node {
  name: string
  isStorage: boolean
  left: number
  right: number
  child: number
  first: number
  size: number
}

function readNodes(directory: Buffer): (Node | undefined)[] {
  const nodes: (Node | undefined)[] = []
  for (let at = 0; at + 128 <= directory.length && nodes.length < maxEntries; at += 128) {
    const kind = directory[at + 66]
    const nameBytes = Math.min(64, directory.readUInt16LE(at + 64))
    if (kind !== 1 && kind !== 2 && kind !== 5) {
      nodes.push(undefined)
      continue
    }
    nodes.push({
      name: directory.toString('utf16le', at, at + Math.max(0, nameBytes - 2)),
      isStorage: kind !== 2,
      left: directory.readUInt32LE(at + 68),
      right: directory.readUInt32LE(at + 72),
      child: directory.readUInt32LE(at + 76),
      first: directory.readUInt32LE(at + 116),
      // Sizes have 32 bits in version 3, where the upper half may be noise.
      size: directory.readUInt32LE(at + 120),
    })
  }
  return nodes
}

function walk(
  nodes: readonly (Node | undefined)[],
  first: number,
  folder: string,
  depth: number,
  found: Map<string, Node & { path: string }>,
  seen: Set<number>,
): void {
  if (depth > maxDepth) return
  // Siblings form a tree, which a damaged file may turn into a ring.
  const waiting = [first]
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const node = nodes[id]
    if (node === undefined || seen.has(id)) continue
    seen.add(id)
    const path = folder === '' ? node.name : `${folder}/${node.name}`
    if (!found.has(path.toLowerCase())) found.set(path.toLowerCase(), { ...node, path })
    if (node.isStorage) walk(nodes, node.child, path, depth + 1, found, seen)
    waiting.push(node.left, node.right)
  }
}

function damaged(): Error {
  return new Error('The file is damaged: its compound file header cannot be read. Ask for another copy.')
}
