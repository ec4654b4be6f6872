/** Properties of a stretch of text, by its place in the stream. */
export interface FormatRun<T> {
  from: number
  to: number
  format: T
}

export interface ParagraphFormat {
  /** Number of its style. 1 to 9 are headings. */
  style: number
  isInTable: boolean
  isRowEnd: boolean
  isList: boolean
  listLevel: number
}

export interface CharacterFormat {
  isBold: boolean
  isItalic: boolean
  isHidden: boolean
  isDeleted: boolean
  isInserted: boolean
}

const pageSize = 512
const maxRuns = 2_000_000

export function paragraphRuns(stream: Buffer, table: Buffer, at: number, length: number): FormatRun<ParagraphFormat>[] {
  return formatRuns(stream, table, at, length, 13, (page, place) => {
    const start = place * 2
    if (place === 0 || start + 2 > pageSize)
      return { style: 0, isInTable: false, isRowEnd: false, isList: false, listLevel: 0 }
    const words = page[start]!
    const from = words === 0 ? start + 2 : start + 1
    const size = words === 0 ? page[start + 1]! * 2 : words * 2 - 1
    const properties = page.subarray(from, Math.min(pageSize, from + size))
    const format = {
      style: properties.length >= 2 ? properties.readUInt16LE(0) : 0,
      isInTable: false,
      isRowEnd: false,
      isList: false,
      listLevel: 0,
    }
    eachProperty(properties.subarray(2), (code, value) => {
      if (code === 0x2416) format.isInTable = value !== 0
      if (code === 0x2417) format.isRowEnd = value !== 0
      if (code === 0x260a) format.listLevel = Math.min(8, value)
      if (code === 0x460b) format.isList = value !== 0
    })
    return format
  })
}

export function characterRuns(stream: Buffer, table: Buffer, at: number, length: number): FormatRun<CharacterFormat>[] {
  return formatRuns(stream, table, at, length, 1, (page, place) => {
    const format = { isBold: false, isItalic: false, isHidden: false, isDeleted: false, isInserted: false }
    if (place === 0) return format
    const size = page[place * 2] ?? 0
    eachProperty(page.subarray(place * 2 + 1, Math.min(pageSize, place * 2 + 1 + size)), (code, value) => {
      const isOn = (value & 0x7f) === 1
      if (code === 0x0835) format.isBold = isOn
      if (code === 0x0836) format.isItalic = isOn
      if (code === 0x083c) format.isHidden = isOn
      if (code === 0x0800) format.isDeleted = isOn
      if (code === 0x0801) format.isInserted = isOn
    })
    return format
  })
}

/** Formats are in pages of 512 bytes, each with the places in the stream that its formats apply to. */
function formatRuns<T>(
  stream: Buffer,
  table: Buffer,
  at: number,
  length: number,
  entrySize: number,
  read: (page: Buffer, place: number) => T,
): FormatRun<T>[] {
  const runs: FormatRun<T>[] = []
  const pages = table.subarray(at, at + length)
  const count = Math.floor((pages.length - 4) / 8)
  for (let index = 0; index < count && runs.length < maxRuns; index++) {
    const number = pages.readUInt32LE((count + 1) * 4 + index * 4) & 0x3fffff
    const page = stream.subarray(number * pageSize, (number + 1) * pageSize)
    if (page.length < pageSize) continue
    const entries = page[pageSize - 1]!
    if ((entries + 1) * 4 + entries * entrySize > pageSize) continue
    for (let entry = 0; entry < entries; entry++)
      runs.push({
        from: page.readUInt32LE(entry * 4),
        to: page.readUInt32LE(entry * 4 + 4),
        format: read(page, page[(entries + 1) * 4 + entry * entrySize]!),
      })
  }
  return runs.toSorted((a, b) => a.from - b.from)
}

/** The run that covers a place. */
export function runAt<T>(runs: readonly FormatRun<T>[], place: number): FormatRun<T> | undefined {
  let low = 0
  let high = runs.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const run = runs[middle]!
    if (place < run.from) high = middle - 1
    else if (place >= run.to) low = middle + 1
    else return run
  }
  return undefined
}

/** Each property is a code, whose upper bits say how long its value is. */
function eachProperty(bytes: Buffer, callback: (code: number, value: number) => void): void {
  let at = 0
  while (at + 2 < bytes.length) {
    const code = bytes.readUInt16LE(at)
    at += 2
    const kind = code >> 13
    if (kind === 6) {
      const size = code === 0xd608 ? (at + 2 <= bytes.length ? bytes.readUInt16LE(at) + 1 : 0) : bytes[at]! + 1
      at += Math.max(1, size)
      continue
    }
    const size = kind === 3 ? 4 : kind === 7 ? 3 : kind < 2 ? 1 : 2
    if (at + size > bytes.length) return
    callback(code, bytes.readUIntLE(at, size))
    at += size
  }
}
