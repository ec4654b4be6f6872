const sectorSize = 512
const free = 0xffffffff
const endOfChain = 0xfffffffe

/** A compound file with these streams. A slash in a name makes a storage. */
export function makeCompound(streams: Readonly<Record<string, Uint8Array>>): Buffer {
  const sectors: Buffer[] = []
  const table: number[] = []
  const add = (bytes: Uint8Array): number => {
    if (bytes.length === 0) return endOfChain
    const first = sectors.length
    for (let at = 0; at < bytes.length; at += sectorSize) {
      const sector = Buffer.alloc(sectorSize)
      sector.set(bytes.subarray(at, at + sectorSize))
      sectors.push(sector)
      table.push(sectors.length)
    }
    table[table.length - 1] = endOfChain
    return first
  }
  const nodes: { name: string; kind: number; first: number; size: number; right: number; child: number }[] = [
    { name: 'Root Entry', kind: 5, first: endOfChain, size: 0, right: free, child: free },
  ]
  const folders = new Map<string, number>([['', 0]])
  const place = (folder: number, name: string, kind: number, bytes: Uint8Array): number => {
    const id = nodes.length
    nodes.push({ name, kind, first: add(bytes), size: bytes.length, right: nodes[folder]!.child, child: free })
    nodes[folder]!.child = id
    return id
  }
  for (const [path, bytes] of Object.entries(streams)) {
    const names = path.split('/')
    const last = names.pop()!
    let folder = 0
    for (const [index, name] of names.entries()) {
      const key = names.slice(0, index + 1).join('/')
      folder = folders.get(key) ?? place(folder, name, 1, new Uint8Array())
      folders.set(key, folder)
    }
    place(folder, last, 2, bytes)
  }
  const directory = Buffer.alloc(Math.ceil(nodes.length / 4) * sectorSize)
  for (const [index, { name, kind, first, size, right, child }] of nodes.entries()) {
    const at = index * 128
    directory.write(name, at, 'utf16le')
    directory.writeUInt16LE(name.length * 2 + 2, at + 64)
    directory[at + 66] = kind
    directory.writeUInt32LE(free, at + 68)
    directory.writeUInt32LE(right, at + 72)
    directory.writeUInt32LE(child, at + 76)
    directory.writeUInt32LE(first, at + 116)
    directory.writeUInt32LE(size, at + 120)
  }
  const directoryAt = add(directory)
  const tableAt = sectors.length
  const packed = Buffer.alloc(sectorSize, 0xff)
  for (const [index, next] of table.entries()) packed.writeUInt32LE(next, index * 4)
  sectors.push(packed)
  const header = Buffer.alloc(sectorSize, 0xff)
  header.fill(0, 0, 76)
  header.set([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1])
  header.writeUInt16LE(9, 30)
  header.writeUInt16LE(6, 32)
  header.writeUInt32LE(1, 44)
  header.writeUInt32LE(directoryAt, 48)
  header.writeUInt32LE(endOfChain, 60)
  header.writeUInt32LE(endOfChain, 68)
  header.writeUInt32LE(tableAt, 76)
  return Buffer.concat([header, ...sectors])
}
