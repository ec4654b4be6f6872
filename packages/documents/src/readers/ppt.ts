import { compoundSource, openCompoundSource } from '../ole/compound-source.ts'
import { defineReader } from '../reader.ts'
import { readSlides97 } from '../slides97/read-slides97.ts'
import { answerPages } from '../text/pages.ts'

const title = 'an old PowerPoint presentation'

export default defineReader({
  title,
  extensions: ['ppt', 'pps', 'pot'],
  mediaTypes: ['application/vnd.ms-powerpoint'],
  matches: async (head, source) => (await compoundSource(head, source))?.has('PowerPoint Document') === true,
  read: async (source, part) => answerPages(readSlides97(await openCompoundSource(source)), part, title),
})
