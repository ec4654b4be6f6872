import { Buffer } from 'node:buffer'
import { expect, test } from 'vitest'
import { emptyZip, joinPieces, readZipDirectory, readZipRecord, spliceZip } from './splice-zip.ts'

function splice(zip: Buffer, changes: Record<string, string | null>): Buffer {
  const bytes = Object.entries(changes).map(([name, text]) => [name, text === null ? null : Buffer.from(text)] as const)
  return joinPieces(zip, spliceZip(zip, readZipDirectory(zip), new Map(bytes)))
}

function contents(zip: Buffer): Record<string, string> {
  return Object.fromEntries(
    readZipDirectory(zip).records.map((record) => [record.name, readZipRecord(zip, record).toString()]),
  )
}

const raw = (zip: Buffer, name: string): string => {
  const { start, end } = readZipDirectory(zip).records.find((record) => record.name === name)!
  return zip.subarray(start, end).toString('hex')
}

const sample = splice(emptyZip(), { 'a.xml': '<a/>'.repeat(50), 'b.xml': '<b/>', 'c/d.xml': '中文' })

test('an entry is replaced, one is added and one removed; every other record keeps its bytes and place', () => {
  const changed = splice(sample, { 'a.xml': '<a>new</a>', 'b.xml': null, 'e.xml': '<e/>' })
  expect(contents(changed)).toEqual({ 'a.xml': '<a>new</a>', 'c/d.xml': '中文', 'e.xml': '<e/>' })
  expect(raw(changed, 'c/d.xml')).toBe(raw(sample, 'c/d.xml'))
})

test('without changes the archive stays as it is', () => {
  expect(splice(sample, {}).equals(sample)).toBe(true)
})

test('bytes before the archive and its comment are kept', () => {
  const end = Buffer.from(sample)
  end.writeUInt16LE(5, end.length - 2)
  const odd = Buffer.concat([Buffer.from('prefix'), end, Buffer.from('hello')])
  const changed = splice(odd, { 'a.xml': 'x' })
  expect(changed.subarray(0, 6).toString()).toBe('prefix')
  expect(changed.subarray(-5).toString()).toBe('hello')
  expect(contents(changed)).toMatchObject({ 'a.xml': 'x', 'b.xml': '<b/>' })
})

test('a zip64 archive with data descriptors stays one', () => {
  const zip = withZip64(sample)
  const changed = splice(zip, { 'b.xml': '<b>longer</b>' })
  expect(contents(changed)).toEqual({ ...contents(zip), 'b.xml': '<b>longer</b>' })
  expect(readZipDirectory(changed).isZip64).toBe(true)
})

test('a truncated archive and overlapping records are refused', () => {
  expect(() => readZipDirectory(sample.subarray(0, sample.length - 30))).toThrow('damaged')
  const { records } = readZipDirectory(sample)
  const overlapping = Buffer.from(sample)
  overlapping.writeUInt32LE(records[0]!.start, records[1]!.central.start + 42)
  expect(() => readZipDirectory(overlapping)).toThrow('damaged')
})

test('an entry that lies about its size is refused', () => {
  const lying = Buffer.from(sample)
  const [first] = readZipDirectory(sample).records
  lying.writeUInt32LE(7, first!.central.start + 24)
  expect(() => readZipRecord(lying, readZipDirectory(lying).records[0]!)).toThrow('damaged')
})

/** Rewrites the end of an archive in the zip64 form, with the offset of the second entry in an extra field. */
function withZip64(zip: Buffer): Buffer {
  const { records, start } = readZipDirectory(zip)
  const central = records.map((record, i) => {
    const bytes = Buffer.from(zip.subarray(record.central.start, record.central.end))
    if (i !== 1) return bytes
    const extra = Buffer.alloc(12)
    extra.writeUInt16LE(1, 0)
    extra.writeUInt16LE(8, 2)
    extra.writeBigUInt64LE(BigInt(record.start), 4)
    bytes.writeUInt32LE(0xffffffff, 42)
    bytes.writeUInt16LE(12, 30)
    return Buffer.concat([bytes, extra])
  })
  const directory = Buffer.concat(central)
  const end64 = Buffer.alloc(56)
  end64.writeUInt32LE(0x06064b50, 0)
  end64.writeBigUInt64LE(44n, 4)
  end64.writeBigUInt64LE(3n, 32)
  end64.writeBigUInt64LE(BigInt(directory.length), 40)
  end64.writeBigUInt64LE(BigInt(start), 48)
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeBigUInt64LE(BigInt(start + directory.length), 8)
  const end = Buffer.from(zip.subarray(-22))
  end.writeUInt16LE(0xffff, 10)
  end.writeUInt32LE(0xffffffff, 12)
  end.writeUInt32LE(0xffffffff, 16)
  return Buffer.concat([zip.subarray(0, start), directory, end64, locator, end])
}
