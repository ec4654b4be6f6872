import { compoundSource, openCompoundSource } from '../ole/compound-source.ts'
import { defineReader } from '../reader.ts'
import { answerBlocks } from '../text/blocks.ts'
import { readWord97 } from '../word97/read-word97.ts'

const title = 'an old Word document'

export default defineReader({
  title,
  extensions: ['doc', 'dot'],
  mediaTypes: ['application/msword'],
  matches: async (head, source) => (await compoundSource(head, source))?.has('WordDocument') === true,
  read: async (source, part) => answerBlocks(readWord97(await openCompoundSource(source)), part, title),
})
