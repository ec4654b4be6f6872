import type { OfficeActionOf } from '@troupe/core'
import {
  append,
  below,
  child,
  type Element,
  elements,
  fragment,
  indexOf,
  insertAfter,
  insertBefore,
  insertChildren,
  insertInOrder,
  remove,
  replaceWith,
  setAttribute,
  valueOf,
} from '../../xml/edit-xml.ts'
import { localName } from '../../xml/parse-xml.ts'
import { nearestNote } from '../shared/nearest.ts'
import { buildBlocks } from './build.ts'
import { blockOf, changeMark, containerOf, type Docx, freeId, paragraphsOf, stories } from './document.ts'
import {
  fieldRuns,
  findText,
  markDeleted,
  type Match,
  replaceStretch,
  replaceTracked,
  textOfParagraph,
  touchesField,
} from './paragraph-text.ts'
import { findStyle } from './styles.ts'

export function marks(docx: Docx): () => string {
  let id = freeId(docx, 'ins', 'del', 'moveFrom', 'moveTo', 'rPrChange', 'pPrChange')
  return () => changeMark(docx, id++)
}

export function replaceText(docx: Docx, action: OfficeActionOf<'replace_text'>): void {
  const { find, replace, all = false, ignore_case = false, tracked = false } = action
  const mark = marks(docx)
  const found: { paragraph: Element; fields: ReadonlySet<Element>; matches: Match[] }[] = []
  const texts: string[] = []
  let inFields = 0
  for (const { root } of stories(docx)) {
    const fields = fieldRuns(root)
    for (const paragraph of paragraphsOf(root)) {
      const text = textOfParagraph(paragraph, fields)
      texts.push(text.text)
      const matches = findText(text.text, find, ignore_case)
      const free = matches.filter((match) => !touchesField(text, match))
      inFields += matches.length - free.length
      if (free.length > 0) found.push({ paragraph, fields, matches: free })
    }
  }
  const total = found.reduce((sum, { matches }) => sum + matches.length, 0)
  if (total === 0) throw new Error(notFound(find, texts, inFields))
  if (total > 1 && !all)
    throw new Error(
      `${JSON.stringify(find)} occurs ${total} times. Give more of the text around it, or set "all" to replace every one.`,
    )
  if (inFields > 0)
    docx.notes.add(
      `${inFields} more ${inFields === 1 ? 'match is' : 'matches are'} in fields, whose results are computed, and stayed as they are.`,
    )
  for (const { paragraph, fields, matches } of found) {
    for (const match of matches.toReversed()) {
      if (tracked) replaceTracked(paragraph, fields, match, replace, mark)
      else replaceStretch(textOfParagraph(paragraph, fields), match, replace)
    }
  }
}

/** The one place of a text in the document, for comments and footnotes. */
export function findPlace(
  docx: Docx,
  wanted: string,
): { paragraph: Element; fields: Set<Element>; match: Match; part: string } {
  const fields = fieldRuns(docx.root)
  const paragraphs = paragraphsOf(docx.body)
  const texts = paragraphs.map((paragraph) => textOfParagraph(paragraph, fields))
  const hits = paragraphs.flatMap((paragraph, index) =>
    findText(texts[index]!.text, wanted, false).map((match) => ({ paragraph, match, text: texts[index]! })),
  )
  const free = hits.filter(({ text, match }) => !touchesField(text, match))
  if (free.length === 0)
    throw new Error(
      notFound(
        wanted,
        texts.map(({ text }) => text),
        hits.length,
      ),
    )
  if (free.length > 1)
    throw new Error(`${JSON.stringify(wanted)} occurs ${free.length} times. Give more of the text around it.`)
  const { paragraph, match } = free[0]!
  return { paragraph, match, fields, part: docx.main }
}

function notFound(wanted: string, texts: readonly string[], inFields: number): string {
  if (inFields > 0)
    return `${JSON.stringify(wanted)} occurs only in fields, whose results are computed. Change what they refer to instead.`
  return `${JSON.stringify(wanted)} was not found in the file.${nearestNote(wanted, texts)}`
}

/** The paragraph that an anchor names: by its whole text, else by its start, else by a part of it. */
export function findParagraph(docx: Docx, anchor: string): Element {
  const fields = new Set<Element>()
  const paragraphs = paragraphsOf(docx.body)
  const plain = (text: string): string => text.replace(/\s+/g, ' ').trim()
  const wanted = plain(anchor.replace(/^#{1,9} |^[-*] |^\d+\. /, ''))
  const texts = paragraphs.map((paragraph) => plain(textOfParagraph(paragraph, fields).text))
  const tests = [
    (text: string) => text === wanted,
    (text: string) => text.startsWith(wanted),
    (text: string) => text.includes(wanted),
  ]
  for (const test of tests) {
    const hits = paragraphs.filter((_, index) => test(texts[index]!))
    if (hits.length === 1) return hits[0]!
    if (hits.length > 1)
      throw new Error(
        `${hits.length} paragraphs match ${JSON.stringify(anchor)}. Give more of the text of the one you mean.`,
      )
  }
  throw new Error(
    `No paragraph matches ${JSON.stringify(anchor)}.${nearestNote(
      wanted,
      texts.filter((text) => text !== ''),
    )}`,
  )
}

export function insert(docx: Docx, { markdown, at, where, tracked }: OfficeActionOf<'insert'>): void {
  const like = at === undefined ? undefined : findParagraph(docx, at)
  const target = { part: docx.main, like, mark: tracked === true ? marks(docx) : undefined }
  insertBlocks(docx, buildBlocks(docx, markdown, target), at, where)
}

export function insertBlocks(docx: Docx, blocks: Element[], at: string | undefined, where: string | undefined): void {
  if (at === undefined) {
    if (where === 'start') insertChildren(docx.body, 0, blocks)
    else {
      const end = elements(docx.body, 'sectPr').at(-1)
      if (end === undefined) append(docx.body, ...blocks)
      else insertBefore(end, ...blocks)
    }
    return
  }
  const paragraph = findParagraph(docx, at)
  const block = blockOf(paragraph, containerOf(paragraph))
  if (where === 'before' || where === 'start') insertBefore(block, ...blocks)
  else insertAfter(block, ...blocks)
}

/** The blocks from one anchor to another. They must be in the same container. */
function blocksBetween(docx: Docx, at: string, to: string | undefined): Element[] {
  const first = findParagraph(docx, at)
  const container = containerOf(first)
  const start = blockOf(first, container)
  if (to === undefined) return [start]
  const last = findParagraph(docx, to)
  const end = blockOf(last, container)
  const [from, until] = [indexOf(start), end.parent === container ? indexOf(end) : -1]
  if (until < from) throw new Error(`${JSON.stringify(to)} does not follow ${JSON.stringify(at)} on the same level.`)
  return container.children.slice(from, until + 1).filter((each): each is Element => each.name !== undefined)
}

export function deleteBlocks(docx: Docx, { at, to, tracked }: OfficeActionOf<'delete'>): void {
  const blocks = blocksBetween(docx, at, to)
  if (tracked === true) {
    const mark = marks(docx)
    for (const block of blocks) deleteTracked(block, mark)
    return
  }
  removeBlocks(blocks)
}

const rangeMarks = ['bookmarkStart', 'bookmarkEnd', 'commentRangeStart', 'commentRangeEnd']

/** Removes blocks, but keeps section ends and the halves of ranges that reach beyond them. */
function removeBlocks(blocks: readonly Element[]): void {
  const found = blocks.flatMap((block) => below(block, ...rangeMarks))
  const kind = ({ name }: Element): string => localName(name).replace(/Start|End/, '')
  const halves = found.filter(
    (mark) =>
      found.filter((other) => kind(other) === kind(mark) && valueOf(other, 'id') === valueOf(mark, 'id')).length === 1,
  )
  const container = blocks[0]?.parent
  for (const block of blocks) {
    insertBefore(block, ...halves.filter((half) => isBelow(half, block)))
    const section = child(block, 'pPr', 'sectPr')
    if (section === undefined) remove(block)
    else {
      const kept = fragment('<w:p><w:pPr/></w:p>')[0]!
      append(child(kept, 'pPr')!, section)
      replaceWith(block, kept)
    }
  }
  // A table cell needs a paragraph at its end.
  if (container !== undefined && ['tc', 'hdr', 'ftr'].includes(localName(container.name))) {
    const last = elements(container).at(-1)
    if (last === undefined || localName(last.name) !== 'p') append(container, ...fragment('<w:p/>'))
  }
}

function isBelow(node: Element, ancestor: Element): boolean {
  for (let each = node.parent; each !== undefined; each = each.parent) if (each === ancestor) return true
  return false
}

function deleteTracked(block: Element, mark: () => string): void {
  const paragraphs = localName(block.name) === 'p' ? [block] : paragraphsOf(block)
  for (const row of below(block, 'tr')) {
    const properties = child(row, 'trPr') ?? addFirst(row, '<w:trPr/>')
    append(properties, ...fragment(`<w:del ${mark()}/>`))
  }
  for (const paragraph of paragraphs) {
    const runs = below(paragraph, 'r').filter((run) => run.parent !== undefined && localName(run.parent.name) !== 'del')
    markDeleted(runs, mark)
    const properties = child(paragraph, 'pPr') ?? addFirst(paragraph, '<w:pPr/>')
    const markProperties = child(properties, 'rPr') ?? addInOrder(properties, '<w:rPr/>', paragraphOrder)
    insertChildren(markProperties, 0, fragment(`<w:del ${mark()}/>`))
  }
}

export function moveBlocks(docx: Docx, { at, to, before, after }: OfficeActionOf<'move'>): void {
  const anchor = before ?? after
  if (anchor === undefined) throw new Error('"move" needs "before" or "after".')
  const blocks = blocksBetween(docx, at, to)
  const paragraph = findParagraph(docx, anchor)
  const target = blockOf(paragraph, containerOf(paragraph))
  if (blocks.includes(target)) throw new Error('A paragraph cannot be moved next to itself.')
  if (before !== undefined) insertBefore(target, ...blocks)
  else insertAfter(target, ...blocks)
}

export const paragraphOrder = [
  'pStyle',
  'keepNext',
  'keepLines',
  'pageBreakBefore',
  'framePr',
  'widowControl',
  'numPr',
  'suppressLineNumbers',
  'pBdr',
  'shd',
  'tabs',
  'suppressAutoHyphens',
  'kinsoku',
  'wordWrap',
  'overflowPunct',
  'topLinePunct',
  'autoSpaceDE',
  'autoSpaceDN',
  'bidi',
  'adjustRightInd',
  'snapToGrid',
  'spacing',
  'ind',
  'contextualSpacing',
  'mirrorIndents',
  'suppressOverlap',
  'jc',
  'textDirection',
  'textAlignment',
  'textboxTightWrap',
  'outlineLvl',
  'divId',
  'cnfStyle',
  'rPr',
  'sectPr',
  'pPrChange',
]
const runOrder = [
  'rStyle',
  'rFonts',
  'b',
  'bCs',
  'i',
  'iCs',
  'caps',
  'smallCaps',
  'strike',
  'dstrike',
  'outline',
  'shadow',
  'emboss',
  'imprint',
  'noProof',
  'snapToGrid',
  'vanish',
  'webHidden',
  'color',
  'spacing',
  'w',
  'kern',
  'position',
  'sz',
  'szCs',
  'highlight',
  'u',
  'effect',
  'bdr',
  'shd',
  'fitText',
  'vertAlign',
  'rtl',
  'cs',
  'em',
  'lang',
  'eastAsianLayout',
  'specVanish',
  'oMath',
]

export function styleBlocks(docx: Docx, action: OfficeActionOf<'style'>): void {
  const blocks = blocksBetween(docx, action.at, action.to)
  const { style, align } = action
  const fonts = fontXml(action)
  if (style === undefined && align === undefined && fonts.length === 0)
    throw new Error('"style" needs something to set.')
  const id = style === undefined ? undefined : findStyle(docx, style)
  const paragraphs = blocks.flatMap((block) => (localName(block.name) === 'p' ? [block] : paragraphsOf(block)))
  for (const paragraph of paragraphs) {
    if (id !== undefined) setProperty(paragraph, 'pPr', `<w:pStyle w:val="${id}"/>`, paragraphOrder)
    if (align !== undefined)
      setProperty(paragraph, 'pPr', `<w:jc w:val="${align === 'justify' ? 'both' : align}"/>`, paragraphOrder)
    for (const run of below(paragraph, 'r')) for (const xml of fonts) setProperty(run, 'rPr', xml, runOrder)
  }
}

function fontXml(action: OfficeActionOf<'style'>): string[] {
  const { bold, italic, underline, color, size, font } = action
  const toggle = (name: string, on: boolean | undefined): string[] =>
    on === undefined ? [] : [`<w:${name}${on ? '' : ' w:val="0"'}/>`]
  return [
    ...toggle('b', bold),
    ...toggle('i', italic),
    ...(underline === undefined ? [] : [`<w:u w:val="${underline ? 'single' : 'none'}"/>`]),
    ...(color === undefined ? [] : [`<w:color w:val="${color.replace('#', '').toUpperCase()}"/>`]),
    ...(size === undefined
      ? []
      : [`<w:sz w:val="${Math.round(size * 2)}"/>`, `<w:szCs w:val="${Math.round(size * 2)}"/>`]),
    ...(font === undefined
      ? []
      : [`<w:rFonts w:ascii="${quoted(font)}" w:hAnsi="${quoted(font)}" w:cs="${quoted(font)}"/>`]),
  ]
}

function quoted(value: string): string {
  return value.replace(/[<>&"]/g, '')
}

function setProperty(parent: Element, group: string, xml: string, order: readonly string[]): void {
  const properties = child(parent, group) ?? addFirst(parent, `<w:${group}/>`)
  const [added] = fragment(xml) as [Element]
  const old = child(properties, localName(added.name))
  if (old !== undefined && old.name === added.name && localName(added.name) !== 'rFonts') {
    for (const [name, value] of Object.entries(added.attributes)) setAttribute(old, name, value)
    if (added.attributes['w:val'] === undefined) setAttribute(old, 'w:val', undefined)
    return
  }
  if (old !== undefined) remove(old)
  insertInOrder(properties, added, order)
}

export function addFirst(parent: Element, xml: string): Element {
  const [added] = fragment(xml) as [Element]
  insertChildren(parent, 0, [added])
  return added
}

function addInOrder(parent: Element, xml: string, order: readonly string[]): Element {
  const [added] = fragment(xml) as [Element]
  insertInOrder(parent, added, order)
  return added
}
