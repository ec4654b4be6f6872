import path from 'node:path'
import { readFigures } from '../drawing/figures.ts'
import { macroNote } from '../ole/macros.ts'
import { officeProperties } from '../package/properties.ts'
import { mainPart, outsideNote, type Relationship, relationshipsOf } from '../package/relationships.ts'
import type { ZipPackage } from '../package/zip-package.ts'
import type { PagedDocument } from '../text/pages.ts'
import { childNamed, childrenNamed, type XmlElement } from '../xml/parse-xml.ts'
import { commentAuthors, commentLines } from './comments.ts'
import { slideText } from './slide-text.ts'

/** Reads the order of the slides now, and each slide when it is asked for. */
export async function readSlides(parts: ZipPackage): Promise<PagedDocument> {
  const main = await mainPart(parts, 'ppt/presentation.xml')
  const relationships = await relationshipsOf(parts, main)
  const list = childNamed(childNamed(await parts.xml(main), 'presentation'), 'sldIdLst')
  const slides = (list === undefined ? [] : childrenNamed(list, 'sldId')).flatMap((each) => {
    // `id` is a number, and `r:id` names the part.
    const key = Object.keys(each.attributes).find((name) => name.endsWith(':id')) ?? 'id'
    const target = relationships.get(each.attributes[key] ?? '')?.target
    return target !== undefined && parts.size(target) !== undefined ? [target] : []
  })
  const authors = await commentAuthors(parts, path.posix.dirname(main))
  const hidden: number[] = []
  const outside: Relationship[] = [...relationships.values()]
  for (const [index, part] of slides.entries()) {
    outside.push(...(await relationshipsOf(parts, part)).values())
    // The attribute is in the first tag. Slides are parsed only when they are shown.
    const source = (await parts.text(part)) ?? ''
    if (/<(?:\w+:)?sld\b[^>]*\sshow\s*=\s*["'](?:0|false)["']/.test(source.slice(0, 5000))) hidden.push(index + 1)
  }
  const project = parts.names.find((name) => /(^|\/)vbaProject\.bin$/i.test(name))
  const shownLayouts = new Set<string>()
  return {
    unit: 'slide',
    count: slides.length,
    facts: [await officeProperties(parts), hidden.length > 0 && `${hidden.length} hidden`],
    notes: [
      hidden.length > 0 && `Hidden slides: ${hidden.slice(0, 100).join(', ')}.`,
      project !== undefined && macroNote(await parts.bytes(project, 20 * 2 ** 20).catch(() => undefined), project),
      outsideNote(outside),
    ],
    page: (number) =>
      slidePage(parts, slides[number - 1]!, { number, isHidden: hidden.includes(number), authors, shownLayouts }),
  }
}

interface SlidePlace {
  number: number
  isHidden: boolean
  authors: ReadonlyMap<string, string>
  /** Layouts whose own text was shown with an earlier slide of this answer. */
  shownLayouts: Set<string>
}

async function slidePage(parts: ZipPackage, part: string, place: SlidePlace): Promise<string> {
  const relationships = await relationshipsOf(parts, part)
  const slide = slideText(shapeTree(await parts.xml(part), 'sld'), {
    relationships,
    figures: await readFigures(parts, relationships),
  })
  const lines = [
    `## [slide ${place.number}] ${slide.title}${place.isHidden ? ' (hidden)' : ''}`.trimEnd(),
    ...slide.lines,
  ]
  for (const { type, target, isExternal } of relationships.values()) {
    if (isExternal) continue
    if (type === 'notesSlide') {
      const own = await relationshipsOf(parts, target)
      const notes = slideText(shapeTree(await parts.xml(target), 'notes'), { relationships: own, figures: new Map() })
      const text = notes.lines.map((line) => line.replace(/^- /, '')).join('\n')
      if (text.trim() !== '') lines.push(`Notes: ${text}`)
    }
    if (type === 'comments') lines.push(...(await commentLines(parts, target, place.authors)))
    if (type === 'slideLayout') lines.push(...(await layoutLines(parts, target, place.shownLayouts)))
  }
  return lines.join('\n')
}

/** Texts that a layout and its master put on every slide. They are shown with the first slide that has them. */
async function layoutLines(parts: ZipPackage, part: string, shown: Set<string>): Promise<string[]> {
  if (shown.has(part)) return []
  shown.add(part)
  const relationships = await relationshipsOf(parts, part)
  const kind = part.includes('slideMaster') ? 'sldMaster' : 'sldLayout'
  const tree = shapeTree(await parts.xml(part), kind)
  const { lines } = slideText(tree, { relationships, figures: new Map(), isLayout: true })
  const found = lines
    .filter((line) => !line.startsWith('!['))
    .map((line) => `[on every slide with this layout] ${line}`)
  const master = [...relationships.values()].find(({ type }) => type === 'slideMaster')
  return master === undefined || kind === 'sldMaster'
    ? found
    : [...found, ...(await layoutLines(parts, master.target, shown))]
}

function shapeTree(root: XmlElement | undefined, local: string): XmlElement | undefined {
  return childNamed(childNamed(childNamed(root, local), 'cSld'), 'spTree')
}
