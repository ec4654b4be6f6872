import type { DocumentImage, DocumentPart } from '@troupe/core'
import { readAnswer } from '../pdf/read-answer.ts'
import { type DocumentFacts, readFacts } from '../pdf/document-facts.ts'
import { drawImage } from '../pdf/draw-page.ts'
import { type OpenPdf, openForDrawing, openPdf } from '../pdf/open-pdf.ts'
import { readOutline } from '../pdf/outline.ts'
import { formatPages } from '../pdf/page-ranges.ts'
import { defineReader, type DocumentReading, type DocumentSource } from '../reader.ts'
import { checkParts, selectPages } from '../text/parts.ts'

/** Pictures per answer. A model reads a few pages at once better than many. */
const mostImages = 4

export default defineReader({
  title: 'a PDF document',
  extensions: ['pdf'],
  mediaTypes: ['application/pdf'],
  // Some programs write bytes before the header.
  matches: (head) => head.subarray(0, 1024).includes('%PDF-'),
  async read(source, part) {
    checkParts(part, 'a PDF document', ['pages', 'offset', 'limit', 'images'], 'Choose a part with "pages".')
    const pdf = await openPdf(source)
    const facts = await factsOf(pdf)
    if (part.outline === true) return readOnlyOutline(pdf, facts, source)
    return part.images === true ? readImages(pdf, facts, source, part) : readText(pdf, facts, source, part)
  },
})

const known = new WeakMap<OpenPdf, Promise<DocumentFacts>>()

/** A document that stays open is described once. */
function factsOf(pdf: OpenPdf): Promise<DocumentFacts> {
  const facts = known.get(pdf) ?? readFacts(pdf.document)
  known.set(pdf, facts)
  return facts
}

async function readOnlyOutline(pdf: OpenPdf, facts: DocumentFacts, source: DocumentSource): Promise<DocumentReading> {
  const outline = await readOutline(pdf.document, source.isLate)
  const text = outline === '' ? 'The document has no outline.' : outline
  return { facts: facts.line, notes: facts.notes, text, next: { pages: '1-' } }
}

async function readText(
  pdf: OpenPdf,
  facts: DocumentFacts,
  source: DocumentSource,
  part: DocumentPart,
): Promise<DocumentReading> {
  const count = pdf.document.numPages
  const numbers = selectPages(part.pages ?? '1-', count, 'page')
  const answer = await readAnswer(pdf, source, numbers, part)
  const isStart = part.pages === undefined && part.offset === undefined
  const outline = isStart && answer.next !== undefined ? await readOutline(pdf.document, source.isLate) : ''
  return {
    facts: facts.line,
    notes: [...(isStart ? facts.notes : []), ...answer.notes],
    text: outline === '' ? answer.text : `Outline:\n${shortened(outline)}\n\n${answer.text}`,
    next: answer.next,
  }
}

/** Before the text, only the first part of a long outline is shown. */
function shortened(outline: string): string {
  const lines = outline.split('\n')
  if (lines.length <= 60) return outline
  return [...lines.slice(0, 60), `- and ${lines.length - 60} more entries`].join('\n')
}

async function readImages(
  { document }: OpenPdf,
  facts: DocumentFacts,
  source: DocumentSource,
  { pages }: DocumentPart,
): Promise<DocumentReading> {
  const numbers = selectPages(pages ?? '1-', document.numPages, 'page')
  const images: DocumentImage[] = []
  const drawing = await openForDrawing(source)
  try {
    for (const number of numbers.slice(0, mostImages)) {
      if (images.length > 0 && source.isLate()) break
      images.push(await drawImage(drawing, number))
    }
  } finally {
    await drawing.close()
  }
  const left = numbers.slice(images.length)
  return {
    facts: facts.line,
    text: images.map(({ anchor, width, height }) => `[${anchor}] picture of ${width} x ${height} pixels`).join('\n'),
    images,
    next: left.length === 0 ? undefined : { pages: formatPages(left, document.numPages), images: true },
  }
}
