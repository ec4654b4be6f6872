import { defineReader } from '../reader.ts'
import { openCsv } from '../sheets/open-csv.ts'
import { readWorkbook } from '../sheets/read-workbook.ts'

const title = 'a table of separated values'
const mediaType = 'text/csv'

/** Lines with the same number of values. */
function isTable(text: string): boolean {
  const lines = text
    .replace(/"(?:[^"]|"")*"/g, '')
    .split(/\r\n|\r|\n/)
    .slice(0, 50)
    .filter((line) => line.trim() !== '')
  if (/^\s*[<{[]/.test(text)) return false
  if (lines.length > 2) lines.pop()
  return ['\t', ';', ',', '|'].some((delimiter) => {
    const counts = lines.map((line) => line.split(delimiter).length)
    const usual = counts.toSorted((a, b) => a - b)[Math.floor(counts.length / 2)] ?? 1
    return usual > 1 && counts.filter((count) => count === usual).length * 4 >= counts.length * 3
  })
}

export default defineReader({
  title,
  extensions: ['csv', 'tsv', 'tab'],
  mediaTypes: [mediaType, 'text/tab-separated-values'],
  // Any text could be one column of values, so the name must be that of a table.
  looksLike: (text, kind) => /^(xls|xlsx|ods|parquet)$/.test(kind ?? '') && isTable(text),
  async read(source, { sheet: _, ...part }) {
    const workbook = await openCsv(source)
    return { format: 'csv', title, mediaType, ...(await readWorkbook(workbook, part, () => source.isLate())) }
  },
})
