import type { RawRecords } from './record-changes.ts'

export interface CsvDialect {
  delimiter: string
  /** Empty if there is none. */
  quote: string
  escape: string
  comment: string
  skipRows: number
  hasHeader: boolean
  columns: number
}

interface Slice {
  start: number
  end: number
  /** Start of what follows its line end. */
  next: number
}

export function csvRecords(text: string, dialect: CsvDialect): RawRecords {
  const { delimiter, quote, escape, comment, columns } = dialect
  const lines = [...csvLines(text, dialect)].filter(({ start, end }, index) => {
    if (index < dialect.skipRows) return false
    if (comment !== '' && text.startsWith(comment, start)) return false
    return end > start || columns === 1
  })
  // A single empty line at the end of a file with one column is no record.
  const last = lines.at(-1)
  if (last !== undefined && last.start === text.length) lines.pop()
  const records = dialect.hasHeader ? lines.slice(1) : lines
  const [first = lines[0]] = records
  const isQuoted = first === undefined ? [] : fieldsOf(text, first, dialect).map((field) => isQuotedField(field, quote))
  const lineEnd = (lines[0] && text.slice(lines[0].end, lines[0].next)) || '\n'

  return {
    count: records.length,
    apply({ deleted, changed, added }) {
      const pieces: string[] = []
      let at = 0
      for (const [index, record] of records.entries()) {
        pieces.push(text.slice(at, record.start))
        at = record.next
        if (deleted.has(index)) continue
        const cells = changed.get(index)
        pieces.push(cells === undefined ? text.slice(record.start, record.end) : changedRecord(record, cells))
        pieces.push(text.slice(record.end, record.next))
      }
      pieces.push(text.slice(at))
      const kept = pieces.join('')
      if (added.length === 0) return kept
      const rows = added.map((cells) =>
        cells.map((cell, column) => csvField(cell, isQuoted[column] === true)).join(delimiter),
      )
      const joined = rows.join(lineEnd)
      const endsLine = kept === '' || /[\r\n]$/.test(kept)
      return endsLine ? `${kept}${joined}${lineEnd}` : `${kept}${lineEnd}${joined}`
    },
  }

  function changedRecord(record: Slice, cells: ReadonlyMap<number, string | null>): string {
    const fields = fieldsOf(text, record, dialect)
    // A short record has no field for its last columns.
    while (fields.length < columns && [...cells.keys()].some((column) => column >= fields.length)) fields.push('')
    return fields
      .map((field, column) => {
        const cell = cells.get(column)
        return cell === undefined ? field : csvField(cell, isQuotedField(field, quote))
      })
      .join(delimiter)
  }

  /** A text that a spreadsheet would run as a formula gets an apostrophe in front. */
  function csvField(cell: string | null, wasQuoted: boolean): string {
    if (cell === null) return ''
    const isFormula = /^[=+\-@\t\r]/.test(cell) && !/^[+-]?[\d.]+(e[+-]?\d+)?$/i.test(cell)
    const value = isFormula ? `'${cell}` : cell
    const isPlain = value !== '' && value.trim() === value && !/[\r\n]/.test(value) && !value.includes(delimiter)
    if (isPlain && !wasQuoted && (quote === '' || !value.includes(quote)) && !(comment && value.startsWith(comment)))
      return value
    if (quote === '')
      throw new Error('The file has no quotes, so a value with a line break or separator cannot be written.')
    return `${quote}${value.replaceAll(quote, `${escape || quote}${quote}`)}${quote}`
  }
}

function isQuotedField(field: string, quote: string): boolean {
  return quote !== '' && field.startsWith(quote)
}

function* csvLines(text: string, { delimiter, quote, escape }: CsvDialect): Generator<Slice> {
  const byteOrderMark = text.startsWith('\uFEFF') ? 1 : 0
  let start = byteOrderMark
  let isFieldStart = true
  for (let at = start; at < text.length; at++) {
    const char = text[at] as string
    if (isFieldStart && quote !== '' && char === quote) {
      at = quotedEnd(text, at, quote, escape) - 1
      isFieldStart = false
    } else if (char === '\n' || char === '\r') {
      const next = char === '\r' && text[at + 1] === '\n' ? at + 2 : at + 1
      yield { start, end: at, next }
      start = next
      at = next - 1
      isFieldStart = true
    } else isFieldStart = text.startsWith(delimiter, at)
  }
  if (start < text.length) yield { start, end: text.length, next: text.length }
}

/** Position after the closing quote. */
function quotedEnd(text: string, start: number, quote: string, escape: string): number {
  for (let at = start + 1; at < text.length; at++) {
    const char = text[at]
    if (escape !== '' && escape !== quote && char === escape) at++
    else if (char === quote) {
      if (text[at + 1] !== quote) return at + 1
      at++
    }
  }
  return text.length
}

/** The fields of a record as they are written, with quotes. */
function fieldsOf(text: string, { start, end }: Slice, { delimiter, quote, escape }: CsvDialect): string[] {
  const fields: string[] = []
  let from = start
  let at = start
  while (at <= end) {
    if (at === from && quote !== '' && text[at] === quote) at = quotedEnd(text, at, quote, escape)
    if (at >= end || text.startsWith(delimiter, at)) {
      fields.push(text.slice(from, Math.min(at, end)))
      at += delimiter.length
      from = at
    } else at++
  }
  return fields
}
