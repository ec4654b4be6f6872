import { readFigures } from '../drawing/figures.ts'
import { macroNote } from '../ole/macros.ts'
import { officeProperties } from '../package/properties.ts'
import { mainPart, outsideNote, type Relationship, relationshipsOf } from '../package/relationships.ts'
import type { ZipPackage } from '../package/zip-package.ts'
import type { Block, BlockDocument } from '../text/blocks.ts'
import { oneLine } from '../text/markdown.ts'
import { countOf } from '../text/parts.ts'
import { attribute, childrenNamed, descendants, elementsOf, localName, type XmlElement } from '../xml/parse-xml.ts'
import { eachChild } from '../xml/stream-xml.ts'
import { readNumbering } from './numbering.ts'
import { readStyles } from './styles.ts'
import { noFacts, type WordContext, type WordFacts } from './word-context.ts'
import { wordText } from './word-text.ts'

/** Reads a Word document: its body, then the text of headers and footers. */
export async function readWord(parts: ZipPackage): Promise<BlockDocument> {
  const main = await mainPart(parts, 'word/document.xml')
  const relationships = await relationshipsOf(parts, main)
  const named = (type: string): string | undefined =>
    [...relationships.values()].find((each) => each.type === type && !each.isExternal)?.target
  const optional = async (type: string): Promise<XmlElement | undefined> => {
    const part = named(type)
    return part === undefined ? undefined : parts.xml(part)
  }
  const seen = noFacts()
  const styles = readStyles(await optional('styles'))
  const base: WordContext = {
    styles,
    numbering: readNumbering(await optional('numbering')),
    relationships,
    footnotes: new Map(),
    endnotes: new Map(),
    comments: new Map(),
    figures: await readFigures(parts, relationships),
    seen,
  }
  const outside: Relationship[] = [...relationships.values()]
  /** The text of another part of the document, by the ID of each piece. */
  const pieces = async (type: string, local: string): Promise<Map<string, { node: XmlElement; text: string }>> => {
    const found = new Map<string, { node: XmlElement; text: string }>()
    const part = named(type)
    const root = part === undefined ? undefined : await parts.xml(part)
    if (part === undefined || root === undefined) return found
    const own = await relationshipsOf(parts, part)
    outside.push(...own.values())
    const convert = wordText({ ...base, relationships: own })
    for (const node of descendants(root, local)) {
      if (/separator|continuation/i.test(attribute(node, 'type') ?? '')) continue
      found.set(attribute(node, 'id') ?? '', { node, text: joined(convert(elementsOf(node))) })
    }
    return found
  }
  const footnotes = texts(await pieces('footnotes', 'footnote'))
  const endnotes = texts(await pieces('endnotes', 'endnote'))
  const comments = commentTexts(await pieces('comments', 'comment'), await optional('commentsExtended'))
  const source = (await parts.text(main)) ?? ''
  const blocks: Block[] = []
  const convert = wordText({ ...base, footnotes, endnotes, comments })
  eachChild(source, 'body', (child) => blocks.push(...convert([child])))
  for (const [id, text] of comments) if (!seen.shownComments.has(id)) blocks.push({ text })
  blocks.push(...(await marginBlocks(parts, relationships, base, outside)))
  const project = parts.names.find((name) => /(^|\/)vbaProject\.bin$/i.test(name))
  return {
    blocks,
    facts: [
      await officeProperties(parts),
      ...factsOf(seen),
      countOrNone(footnotes.size + endnotes.size, 'note'),
      countOrNone(comments.size, 'comment'),
    ],
    notes: [
      changesNote(seen),
      seen.hasHidden && 'Text marked [hidden: …] is hidden in the document.',
      project !== undefined && macroNote(await parts.bytes(project, 20 * 2 ** 20).catch(() => undefined), project),
      outsideNote(outside),
      seen.outsideFields.size > 0 &&
        `Fields that load data from outside were not run: ${[...seen.outsideFields].slice(0, 5).join('; ')}.`,
    ],
  }
}

function texts(pieces: ReadonlyMap<string, { text: string }>): Map<string, string> {
  return new Map([...pieces].map(([id, { text }]) => [id, text]))
}

function commentTexts(
  pieces: ReadonlyMap<string, { node: XmlElement; text: string }>,
  extended: XmlElement | undefined,
): Map<string, string> {
  const resolved = new Set<string>()
  for (const each of extended === undefined ? [] : descendants(extended, 'commentEx'))
    if (attribute(each, 'done') === '1') resolved.add(attribute(each, 'paraId') ?? '')
  return new Map(
    [...pieces].map(([id, { node, text }]) => {
      const last = childrenNamed(node, 'p').at(-1)
      const isResolved = last !== undefined && resolved.has(attribute(last, 'paraId') ?? '')
      const author = oneLine(attribute(node, 'author') ?? '') || 'unknown'
      const date = attribute(node, 'date')?.slice(0, 10)
      const about = [`comment ${id} by ${author}`, date, isResolved ? 'resolved' : undefined].filter(Boolean)
      return [id, `[${about.join(', ')}: ${text}]`]
    }),
  )
}

/** Headers and footers, each text once. */
async function marginBlocks(
  parts: ZipPackage,
  relationships: ReadonlyMap<string, Relationship>,
  context: WordContext,
  outside: Relationship[],
): Promise<Block[]> {
  const found = new Set<string>()
  for (const { type, target } of relationships.values()) {
    if (type !== 'header' && type !== 'footer') continue
    const root = await parts.xml(target)
    const own = await relationshipsOf(parts, target)
    outside.push(...own.values())
    const top = root?.children.find(
      (child): child is XmlElement => child.name !== undefined && /^(hdr|ftr)$/.test(localName(child.name)),
    )
    if (top === undefined) continue
    const text = joined(wordText({ ...context, relationships: own })(elementsOf(top)))
    if (text !== '') found.add(`[${type}] ${text}`)
  }
  return [...found].map((text) => ({ text }))
}

function factsOf({ tables, pictures, hasChanges }: WordFacts): (string | undefined | false)[] {
  return [countOrNone(tables, 'table'), countOrNone(pictures, 'picture'), hasChanges && 'tracked changes']
}

function countOrNone(count: number, unit: string): string | undefined {
  return count === 0 ? undefined : countOf(count, unit)
}

function changesNote({ hasChanges, authors }: WordFacts): string | undefined {
  if (!hasChanges) return undefined
  const by = authors.size === 0 ? '' : ` by ${[...authors].slice(0, 10).join(', ')}`
  return `Tracked changes${by}: {++inserted++}, {--deleted--}.`
}

function joined(blocks: readonly Block[]): string {
  return blocks
    .map(({ text }) => text.trim())
    .filter((text) => text !== '')
    .join('\n')
}
