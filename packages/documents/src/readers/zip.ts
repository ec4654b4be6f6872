import { shownName } from '../text/markdown.ts'
import { answerEntries } from '../archive/entries.ts'
import { defineReader } from '../reader.ts'
import { openZipFile } from '../zip/zip-file.ts'

const title = 'a zip archive'

export default defineReader({
  title,
  extensions: ['zip', 'jar', 'war', 'apk', 'xpi', 'whl', 'nupkg'],
  mediaTypes: ['application/zip'],
  isContainer: true,
  matches: (head) => ['PK\u0003\u0004', 'PK\u0005\u0006'].includes(head.toString('latin1', 0, 4)),
  async read(source, part) {
    const zip = await openZipFile(source.path).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error)
      throw new Error(`${shownName(source.name)} is damaged or incomplete: ${reason}. Ask for another copy.`)
    })
    try {
      return answerEntries(zip.entries, part, title)
    } finally {
      await zip.close()
    }
  },
})
