import type { DocumentPart } from '@troupe/core'
import { unpackedBytes } from '../archive/byte-readers.ts'
import { answerEntries } from '../archive/entries.ts'
import { isTar, listTar } from '../archive/tar.ts'
import { defineReader, type DocumentReading, type DocumentSource, maxCharacters } from '../reader.ts'
import { cleanText, shownName } from '../text/markdown.ts'
import { checkParts, sizeOf } from '../text/parts.ts'

const title = 'a gzip archive'
const maxUnpacked = 20 * 2 ** 30
const shownLines = 2000

export default defineReader({
  title,
  extensions: ['gz', 'tgz'],
  mediaTypes: ['application/gzip'],
  matches: (head) => head[0] === 0x1f && head[1] === 0x8b && head[2] === 8,
  async read(source, part) {
    const bytes = unpackedBytes(source, maxUnpacked)
    try {
      const head = await bytes.take(512)
      if (isTar(head)) {
        bytes.close()
        return await listPacked(source, part)
      }
      checkParts(part, title, ['offset', 'limit'], 'Use "offset" and "limit", which count lines.')
      const { offset = 1, limit = shownLines } = part
      const start = Buffer.concat([head, await bytes.take(2 ** 20)])
      const facts = `${sizeOf(source.size)}, one packed file`
      if (start.includes(0))
        return {
          facts,
          text: `The file inside is not text. It starts with ${JSON.stringify(start.toString('latin1', 0, 16))}.`,
        }
      const lines = cleanText(start.toString('utf8'))
        .split('\n')
        .slice(offset - 1, offset - 1 + limit)
      const text = lines.join('\n').slice(0, maxCharacters)
      const notes =
        start.length > 2 ** 20 || text.length === maxCharacters
          ? ['Only the start is shown. Unpack the file to read the rest.']
          : []
      return { facts, text, notes }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code?.startsWith('Z_') !== true) throw error
      throw new Error(
        `${shownName(source.name)} is damaged or incomplete: it cannot be unpacked. Ask for another copy.`,
      )
    } finally {
      bytes.close()
    }
  },
})

async function listPacked(source: DocumentSource, part: DocumentPart): Promise<DocumentReading> {
  const bytes = unpackedBytes(source, maxUnpacked)
  try {
    const { entries, isPartial } = await listTar(bytes, source.isLate)
    const notes = isPartial ? ['The archive is cut off, or too long to list completely.'] : []
    return answerEntries(entries, part, 'a packed tar archive', notes)
  } finally {
    bytes.close()
  }
}
