import type { DocumentLayout, LayoutBlock } from '@troupe/core'
import { mainPart, relationshipsOf } from '../package/relationships.ts'
import type { ZipPackage } from '../package/zip-package.ts'
import type { DocumentReading } from '../reader.ts'
import { countBlocks } from '../text/blocks.ts'
import { oneLine } from '../text/markdown.ts'
import { attribute, descendants, elementsOf, localName, textOf, type XmlElement } from '../xml/parse-xml.ts'
import { eachChild } from '../xml/stream-xml.ts'
import { readLayoutStyles } from './layout-styles.ts'
import { pageOf, wordLayout } from './layout.ts'
import { readNumbering } from './numbering.ts'
import { readStyles } from './styles.ts'
import { noFacts } from './word-context.ts'
import { wordText } from './word-text.ts'

const maxCharacters = 200_000
const maxBlocks = 500
/** Bytes of the pictures of one answer. */
const maxPictures = 12 * 2 ** 20

/** A part of a Word document with its formatting, from the paragraph with this number on. */
export async function readLayout(parts: ZipPackage, offset = 1): Promise<Pick<DocumentReading, 'layout' | 'next'>> {
  const main = await mainPart(parts, 'word/document.xml')
  const relationships = await relationshipsOf(parts, main)
  const partOf = (type: string): string | undefined =>
    [...relationships.values()].find((each) => each.type === type && !each.isExternal)?.target
  const xml = async (type: string): Promise<XmlElement | undefined> => {
    const part = partOf(type)
    return part === undefined ? undefined : parts.xml(part)
  }
  const stylesXml = await xml('styles')
  const numberingXml = await xml('numbering')
  const pictures = await loadPictures(parts, [...relationships.values()])
  const notes = new Set<string>()
  const comments = new Set<string>()
  const context = {
    styles: readLayoutStyles(stylesXml),
    outline: readStyles(stylesXml),
    numbering: readNumbering(numberingXml),
    relationships,
    picture: (part: string) => pictures.get(part),
    notes,
    comments,
  }
  const convert = wordLayout(context)
  // Only its count is used: the numbers of paragraphs are those that agents cite.
  const count = wordText({
    styles: context.outline,
    numbering: readNumbering(numberingXml),
    relationships,
    footnotes: new Map(),
    endnotes: new Map(),
    comments: new Map(),
    figures: new Map(),
    seen: noFacts(),
  })
  const blocks: LayoutBlock[] = []
  let page = pageOf(undefined)
  let number = 1
  let characters = 0
  let next: number | undefined
  eachChild((await parts.text(main)) ?? '', 'body', (child) => {
    if (localName(child.name) === 'sectPr') page = pageOf(child)
    const first = number
    number += countBlocks(count([child]))
    // All are converted, since lists and fields continue.
    const isBefore = number <= offset && first < offset
    const known = isBefore || next !== undefined ? { notes: new Set(notes), comments: new Set(comments) } : undefined
    const made = convert([child], first)
    if (known !== undefined) {
      restore(notes, known.notes)
      restore(comments, known.comments)
      return
    }
    characters += made.reduce((sum, block) => sum + textLength(block), 0)
    blocks.push(...made)
    if (blocks.length >= maxBlocks || characters > maxCharacters) next = number
  })
  const layout: DocumentLayout = {
    page,
    blocks,
    notes: await readNotes(parts, { partOf, wanted: notes, context }),
    comments: readComments(await xml('comments'), await xml('commentsExtended'), comments),
  }
  return { layout, ...(next !== undefined && next < number && { next: { offset: next } }) }
}

function restore(set: Set<string>, before: ReadonlySet<string>): void {
  for (const one of set) if (!before.has(one)) set.delete(one)
}

function textLength(block: LayoutBlock): number {
  if (block.kind === 'paragraph') return block.runs.reduce((sum, { text }) => sum + text.length, 10)
  const cells = block.rows.flatMap((row) => row.cells)
  return cells.reduce((sum, cell) => sum + cell.blocks.reduce((all, one) => all + textLength(one), 0), 10)
}

const pictureTypes = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
  ['bmp', 'image/bmp'],
  ['svg', 'image/svg+xml'],
])

/** Pictures as data URLs, as many as fit. Browsers run nothing in a picture. */
async function loadPictures(
  parts: ZipPackage,
  relationships: readonly { type: string; target: string; isExternal: boolean }[],
): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  let total = 0
  for (const { type, target, isExternal } of relationships) {
    const mediaType = pictureTypes.get(target.split('.').at(-1)?.toLowerCase() ?? '')
    const size = parts.size(target)
    if (type !== 'image' || isExternal || mediaType === undefined || size === undefined) continue
    if (found.has(target) || total + size > maxPictures) continue
    const bytes = await parts.bytes(target)
    if (bytes === undefined) continue
    total += bytes.length
    found.set(target, `data:${mediaType};base64,${bytes.toString('base64')}`)
  }
  return found
}

async function readNotes(
  parts: ZipPackage,
  options: {
    partOf: (type: string) => string | undefined
    wanted: ReadonlySet<string>
    context: Parameters<typeof wordLayout>[0]
  },
): Promise<DocumentLayout['notes']> {
  const { partOf, wanted, context } = options
  const found: DocumentLayout['notes'] = []
  for (const kind of ['footnote', 'endnote']) {
    const part = partOf(`${kind}s`)
    const root = part === undefined ? undefined : await parts.xml(part)
    if (part === undefined || root === undefined) continue
    const convert = wordLayout({ ...context, relationships: await relationshipsOf(parts, part) })
    for (const node of descendants(root, kind)) {
      const label = attribute(node, 'id') ?? ''
      const id = `${kind} ${label}`
      if (wanted.has(id)) found.push({ id, label, blocks: convert(elementsOf(node), 0) })
    }
  }
  return found
}

function readComments(
  root: XmlElement | undefined,
  extended: XmlElement | undefined,
  wanted: ReadonlySet<string>,
): DocumentLayout['comments'] {
  const done = new Set<string>()
  for (const each of extended === undefined ? [] : descendants(extended, 'commentEx'))
    if (attribute(each, 'done') === '1') done.add(attribute(each, 'paraId') ?? '')
  return [...(root === undefined ? [] : descendants(root, 'comment'))].flatMap((node) => {
    const id = attribute(node, 'id') ?? ''
    if (!wanted.has(id)) return []
    const paragraphs = [...descendants(node, 'p')]
    const text = paragraphs.map((each) => [...descendants(each, 't')].map(textOf).join('')).join('\n')
    const isResolved = paragraphs.some((each) => done.has(attribute(each, 'paraId') ?? ' '))
    const date = attribute(node, 'date')?.slice(0, 10)
    return [{ id, author: oneLine(attribute(node, 'author') ?? ''), ...(date && { date }), isResolved, text }]
  })
}
