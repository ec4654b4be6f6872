import { createReadStream } from 'node:fs'
import path from 'node:path'
import { packageKind } from '../package/package-kind.ts'
import { defineReader, type DocumentSource } from '../reader.ts'
import { openOds } from '../sheets/open-ods.ts'
import { readWorkbook } from '../sheets/read-workbook.ts'
import type { Workbook } from '../sheets/workbook.ts'
import { openZipFile, type ZipFile } from '../zip/zip-file.ts'

const title = 'an OpenDocument spreadsheet'
const mediaType = 'application/vnd.oasis.opendocument.spreadsheet'

export default defineReader({
  title,
  extensions: ['ods', 'ots', 'fods'],
  mediaTypes: [mediaType, `${mediaType}-template`],
  // The first entry of the zip is the media type, without compression.
  matches: async (head, source) =>
    (head.toString('latin1', 0, 2) === 'PK' && head.includes(mediaType)) ||
    new RegExp(`office:mimetype\\s*=\\s*["']${mediaType}`).test(head.toString('latin1')) ||
    (head.toString('latin1', 0, 2) === 'PK' && /\.o[dt]s$/i.test(source.name)) ||
    (await packageKind(head, source)).startsWith(mediaType),
  async read(source, part) {
    const isFlat = (await source.bytesAt(0, 2)).toString('latin1') !== 'PK'
    const zip = isFlat ? undefined : await openZipFile(source.path)
    try {
      const workbook = zip === undefined ? await openFlat(source) : await openZipped(zip)
      return { format: 'ods', title, mediaType, ...(await readWorkbook(workbook, part, () => source.isLate())) }
    } finally {
      await zip?.close()
    }
  },
})

function openFlat({ path: file }: DocumentSource): Promise<Workbook> {
  return openOds(() => createReadStream(file))
}

async function openZipped(zip: ZipFile): Promise<Workbook> {
  const entry = (name: string) => zip.entries.find((one) => path.posix.normalize(one.name) === name)
  const manifest = entry('META-INF/manifest.xml')
  if (manifest !== undefined && manifest.size < 2 ** 20) {
    let text = ''
    for await (const chunk of manifest.read()) text += Buffer.from(chunk).toString('latin1')
    if (text.includes('encryption-data'))
      throw new Error('The spreadsheet is protected with a password. Ask for a copy without one.')
  }
  const content = entry('content.xml')
  if (content === undefined) throw new Error('The spreadsheet is damaged: it has no content. Ask for another copy.')
  const workbook = await openOds(() => content.read())
  const macros = zip.entries.filter(
    ({ name }) => /^(Basic|Scripts)\/.+\.(xml|py|js|bsh)$/i.test(name) && !/script-l[cb]\.xml$/.test(name),
  )
  const notes =
    macros.length === 0
      ? []
      : [
          `The spreadsheet has macros (${macros
            .slice(0, 10)
            .map(({ name }) => name)
            .join(', ')}). They were not run.`,
        ]
  const objects = zip.entries.filter(({ name }) => /^Object \d+\/content\.xml$/.test(name)).length
  if (objects > 0)
    notes.push(
      `The spreadsheet has ${objects} ${objects === 1 ? 'chart or object' : 'charts or objects'}, which are not read.`,
    )
  return { ...workbook, notes }
}
