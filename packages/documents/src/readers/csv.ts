import { defineReader } from '../reader.ts'
import { openCsv } from '../sheets/open-csv.ts'
import { readWorkbook } from '../sheets/read-workbook.ts'

const title = 'a table of separated values'
const mediaType = 'text/csv'

/** The extension decides: any text could be one column of values. */
export default defineReader({
  title,
  extensions: ['csv', 'tsv', 'tab'],
  mediaTypes: [mediaType, 'text/tab-separated-values'],
  async read(source, { sheet: _, ...part }) {
    const workbook = await openCsv(source)
    return { format: 'csv', title, mediaType, ...(await readWorkbook(workbook, part, () => source.isLate())) }
  },
})
