import { readBook } from '../book/read-book.ts'
import { packageKind } from '../package/package-kind.ts'
import { withZipPackage } from '../package/zip-package.ts'
import { defineReader } from '../reader.ts'
import { answerPages } from '../text/pages.ts'

const title = 'an EPUB book'

export default defineReader({
  title,
  extensions: ['epub'],
  mediaTypes: ['application/epub+zip'],
  matches: async (head, source) => (await packageKind(head, source)).startsWith('application/epub+zip'),
  read: (source, part) => withZipPackage(source, async (parts) => answerPages(await readBook(parts), part, title)),
})
