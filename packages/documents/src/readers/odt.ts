import { withOdf } from '../odf/open-odf.ts'
import { odfText } from '../odf/odf-text.ts'
import { packageKind } from '../package/package-kind.ts'
import { defineReader } from '../reader.ts'
import { answerBlocks, type Block } from '../text/blocks.ts'
import { countOf } from '../text/parts.ts'
import { descendants } from '../xml/parse-xml.ts'

const title = 'an OpenDocument text'
const mediaType = 'application/vnd.oasis.opendocument.text'

export default defineReader({
  title,
  extensions: ['odt', 'ott', 'odm', 'fodt'],
  mediaTypes: [mediaType],
  matches: async (head, source) =>
    (await packageKind(head, source)).startsWith(mediaType) || isFlat(head.toString('latin1'), mediaType),
  read: (source, part) =>
    withOdf(source, ({ body, styles, context, properties, notes }) => {
      const convert = odfText(context)
      const blocks: Block[] = convert(body)
      for (const [kind, locals] of [
        ['header', ['header', 'header-first', 'header-left']],
        ['footer', ['footer', 'footer-first', 'footer-left']],
      ] as const)
        for (const local of locals)
          for (const node of styles === undefined ? [] : descendants(styles, local)) {
            const text = convert(node)
              .map((each) => each.text.trim())
              .filter(Boolean)
              .join('\n')
            if (text !== '' && !blocks.some((each) => each.text === `[${kind}] ${text}`))
              blocks.push({ text: `[${kind}] ${text}` })
          }
      const { seen } = context
      return answerBlocks(
        {
          blocks,
          facts: [
            properties,
            seen.tables > 0 && countOf(seen.tables, 'table'),
            seen.pictures > 0 && countOf(seen.pictures, 'picture'),
            seen.notes > 0 && countOf(seen.notes, 'note'),
            seen.comments > 0 && countOf(seen.comments, 'comment'),
            seen.hasChanges && 'tracked changes',
          ],
          notes: [
            ...notes,
            seen.hasChanges && 'Tracked changes: {++inserted++}, {--deleted--}.',
            seen.hasHidden && 'Text marked [hidden: …] is hidden in the document.',
          ],
        },
        part,
        title,
      )
    }),
})

/** A flat document is one XML file. */
function isFlat(head: string, type: string): boolean {
  return (
    head.includes('urn:oasis:names:tc:opendocument') && new RegExp(`office:mimetype\\s*=\\s*["']${type}`).test(head)
  )
}
