import { withOdf, type OdfDocument } from '../odf/open-odf.ts'
import { odfText } from '../odf/odf-text.ts'
import { packageKind } from '../package/package-kind.ts'
import { defineReader } from '../reader.ts'
import { oneLine } from '../text/markdown.ts'
import { answerPages, type PagedDocument } from '../text/pages.ts'
import {
  attribute,
  childNamed,
  childrenNamed,
  descendants,
  localName,
  textOf,
  type XmlElement,
} from '../xml/parse-xml.ts'

const title = 'an OpenDocument presentation'
const types = /^application\/vnd\.oasis\.opendocument\.(presentation|graphics)/

export default defineReader({
  title,
  extensions: ['odp', 'otp', 'fodp', 'odg'],
  mediaTypes: ['application/vnd.oasis.opendocument.presentation'],
  matches: async (head, source) =>
    types.test(await packageKind(head, source)) ||
    /office:mimetype\s*=\s*["']application\/vnd\.oasis\.opendocument\.(presentation|graphics)/.test(
      head.toString('latin1'),
    ),
  read: (source, part) => withOdf(source, (document) => answerPages(slidesOf(document), part, title)),
})

function slidesOf({ body, context, properties, notes }: OdfDocument): PagedDocument {
  const slides = childrenNamed(body, 'page')
  const hidden = slides.flatMap((slide, index) =>
    context.styles.hiddenPages.has(attribute(slide, 'style-name') ?? '') ? [index + 1] : [],
  )
  return {
    unit: 'slide',
    count: slides.length,
    facts: [properties, hidden.length > 0 && `${hidden.length} hidden`],
    notes: [...notes, hidden.length > 0 && `Hidden slides: ${hidden.slice(0, 100).join(', ')}.`],
    page(number) {
      const slide = slides[number - 1]!
      const convert = odfText(context)
      const frames = slide.children.filter((child): child is XmlElement => child.name !== undefined)
      const heading = frames.find((frame) => attribute(frame, 'class') === 'title')
      const others = frames.filter((frame) => frame !== heading && localName(frame.name) !== 'notes')
      const name = heading === undefined ? '' : oneLine([...descendants(heading, 'p')].map(textOf).join(' '))
      const lines = [`## [slide ${number}] ${name}${hidden.includes(number) ? ' (hidden)' : ''}`.trimEnd()]
      const add = (parent: XmlElement, prefix: string): void => {
        const texts = convert(parent)
          .map(({ text }) => text.replaceAll('[text box] ', ''))
          .filter((text) => text.trim() !== '')
        if (texts.length > 0) lines.push(`${prefix}${texts.join('\n')}`)
      }
      add({ ...slide, children: others }, '')
      const notesPage = childNamed(slide, 'notes')
      if (notesPage !== undefined) {
        const pages = childrenNamed(notesPage, 'frame').filter((frame) => attribute(frame, 'class') !== 'page')
        add({ ...notesPage, children: pages }, 'Notes: ')
      }
      for (const comment of childrenNamed(slide, 'annotation')) lines.push(`[comment: ${oneLine(textOf(comment))}]`)
      return lines.join('\n')
    },
  }
}
