import { packageKind } from '../package/package-kind.ts'
import { withZipPackage } from '../package/zip-package.ts'
import { defineReader } from '../reader.ts'
import { readSlides } from '../slides/read-slides.ts'
import { answerPages } from '../text/pages.ts'

const title = 'a PowerPoint presentation'

export default defineReader({
  title,
  extensions: ['pptx', 'pptm', 'ppsx', 'ppsm', 'potx', 'potm'],
  mediaTypes: ['application/vnd.openxmlformats-officedocument.presentationml.presentation'],
  matches: async (head, source) => /presentationml|ms-powerpoint/.test(await packageKind(head, source)),
  read: (source, part) => withZipPackage(source, async (parts) => answerPages(await readSlides(parts), part, title)),
})
