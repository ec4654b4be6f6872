import type { OfficeActionOf } from '@troupe/core'
import {
  append,
  child,
  type Element,
  elements,
  fragment,
  insertAfter,
  insertChildren,
  remove,
  setAttribute,
  valueOf,
} from '../../xml/edit-xml.ts'
import { declaration } from '../shared/package.ts'
import { buildBlocks, footnoteReference } from './build.ts'
import { type Docx, useRelationshipPrefix, useWordPrefixes } from './document.ts'
import { isolate } from './paragraph-text.ts'
import { findPlace, insertBlocks } from './paragraphs.ts'
import { ensureStyle } from './styles.ts'

const wordType = 'application/vnd.openxmlformats-officedocument.wordprocessingml'
const pageFields = /\{(PAGE|NUMPAGES|DATE)\}/

/** Sets the header or footer of every section. `{PAGE}`, `{NUMPAGES}` and `{DATE}` become fields. */
export function setMargin(docx: Docx, action: OfficeActionOf<'set_header'> | OfficeActionOf<'set_footer'>): void {
  const isHeader = action.action === 'set_header'
  const kind = isHeader ? 'header' : 'footer'
  const type = action.pages ?? 'default'
  const sections = sectionsOf(docx)
  const known = sections
    .flatMap((section) => elements(section, `${kind}Reference`))
    .filter((each) => (valueOf(each, 'type') ?? 'default') === type)
    .map((each) => docx.pkg.targetOf(docx.main, valueOf(each, 'id')))
    .filter((part): part is string => part !== undefined && docx.pkg.has(part))
  const parts = known.length > 0 ? new Set(known) : new Set([newMargin(docx, kind, type, sections)])
  for (const part of parts) {
    const root = docx.pkg.root(part)
    useWordPrefixes(docx.pkg, root)
    const like = elements(root, 'p')[0]
    const blocks = buildBlocks(docx, action.markdown, { part, like })
    for (const block of blocks) expandFields(block)
    for (const old of elements(root)) remove(old)
    append(root, ...(blocks.length === 0 ? fragment('<w:p/>') : blocks))
  }
}

function sectionsOf({ body }: Docx): Element[] {
  const inParagraphs = elements(body, 'p').flatMap((paragraph) => {
    const section = child(paragraph, 'pPr', 'sectPr')
    return section === undefined ? [] : [section]
  })
  const last = elements(body, 'sectPr').at(-1)
  if (last !== undefined) return [...inParagraphs, last]
  const [added] = fragment('<w:sectPr/>') as [Element]
  append(body, added)
  return [...inParagraphs, added]
}

function newMargin(docx: Docx, kind: 'header' | 'footer', type: string, sections: readonly Element[]): string {
  const root = kind === 'header' ? 'hdr' : 'ftr'
  const part = docx.pkg.add(
    `word/${kind}%.xml`,
    `${declaration}<w:${root} xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"/>`,
    `${wordType}.${kind}+xml`,
  )
  const id = docx.pkg.relate(docx.main, kind, part)
  useRelationshipPrefix(docx, docx.root)
  for (const section of sections) {
    insertChildren(section, 0, fragment(`<w:${kind}Reference w:type="${type}" r:id="${id}"/>`))
    if (type === 'first' && child(section, 'titlePg') === undefined) {
      const after = elements(section).findLast(({ name }) =>
        /(Reference|pgSz|pgMar|type|cols|pgNumType|vAlign|noEndnote)$/.test(name),
      )
      insertAfter(after!, ...fragment('<w:titlePg/>'))
    }
  }
  return part
}

/** Replaces marks such as `{PAGE}` in the runs of a new block with fields. */
function expandFields(block: Element): void {
  const runs = elements(block).filter(({ name }) => name === 'w:r')
  for (const run of runs) {
    const text = child(run, 't')
    const content = text?.children.map((node) => (node.name === undefined ? node.text : '')).join('') ?? ''
    if (!pageFields.test(content)) continue
    const properties = child(run, 'rPr')
    const pieces = content.split(/(\{(?:PAGE|NUMPAGES|DATE)\})/).filter((piece) => piece !== '')
    const added = pieces.flatMap((piece) => {
      const field = /^\{(\w+)\}$/.exec(piece)?.[1]
      const [made] = fragment(
        field === undefined
          ? '<w:r><w:t xml:space="preserve"/></w:r>'
          : `<w:fldSimple w:instr=" ${field} "><w:r><w:t>1</w:t></w:r></w:fldSimple>`,
      ) as [Element]
      if (field === undefined)
        append(child(made, 't')!, { text: piece, raw: piece.replaceAll('&', '&amp;').replaceAll('<', '&lt;') })
      return [made]
    })
    insertAfter(run, ...added)
    if (properties !== undefined) setAttribute(run, 'w:rsidR', undefined)
    remove(run)
  }
}

export function addFootnote(docx: Docx, { find, text }: OfficeActionOf<'add_footnote'>): void {
  const { paragraph, fields, match } = findPlace(docx, find)
  const runs = isolate(paragraph, fields, match)
  insertAfter(runs.at(-1)!, ...fragment(footnoteReference(docx, text)))
}

/** A table of contents as a field. Word and LibreOffice fill it when it is updated. */
export function addContents(docx: Docx, { at, where, levels = 3 }: OfficeActionOf<'add_contents'>): void {
  const run = (inner: string): string => `<w:r>${inner}</w:r>`
  const field = [
    run('<w:fldChar w:fldCharType="begin" w:dirty="true"/>'),
    run(`<w:instrText xml:space="preserve"> TOC \\o "1-${levels}" \\h \\z \\u </w:instrText>`),
    run('<w:fldChar w:fldCharType="separate"/>'),
    run('<w:t>Update this field to see the table of contents.</w:t>'),
    run('<w:fldChar w:fldCharType="end"/>'),
  ]
  insertBlocks(docx, fragment(`<w:p>${field.join('')}</w:p>`), at, where ?? (at === undefined ? 'start' : 'after'))
  ensureStyle(docx, 'heading 1')
  const settings = docx.pkg.related(docx.main, 'settings')
  if (settings === undefined) return
  const root = docx.pkg.root(settings)
  useWordPrefixes(docx.pkg, root)
  if (child(root, 'updateFields') !== undefined) return
  const before = [
    'hdrShapeDefaults',
    'footnotePr',
    'endnotePr',
    'compat',
    'docVars',
    'rsids',
    'mathPr',
    'uiCompat97To2003',
    'attachedSchema',
    'themeFontLang',
    'clrSchemeMapping',
    'shapeDefaults',
    'decimalSymbol',
    'listSeparator',
  ]
  const next = elements(root).find(({ name }) => before.includes(name.slice(name.indexOf(':') + 1)))
  insertChildren(
    root,
    next === undefined ? root.children.length : root.children.indexOf(next),
    fragment('<w:updateFields w:val="true"/>'),
  )
}
