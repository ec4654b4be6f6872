import { decodeHtml } from '../html/decode-html.ts'
import { htmlBlocks } from '../html/html-blocks.ts'
import { defineReader } from '../reader.ts'
import { answerBlocks } from '../text/blocks.ts'

const title = 'an HTML page'
const maxBytes = 50 * 2 ** 20

const isPage = /^\s*(<\?xml[^>]*>\s*)?(<!--[\s\S]*?-->\s*)*<(!doctype\s+html|html|head|body)\b/i
/** Programs export a table without the rest of a page. */
const isFragment = /^\s*(<!--[\s\S]*?-->\s*)*<(meta|title|style|table|div|p|h[1-6]|center|font|span)\b[^>]*>/i

export default defineReader({
  title,
  extensions: ['html', 'htm', 'xhtml'],
  mediaTypes: ['text/html'],
  looksLike: (text, kind) => isPage.test(text) || (kind !== undefined && kind !== 'csv' && isFragment.test(text)),
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
