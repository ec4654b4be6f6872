import { defineReader } from '../reader.ts'
import { openParquet } from '../sheets/open-parquet.ts'
import { readWorkbook } from '../sheets/read-workbook.ts'

const title = 'a Parquet file'
const mediaType = 'application/vnd.apache.parquet'

export default defineReader({
  title,
  extensions: ['parquet', 'pq'],
  mediaTypes: [mediaType],
  matches: (head) => head.toString('latin1', 0, 4) === 'PAR1',
  async read(source, part) {
    const workbook = await openParquet(source)
    return { format: 'parquet', title, mediaType, ...(await readWorkbook(workbook, part, () => source.isLate())) }
  },
})
