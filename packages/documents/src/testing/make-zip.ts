import { crc32, deflateRawSync } from 'node:zlib'

/** A zip with these entries, in order. Strings are stored as UTF-8. `lie` has a false checksum or length. */
export function makeZip(
  entries: Readonly<Record<string, string | Uint8Array>>,
  lie: { crc?: number; size?: number } = {},
): Buffer {
  const records: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, content] of Object.entries(entries)) {
    const raw = Buffer.from(content)
    const packed = deflateRawSync(raw)
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(0x800, 2)
    fields.writeUInt16LE(8, 4)
    fields.writeUInt32LE(lie.crc ?? crc32(raw), 10)
    fields.writeUInt32LE(packed.length, 14)
    fields.writeUInt32LE(lie.size ?? raw.length, 18)
    fields.writeUInt16LE(Buffer.byteLength(name), 22)
    const record = Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), fields, Buffer.from(name), packed])
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    directory.push(
      Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0000', 'latin1'), fields, place, Buffer.from(name)]),
    )
    records.push(record)
    offset += record.length
  }
  const central = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(records.length, 4)
  end.writeUInt16LE(records.length, 6)
  end.writeUInt32LE(central.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...records, central, Buffer.from('PK\u0005\u0006', 'latin1'), end])
}
