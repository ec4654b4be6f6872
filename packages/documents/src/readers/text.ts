import { defineReader, maxCharacters } from '../reader.ts'
import { decodeBytes } from '../text/decode.ts'
import { cleanText } from '../text/markdown.ts'
import { checkParts, countOf, sizeOf } from '../text/parts.ts'

const title = 'plain text'
const maxBytes = 50 * 2 ** 20
const shownLines = 2000

/** Plain text under the name of another document. Text under a name of its own is read by lines, without this package. */
export default defineReader({
  title,
  extensions: [],
  mediaTypes: ['text/plain'],
  // These formats have no mark of their own, so their names are believed.
  looksLike: (_, kind) => kind !== undefined && !/^(csv|eml|html)$/.test(kind),
  async read(source, part) {
    checkParts(part, title, ['offset', 'limit'], 'Use "offset" and "limit", which count lines.')
    const { offset = 1, limit = shownLines } = part
    const lines = cleanText(decodeBytes(await source.bytes(maxBytes))).split('\n')
    const shown: string[] = []
    let characters = 0
    for (const line of lines.slice(offset - 1, offset - 1 + limit)) {
      characters += line.length + 1
      if (characters > maxCharacters && shown.length > 0) break
      shown.push(line.slice(0, maxCharacters))
    }
    const next = offset + shown.length
    return {
      facts: `${countOf(lines.length, 'line')}, ${sizeOf(source.size)}`,
      text: shown.join('\n'),
      next: next <= lines.length ? { offset: next } : undefined,
    }
  },
})
