import { defineReader } from '../reader.ts'
import { readRtf } from '../rtf/read-rtf.ts'
import { answerBlocks } from '../text/blocks.ts'

const title = 'a Rich Text document'
const maxBytes = 100 * 2 ** 20

export default defineReader({
  title,
  extensions: ['rtf'],
  mediaTypes: ['application/rtf'],
  matches: (head) => /^\s{0,20}\{\\rtf/.test(head.toString('latin1', 0, 30)),
  read: async (source, part) => answerBlocks(readRtf(await source.bytes(maxBytes)), part, title),
})
