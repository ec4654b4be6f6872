/** A record of an old presentation, which other records may be in. */
export interface PptRecord {
  type: number
  instance: number
  body: Buffer
  isContainer: boolean
}

const maxRecords = 2_000_000

/** Records one after the other. A damaged length ends the list. */
export function recordsIn(bytes: Buffer): PptRecord[] {
  const records: PptRecord[] = []
  for (let at = 0; at + 8 <= bytes.length && records.length < maxRecords;) {
    const record = recordAt(bytes, at)!
    records.push(record)
    at += 8 + Math.max(0, bytes.readUInt32LE(at + 4))
  }
  return records
}

export function recordAt(bytes: Buffer, at: number): PptRecord | undefined {
  if (at + 8 > bytes.length) return undefined
  const head = bytes.readUInt16LE(at)
  return {
    type: bytes.readUInt16LE(at + 2),
    instance: head >> 4,
    body: bytes.subarray(at + 8, at + 8 + bytes.readUInt32LE(at + 4)),
    isContainer: (head & 0xf) === 0xf,
  }
}
