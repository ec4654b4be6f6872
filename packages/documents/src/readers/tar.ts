import { fileBytes } from '../archive/byte-readers.ts'
import { answerEntries } from '../archive/entries.ts'
import { isTar, listTar } from '../archive/tar.ts'
import { defineReader } from '../reader.ts'

const title = 'a tar archive'

export default defineReader({
  title,
  extensions: ['tar'],
  mediaTypes: ['application/x-tar'],
  matches: isTar,
  async read(source, part) {
    const { entries, isPartial } = await listTar(fileBytes(source), source.isLate)
    return answerEntries(
      entries,
      part,
      title,
      isPartial ? ['The archive is cut off, or too long to list completely.'] : [],
    )
  },
})
