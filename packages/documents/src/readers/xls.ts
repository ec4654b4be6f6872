import { defineReader, type DocumentSource } from '../reader.ts'
import { openXls } from '../sheets/open-xls.ts'
import { readWorkbook } from '../sheets/read-workbook.ts'
import { hasZipEntry } from '../zip/has-entry.ts'
import { checkEntries, openZipFile } from '../zip/zip-file.ts'

const title = 'an Excel workbook in a binary format'
const mediaType = 'application/vnd.ms-excel'
const maxBytes = 64 * 2 ** 20
const maxUnpackedBytes = 256 * 2 ** 20

export default defineReader({
  title,
  extensions: ['xls', 'xlt', 'xla', 'xlsb'],
  mediaTypes: [mediaType, 'application/vnd.ms-excel.sheet.binary.macroEnabled.12'],
  async matches(head, source) {
    if (isCompoundFile(head)) return hasStream(head, source, /^(workbook|book)$/i)
    // Excel 2 to 4 had no container, and Excel 2003 could write one XML file.
    return isBareWorkbook(head) || isXmlWorkbook(head) || hasZipEntry(head, source, /(^|\/)xl\/workbook\.bin$/i)
  },
  async read(source, part) {
    if ((await source.bytesAt(0, 2)).toString('latin1') === 'PK') await checkZip(source)
    const workbook = await openXls(await source.bytes(maxBytes))
    return { format: 'xls', title, mediaType, ...(await readWorkbook(workbook, part, () => source.isLate())) }
  },
})

/** The library checks nothing that it unpacks, and loops in damaged parts. */
async function checkZip({ path: file }: DocumentSource): Promise<void> {
  const zip = await openZipFile(file)
  try {
    await checkEntries(zip, maxUnpackedBytes)
  } finally {
    await zip.close()
  }
}

/** The first record says the version, its own length, and that this is a sheet, chart, macro or workbook. */
function isBareWorkbook(head: Buffer): boolean {
  if (head.length < 16 || head[0] !== 0x09 || ![0, 2, 4, 8].includes(head[1]!)) return false
  const length = head.readUInt16LE(2)
  return length >= 4 && length <= 16 && [0x05, 0x10, 0x20, 0x40, 0x01_00].includes(head.readUInt16LE(6))
}

function isXmlWorkbook(head: Buffer): boolean {
  const start = head.toString('latin1').replaceAll('\0', '')
  return (
    start.includes('urn:schemas-microsoft-com:office:spreadsheet') &&
    /<\?mso-application[^>]*Excel\.Sheet|<(\w+:)?Workbook\b/.test(start)
  )
}

function isCompoundFile(head: Buffer): boolean {
  return head.length >= 512 && head.readUInt32LE(0) === 0xe0_11_cf_d0 && head.readUInt32LE(4) === 0xe1_1a_b1_a1
}

/** Looks for a stream in the directory of an OLE file. A directory that is in several places is followed. */
async function hasStream(head: Buffer, source: DocumentSource, name: RegExp): Promise<boolean> {
  const sectorSize = 1 << Math.min(12, Math.max(9, head.readUInt16LE(30)))
  const sectorAt = (sector: number): Promise<Buffer> => source.bytesAt((sector + 1) * sectorSize, sectorSize)
  const isEncrypted = /\.xls[xmb]?$/i.test(source.name)
  let sector = head.readUInt32LE(48)
  for (let count = 0; count < 64 && sector < 0xff_ff_ff_fa; count++) {
    const entries = await sectorAt(sector)
    for (let at = 0; at + 128 <= entries.length; at += 128) {
      const length = entries.readUInt16LE(at + 64)
      const entry = entries.toString('utf16le', at, at + Math.max(0, Math.min(64, length) - 2))
      if (name.test(entry) || (isEncrypted && entry === 'EncryptedPackage')) return true
    }
    // The first 109 sectors of the allocation table are named in the header, enough for 6.8 MB and more.
    const perSector = sectorSize / 4
    const table = Math.floor(sector / perSector)
    if (table >= 109) return false
    const allocation = await sectorAt(head.readUInt32LE(76 + table * 4))
    const at = (sector % perSector) * 4
    if (at + 4 > allocation.length) return false
    sector = allocation.readUInt32LE(at)
  }
  return false
}
