import { type Element, below, child, closest, elements, prefixOf, valueOf } from '../../xml/edit-xml.ts'
import { localName } from '../../xml/parse-xml.ts'
import { declarePrefix, type OfficePackage } from '../shared/package.ts'

/** A Word document during an edit. */
export interface Docx {
  pkg: OfficePackage
  main: string
  root: Element
  body: Element
  /** For tracked changes and comments. */
  date: string
  /** Real paths of pictures by the names that actions use. */
  pictures: Readonly<Record<string, string>>
  notes: Set<string>
}

export const author = 'Troupe'
const wordAddress = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'
const strictAddress = 'http://purl.oclc.org/ooxml/wordprocessingml/main'

export function openDocx(
  pkg: OfficePackage,
  given: { date: string; pictures: Readonly<Record<string, string>>; notes: Set<string> },
): Docx {
  const main = pkg.main()
  const root = pkg.root(main)
  const body = child(root, 'body')
  if (body === undefined) throw new Error('The file is damaged: the document has no body.')
  useWordPrefixes(pkg, root)
  return { pkg, main, root, body, ...given }
}

/** New elements use `w:` and `r:`, so a part with other prefixes must declare them. */
export function useWordPrefixes(pkg: OfficePackage, root: Element): void {
  const isStrict = pkg.isStrict()
  if (prefixOf(root) !== 'w:') declarePrefix(root, 'w', isStrict ? strictAddress : wordAddress)
}

export function useRelationshipPrefix({ pkg }: Docx, root: Element): void {
  declarePrefix(
    root,
    'r',
    pkg.isStrict()
      ? 'http://purl.oclc.org/ooxml/officeDocument/relationships'
      : 'http://schemas.openxmlformats.org/officeDocument/2006/relationships',
  )
}

/** A part with text: the document, its headers, footers and notes. */
export interface Story {
  name: string
  part: string
  root: Element
}

export function stories({ pkg, main, root }: Docx): Story[] {
  const kinds: Record<string, string> = {
    header: 'Header',
    footer: 'Footer',
    footnotes: 'Footnote',
    endnotes: 'Endnote',
  }
  const others = pkg
    .relationships(main)
    .filter(({ kind, isExternal, target }) => kinds[kind] !== undefined && !isExternal && pkg.has(target))
    .map(({ kind, target }) => ({ name: kinds[kind]!, part: target, root: pkg.root(target) }))
  for (const other of others) useWordPrefixes(pkg, other.root)
  return [{ name: '', part: main, root }, ...others]
}

/** All paragraphs of a part, without the second copy of text boxes that old programs get. */
export function paragraphsOf(root: Element): Element[] {
  return below(root, 'p').filter(
    (paragraph) => prefixOf(paragraph) !== 'a:' && closest(paragraph, 'Fallback') === undefined,
  )
}

/** The paragraph or table that is a direct child of the body, of a cell or of another container. */
export function blockOf(paragraph: Element, container: Element): Element {
  let block = paragraph
  while (block.parent !== undefined && block.parent !== container) block = block.parent
  return block
}

const containers = new Set(['body', 'tc', 'hdr', 'ftr', 'footnote', 'endnote', 'comment', 'txbxContent', 'sdtContent'])

export function containerOf(paragraph: Element): Element {
  let each = paragraph.parent
  while (each?.parent !== undefined && !containers.has(localName(each.name))) each = each.parent
  return each!
}

/** A number that no element of this kind uses as its id yet. */
export function freeId(docx: Docx, ...locals: string[]): number {
  let most = 0
  for (const { root } of stories(docx))
    for (const element of below(root, ...locals)) most = Math.max(most, Number(valueOf(element, 'id') ?? 0) || 0)
  return most + 1
}

/** The id for a new tracked change. */
export function changeMark(
  docx: Docx,
  id = freeId(docx, 'ins', 'del', 'moveFrom', 'moveTo', 'rPrChange', 'pPrChange'),
): string {
  return `w:id="${id}" w:author="${author}" w:date="${docx.date}"`
}

/** Styles by id with their names. */
export function stylesOf({ pkg, main }: Docx): Map<string, { name: string; kind: string; element: Element }> {
  const part = pkg.related(main, 'styles')
  const found = new Map<string, { name: string; kind: string; element: Element }>()
  if (part === undefined) return found
  for (const element of elements(pkg.root(part), 'style')) {
    const id = valueOf(element, 'styleId')
    if (id === undefined) continue
    const name = valueOf(child(element, 'name'), 'val') ?? id
    found.set(id, { name, kind: valueOf(element, 'type') ?? 'paragraph', element })
  }
  return found
}
