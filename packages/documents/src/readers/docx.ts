import { packageKind } from '../package/package-kind.ts'
import { withZipPackage } from '../package/zip-package.ts'
import { defineReader } from '../reader.ts'
import { answerBlocks } from '../text/blocks.ts'
import { readLayout } from '../word/read-layout.ts'
import { readWord } from '../word/read-word.ts'

const title = 'a Word document'

export default defineReader({
  title,
  extensions: ['docx', 'docm', 'dotx', 'dotm'],
  mediaTypes: ['application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  matches: async (head, source) => /wordprocessingml|ms-word/.test(await packageKind(head, source)),
  read: (source, part) =>
    withZipPackage(source, async (parts) => {
      const { layout, ...rest } = part
      const answer = answerBlocks(await readWord(parts), rest, title)
      if (layout !== true) return answer
      // These explain signs in the text.
      const notes = answer.notes?.filter((note) => !/^(Tracked changes|Text marked)/.test(note))
      return { ...answer, notes, text: '', next: undefined, ...(await readLayout(parts, part.offset)) }
    }),
})
