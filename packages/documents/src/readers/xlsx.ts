import { defineReader } from '../reader.ts'
import { openXlsx } from '../sheets/open-xlsx.ts'
import { readWorkbook } from '../sheets/read-workbook.ts'
import { hasZipEntry } from '../zip/has-entry.ts'
import { openZipFile } from '../zip/zip-file.ts'

const title = 'an Excel workbook'
const mediaType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

export default defineReader({
  title,
  extensions: ['xlsx', 'xlsm', 'xltx', 'xltm', 'xlam'],
  mediaTypes: [
    mediaType,
    'application/vnd.ms-excel.sheet.macroEnabled.12',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.template',
  ],
  matches: (head, source) => hasZipEntry(head, source, /(^|\/)xl\/workbook\d*\.xml$/i),
  async read(source, part) {
    const zip = await openZipFile(source.path)
    try {
      const workbook = await openXlsx(zip)
      return { format: 'xlsx', title, mediaType, ...(await readWorkbook(workbook, part, () => source.isLate())) }
    } finally {
      await zip.close()
    }
  },
})
