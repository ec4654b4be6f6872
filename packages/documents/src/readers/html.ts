import { decodeHtml } from '../html/decode-html.ts'
import { htmlBlocks } from '../html/html-blocks.ts'
import { defineReader } from '../reader.ts'
import { answerBlocks } from '../text/blocks.ts'

const title = 'an HTML page'
const maxBytes = 50 * 2 ** 20

export default defineReader({
  title,
  extensions: ['html', 'htm', 'xhtml'],
  mediaTypes: ['text/html'],
  async read(source, part) {
    const page = htmlBlocks(decodeHtml(await source.bytes(maxBytes)))
    return answerBlocks(
      {
        blocks: page.blocks,
        facts: [page.title !== '' && `"${page.title}"`],
        notes: [page.hasHidden && 'Text that a browser does not show was left out.'],
      },
      part,
      title,
    )
  },
})
