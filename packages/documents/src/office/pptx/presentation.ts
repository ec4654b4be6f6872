import {
  append,
  below,
  child,
  contentOf,
  type Element,
  elements,
  fragment,
  insertChildren,
  prefixOf,
  remove,
  valueOf,
} from '../../xml/edit-xml.ts'
import { declarePrefix, type OfficePackage } from '../shared/package.ts'

/** A PowerPoint presentation during an edit. */
export interface Pptx {
  pkg: OfficePackage
  main: string
  root: Element
  pictures: Readonly<Record<string, string>>
  notes: Set<string>
}

export interface Slide {
  number: number
  part: string
  root: Element
  /** Its entry in the list of slides. */
  entry: Element
}

const presentationAddress = 'http://schemas.openxmlformats.org/presentationml/2006/main'
const drawingAddress = 'http://schemas.openxmlformats.org/drawingml/2006/main'
export const relationshipAddress = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

export function openPptx(
  pkg: OfficePackage,
  given: { pictures: Readonly<Record<string, string>>; notes: Set<string> },
): Pptx {
  const main = pkg.main()
  return { pkg, main, root: pkg.root(main), ...given }
}

/** New elements use `p:`, `a:` and `r:`, so a part with other prefixes must declare them. */
export function usePrefixes({ pkg }: Pptx, root: Element): void {
  const isStrict = pkg.isStrict()
  const place = 'http://purl.oclc.org/ooxml'
  declarePrefix(root, 'p', isStrict ? `${place}/presentationml/main` : presentationAddress)
  declarePrefix(root, 'a', isStrict ? `${place}/drawingml/main` : drawingAddress)
  declarePrefix(root, 'r', isStrict ? `${place}/officeDocument/relationships` : relationshipAddress)
}

export function slidesOf({ pkg, main, root }: Pptx): Slide[] {
  return elements(child(root, 'sldIdLst'), 'sldId').flatMap((entry, index) => {
    const id = Object.entries(entry.attributes).find(([name]) => name.includes(':') && name.endsWith(':id'))?.[1]
    const part = pkg.targetOf(main, id)
    return part === undefined || !pkg.has(part) ? [] : [{ number: index + 1, part, root: pkg.root(part), entry }]
  })
}

export function slideAt(pptx: Pptx, number: number): Slide {
  const slides = slidesOf(pptx)
  const slide = slides.find((each) => each.number === number)
  if (slide === undefined)
    throw new Error(
      slides.length === 0
        ? 'The presentation has no slides.'
        : `There is no slide ${number}; the presentation has ${slides.length}.`,
    )
  return slide
}

export function shapeTree(slide: Slide): Element {
  const tree = child(slide.root, 'cSld', 'spTree')
  if (tree === undefined) throw new Error(`Slide ${slide.number} is damaged.`)
  return tree
}

/** Paragraphs of text on a slide, without the copy of drawings that old programs get. */
export function slideParagraphs(root: Element): Element[] {
  return below(root, 'txBody')
    .filter((body) => !isInFallback(body))
    .flatMap((body) => elements(body, 'p'))
}

function isInFallback(element: Element): boolean {
  for (let each = element.parent; each !== undefined; each = each.parent)
    if (/(^|:)Fallback$/.test(each.name)) return true
  return false
}

export function paragraphText(paragraph: Element): string {
  return elements(paragraph)
    .map((each) => {
      const local = each.name.slice(prefixOf(each).length)
      if (local === 'br') return '\n'
      const text = local === 'r' || local === 'fld' ? child(each, 't') : undefined
      return text === undefined ? '' : contentOf(text)
    })
    .join('')
}

export function outlinePptx(pptx: Pptx): string[] {
  return slidesOf(pptx).flatMap((slide) => {
    const texts = slideParagraphs(slide.root)
      .map(paragraphText)
      .filter((text) => text.trim() !== '')
    const pictures = below(slide.root, 'pic').length
    const charts = below(slide.root, 'graphicFrame').filter((frame) => below(frame, 'chart').length > 0).length
    const notesPart = pptx.pkg.related(slide.part, 'notesSlide')
    const noted = notesPart === undefined ? '' : notesText(pptx.pkg.root(notesPart))
    return [
      `Slide ${slide.number}: ${texts[0] ?? '(no text)'}`,
      ...texts.slice(1).map((text) => `  ${text.replaceAll('\n', ' ⏎ ')}`),
      ...(pictures > 0 ? [`  (${pictures} ${pictures === 1 ? 'picture' : 'pictures'})`] : []),
      ...(charts > 0 ? [`  (${charts} ${charts === 1 ? 'chart' : 'charts'})`] : []),
      ...(noted === '' ? [] : [`  Notes: ${noted.replaceAll('\n', ' ⏎ ')}`]),
    ]
  })
}

export function notesText(root: Element): string {
  const body = notesBody(root)
  return body === undefined ? '' : elements(body, 'p').map(paragraphText).join('\n').trim()
}

export function notesBody(root: Element): Element | undefined {
  const shape = below(root, 'sp').find((each) => valueOf(below(each, 'ph')[0], 'type') === 'body')
  return child(shape, 'txBody')
}

/** Adds a slide part to the list, at a position from 1. */
export function listSlide(pptx: Pptx, part: string, position: number): void {
  const { pkg, main, root } = pptx
  let list = child(root, 'sldIdLst')
  usePrefixes(pptx, root)
  if (list === undefined) {
    ;[list] = fragment('<p:sldIdLst/>') as [Element]
    const before = child(root, 'handoutMasterIdLst') ?? child(root, 'notesMasterIdLst') ?? child(root, 'sldMasterIdLst')
    insertChildren(root, before === undefined ? 0 : root.children.indexOf(before) + 1, [list])
  }
  const entries = elements(list, 'sldId')
  const id = Math.max(255, ...entries.map((each) => Number(each.attributes['id'] ?? 0))) + 1
  const [entry] = fragment(`<p:sldId id="${id}" r:id="${pkg.relate(main, 'slide', part)}"/>`) as [Element]
  const next = entries[position - 1]
  if (next === undefined) append(list, entry)
  else insertChildren(list, list.children.indexOf(next), [entry])
  // Sections list their slides, too.
  const neighbor = entries[position - 2] ?? entries[0]
  const sections = below(root, 'sectionLst')[0]
  const known =
    sections === undefined
      ? undefined
      : below(sections, 'sldId').find((each) => each.attributes['id'] === neighbor?.attributes['id'])
  if (known?.parent !== undefined)
    insertChildren(known.parent, known.parent.children.indexOf(known) + 1, fragment(`<${known.name} id="${id}"/>`))
}

export function unlistSlide({ pkg, main, root }: Pptx, { entry }: Slide): void {
  const id = entry.attributes['id']
  const relation = Object.entries(entry.attributes).find(([name]) => name.includes(':') && name.endsWith(':id'))?.[1]
  for (const each of below(root, 'sectionLst').flatMap((list) => below(list, 'sldId')))
    if (each.attributes['id'] === id) remove(each)
  remove(entry)
  if (relation === undefined) return
  for (const show of below(root, 'custShow').flatMap((list) => below(list, 'sld')))
    if (Object.values(show.attributes).includes(relation)) remove(show)
  pkg.unrelate(main, relation)
}

/** The size of slides in EMU. */
export function slideSize({ root }: Pptx): { width: number; height: number } {
  const size = child(root, 'sldSz')
  return { width: Number(valueOf(size, 'cx') ?? 12_192_000), height: Number(valueOf(size, 'cy') ?? 6_858_000) }
}
