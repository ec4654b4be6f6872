import type { OfficeActionOf } from '@troupe/core'
import {
  below,
  child,
  copyOf,
  type Element,
  elements,
  fragment,
  insertChildren,
  remove,
  setAttribute,
  valueOf,
  xmlText,
  append,
} from '../../xml/edit-xml.ts'
import { escapeXml } from '../../xml/parse-xml.ts'
import { nearestNote } from '../shared/nearest.ts'
import { declaration } from '../shared/package.ts'
import {
  listSlide,
  notesBody,
  notesText,
  type Pptx,
  relationshipAddress,
  type Slide,
  slideAt,
  slidesOf,
  unlistSlide,
  usePrefixes,
} from './presentation.ts'
import { fillShape, findShape, paragraphsXml } from './text.ts'

const presentation = 'application/vnd.openxmlformats-officedocument.presentationml'
const spaces = `xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="${relationshipAddress}" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"`

export function addSlide(
  pptx: Pptx,
  { layout: wanted, position, title, markdown, notes }: OfficeActionOf<'add_slide'>,
): void {
  const { pkg } = pptx
  const layout = findLayout(pptx, wanted)
  const shapes = below(pkg.root(layout), 'sp').filter((shape) => {
    const mark = below(shape, 'ph')[0]
    return mark !== undefined && !['dt', 'ftr', 'sldNum', 'hdr'].includes(valueOf(mark, 'type') ?? '')
  })
  const xml = shapes.map((shape, index) => {
    const mark = copyOf(below(shape, 'ph')[0]!)
    const name = escapeXml(valueOf(child(shape, 'nvSpPr', 'cNvPr'), 'name') ?? `Placeholder ${index + 1}`)
    const ph = `<p:ph${['type', 'orient', 'sz', 'idx'].map((key) => (valueOf(mark, key) === undefined ? '' : ` ${key}="${escapeXml(valueOf(mark, key)!)}"`)).join('')}/>`
    return `<p:sp><p:nvSpPr><p:cNvPr id="${index + 2}" name="${name}"/><p:cNvSpPr><a:spLocks noGrp="1"/></p:cNvSpPr><p:nvPr>${ph}</p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:lstStyle/><a:p/></p:txBody></p:sp>`
  })
  const part = pkg.add(
    'ppt/slides/slide%.xml',
    `${declaration}<p:sld ${spaces}><p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>${xml.join('')}</p:spTree></p:cSld><p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:sld>`,
    `${presentation}.slide+xml`,
  )
  pkg.relate(part, 'slideLayout', layout)
  const place = Math.min(position ?? Infinity, slidesOf(pptx).length + 1)
  listSlide(pptx, part, place)
  const slide = slideAt(pptx, place)
  if (title !== undefined) fillShape(findShape(slide, 'title'), title)
  if (markdown !== undefined) fillShape(findShape(slide, 'body'), markdown)
  if (notes !== undefined) setNotesText(pptx, slide, notes)
}

function findLayout(pptx: Pptx, wanted: string | undefined): string {
  const { pkg, main } = pptx
  const layouts = pkg
    .relationships(main)
    .filter(({ kind, target }) => kind === 'slideMaster' && pkg.has(target))
    .flatMap((master) =>
      pkg.relationships(master.target).filter(({ kind, target }) => kind === 'slideLayout' && pkg.has(target)),
    )
    .map(({ target }) => ({
      target,
      type: valueOf(pkg.root(target), 'type') ?? '',
      name: valueOf(child(pkg.root(target), 'cSld'), 'name') ?? '',
    }))
  const found =
    wanted === undefined
      ? (layouts.find(({ type }) => type === 'obj') ?? layouts[1] ?? layouts[0])
      : layouts.find(
          ({ name, type }) =>
            name.toLowerCase() === wanted.toLowerCase() || type.toLowerCase() === wanted.toLowerCase(),
        )
  if (found !== undefined) return found.target
  const names = layouts.map(({ name }) => name)
  throw new Error(
    wanted === undefined
      ? 'The presentation has no slide layouts, so a slide cannot be added. Duplicate one instead.'
      : `There is no layout ${JSON.stringify(wanted)}.${nearestNote(wanted, names)} Layouts: ${names.join(', ')}.`,
  )
}

export function moveSlide(pptx: Pptx, { slide: number, to }: OfficeActionOf<'move_slide'>): void {
  const { entry } = slideAt(pptx, number)
  slideAt(pptx, to)
  const list = entry.parent!
  remove(entry)
  const next = elements(list, 'sldId')[to - 1]
  insertChildren(list, next === undefined ? list.children.length : list.children.indexOf(next), [entry])
}

export function duplicateSlide(pptx: Pptx, { slide: number }: OfficeActionOf<'duplicate_slide'>): void {
  const slide = slideAt(pptx, number)
  const { pkg } = pptx
  const part = pkg.add('ppt/slides/slide%.xml', `${declaration}${xmlText(slide.root)}`, `${presentation}.slide+xml`)
  const ids = new Map<string, string>()
  for (const { id, kind, target, isExternal, element } of pkg.relationships(slide.part)) {
    if (['notesSlide', 'comments'].includes(kind)) continue
    // Each chart has its own part. Pictures can be shared.
    const copied = kind === 'chart' && !isExternal && pkg.has(target) ? copyPart(pptx, target) : target
    ids.set(id, pkg.relate(part, valueOf(element, 'Type') ?? kind, copied, { external: isExternal }))
  }
  const root = pkg.root(part)
  const visit = (element: Element): void => {
    for (const [name, value] of Object.entries(element.attributes)) {
      const made = /^r:|:(embed|link|id|pict)$/.test(name) && name.includes(':') ? ids.get(value) : undefined
      if (made !== undefined) setAttribute(element, name, made)
    }
    for (const inner of elements(element)) visit(inner)
  }
  visit(root)
  for (const mark of below(root, 'creationId'))
    if (mark.parent?.parent?.name.endsWith('nvPr') !== true)
      setAttribute(mark, 'val', String(1_000_000_000 + part.length * 7919 + number))
  listSlide(pptx, part, number + 1)
  const noted = pkg.related(slide.part, 'notesSlide')
  const text = noted === undefined ? '' : notesText(pkg.root(noted))
  if (text !== '') setNotesText(pptx, slideAt(pptx, number + 1), text)
}

function copyPart({ pkg }: Pptx, part: string): string {
  const pattern = part.replace(/\d*(\.\w+)$/, '%$1')
  const copy = pkg.add(pattern, pkg.bytes(part), pkg.typeOf(part) ?? 'application/xml')
  for (const { kind, target, isExternal, element, id } of pkg.relationships(part)) {
    const own =
      kind === 'package' && !isExternal && pkg.has(target)
        ? pkg.add(
            target.replace(/\d*(\.\w+)$/, '%$1'),
            pkg.bytes(target),
            pkg.typeOf(target) ?? 'application/octet-stream',
          )
        : target
    const made = pkg.relate(copy, valueOf(element, 'Type') ?? kind, own, { external: isExternal })
    const relation = pkg.relationships(copy).find((each) => each.id === made)
    // The part refers to it by its old id.
    if (relation !== undefined) setAttribute(relation.element, 'Id', id)
  }
  return copy
}

export function deleteSlide(pptx: Pptx, { slide: number }: OfficeActionOf<'delete_slide'>): void {
  const slide = slideAt(pptx, number)
  if (slidesOf(pptx).length === 1) throw new Error('A presentation needs at least one slide.')
  const noted = pptx.pkg.related(slide.part, 'notesSlide')
  unlistSlide(pptx, slide)
  pptx.pkg.remove(slide.part)
  if (noted !== undefined) pptx.pkg.remove(noted)
  for (const other of slidesOf(pptx))
    for (const { id, kind, target } of pptx.pkg.relationships(other.part)) {
      if (kind !== 'slide' || target !== slide.part) continue
      for (const link of below(other.root, 'hlinkClick', 'hlinkHover'))
        if (Object.values(link.attributes).includes(id)) remove(link)
      pptx.pkg.unrelate(other.part, id)
    }
}

export function setNotes(pptx: Pptx, { slide, text }: OfficeActionOf<'set_notes'>): void {
  setNotesText(pptx, slideAt(pptx, slide), text)
}

function setNotesText(pptx: Pptx, slide: Slide, text: string): void {
  const { pkg } = pptx
  let part = pkg.related(slide.part, 'notesSlide')
  if (part === undefined) {
    part = pkg.add(
      'ppt/notesSlides/notesSlide%.xml',
      `${declaration}<p:notes ${spaces}><p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/><p:sp><p:nvSpPr><p:cNvPr id="2" name="Notes"/><p:cNvSpPr><a:spLocks noGrp="1"/></p:cNvSpPr><p:nvPr><p:ph type="body" idx="1"/></p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:lstStyle/><a:p/></p:txBody></p:sp></p:spTree></p:cSld><p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:notes>`,
      `${presentation}.notesSlide+xml`,
    )
    pkg.relate(part, 'notesMaster', notesMaster(pptx))
    pkg.relate(part, 'slide', slide.part)
    pkg.relate(slide.part, 'notesSlide', part)
  }
  const root = pkg.root(part)
  usePrefixes(pptx, root)
  const body = notesBody(root)
  if (body === undefined) throw new Error(`The notes of slide ${slide.number} have no place for text.`)
  for (const paragraph of elements(body, 'p')) remove(paragraph)
  append(
    body,
    ...fragment(
      paragraphsXml(
        text
          .split('\n')
          .filter((line) => line !== '')
          .join('\n\n'),
      ),
    ),
  )
}

/** Notes need a master, which a presentation without notes lacks. */
function notesMaster(pptx: Pptx): string {
  const { pkg, main, root } = pptx
  const known = pkg.related(main, 'notesMaster')
  if (known !== undefined) return known
  const themes = pkg.relationships(main).filter(({ kind, target }) => kind === 'theme' && pkg.has(target))
  const master = pkg.add(
    'ppt/notesMasters/notesMaster%.xml',
    `${declaration}<p:notesMaster ${spaces}><p:cSld><p:bg><p:bgPr><a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill><a:effectLst/></p:bgPr></p:bg><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/><p:sp><p:nvSpPr><p:cNvPr id="2" name="Notes"/><p:cNvSpPr><a:spLocks noGrp="1"/></p:cNvSpPr><p:nvPr><p:ph type="body" sz="quarter" idx="1"/></p:nvPr></p:nvSpPr><p:spPr><a:xfrm><a:off x="685800" y="4400550"/><a:ext cx="5486400" cy="3600450"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr><p:txBody><a:bodyPr/><a:lstStyle/><a:p/></p:txBody></p:sp></p:spTree></p:cSld><p:clrMap bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" accent1="accent1" accent2="accent2" accent3="accent3" accent4="accent4" accent5="accent5" accent6="accent6" hlink="hlink" folHlink="folHlink"/></p:notesMaster>`,
    `${presentation}.notesMaster+xml`,
  )
  const theme = themes[0]?.target ?? pkg.names().find((name) => /ppt\/theme\/theme\d+\.xml$/i.test(name))
  if (theme !== undefined) {
    const copy = pkg.add(
      'ppt/theme/theme%.xml',
      pkg.bytes(theme),
      'application/vnd.openxmlformats-officedocument.theme+xml',
    )
    pkg.relate(master, 'theme', copy)
  }
  const id = pkg.relate(main, 'notesMaster', master)
  usePrefixes(pptx, root)
  const masters = child(root, 'sldMasterIdLst')
  insertChildren(
    root,
    masters === undefined ? 0 : root.children.indexOf(masters) + 1,
    fragment(`<p:notesMasterIdLst><p:notesMasterId r:id="${id}"/></p:notesMasterIdLst>`),
  )
  return master
}
