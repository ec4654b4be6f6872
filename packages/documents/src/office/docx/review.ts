import type { OfficeActionOf } from '@troupe/core'
import {
  append,
  below,
  child,
  contentOf,
  type Element,
  elements,
  fragment,
  insertAfter,
  insertBefore,
  insertChildren,
  type Node,
  remove,
  replaceWith,
  valueOf,
} from '../../xml/edit-xml.ts'
import { localName } from '../../xml/parse-xml.ts'
import { declaration } from '../shared/package.ts'
import { author, type Docx, stories, useWordPrefixes } from './document.ts'
import { isolate, textXml } from './paragraph-text.ts'
import { findPlace } from './paragraphs.ts'

export function addComment(docx: Docx, { find, text }: OfficeActionOf<'add_comment'>): void {
  const { paragraph, fields, match } = findPlace(docx, find)
  const root = commentsRoot(docx)
  const id = Math.max(-1, ...elements(root, 'comment').map((each) => Number(valueOf(each, 'id') ?? 0))) + 1
  const paragraphs = text.split('\n').map((line) => `<w:p><w:r>${textXml(line)}</w:r></w:p>`)
  append(
    root,
    ...fragment(
      `<w:comment w:id="${id}" w:author="${author}" w:date="${docx.date}" w:initials="T">${paragraphs.join('')}</w:comment>`,
    ),
  )
  const runs = isolate(paragraph, fields, match).map((run) => topRun(run, paragraph))
  insertBefore(runs[0]!, ...fragment(`<w:commentRangeStart w:id="${id}"/>`))
  insertAfter(
    runs.at(-1)!,
    ...fragment(`<w:commentRangeEnd w:id="${id}"/><w:r><w:commentReference w:id="${id}"/></w:r>`),
  )
}

/** The child of the paragraph that holds a run, so that a range never starts inside a hyperlink and ends outside. */
function topRun(run: Element, paragraph: Element): Element {
  let each = run
  while (each.parent !== undefined && each.parent !== paragraph) each = each.parent
  return each
}

function commentsRoot({ pkg, main }: Docx): Element {
  let part = pkg.related(main, 'comments')
  if (part === undefined) {
    part = pkg.add(
      'word/comments.xml',
      `${declaration}<w:comments xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"/>`,
      'application/vnd.openxmlformats-officedocument.wordprocessingml.comments+xml',
    )
    pkg.relate(main, 'comments', part)
  }
  const root = pkg.root(part)
  useWordPrefixes(pkg, root)
  return root
}

export function removeComments(docx: Docx, { text }: OfficeActionOf<'remove_comments'>): void {
  const part = docx.pkg.related(docx.main, 'comments')
  const all = part === undefined ? [] : elements(docx.pkg.root(part), 'comment')
  const chosen = all.filter((comment) => text === undefined || contentOf(comment).includes(text))
  if (chosen.length === 0)
    throw new Error(
      text === undefined ? 'The document has no comments.' : `No comment contains ${JSON.stringify(text)}.`,
    )
  const ids = new Set(chosen.map((comment) => valueOf(comment, 'id')))
  for (const comment of chosen) remove(comment)
  for (const mark of below(docx.root, 'commentRangeStart', 'commentRangeEnd', 'commentReference')) {
    if (!ids.has(valueOf(mark, 'id'))) continue
    const run = mark.parent
    remove(mark)
    if (
      run !== undefined &&
      localName(run.name) === 'r' &&
      elements(run).every(({ name }) => localName(name) === 'rPr')
    )
      remove(run)
  }
}

const changeNames = [
  'ins',
  'del',
  'moveFrom',
  'moveTo',
  'rPrChange',
  'pPrChange',
  'tblPrChange',
  'trPrChange',
  'tcPrChange',
  'sectPrChange',
  'tblGridChange',
  'numberingChange',
  'cellIns',
  'cellDel',
]

/** Accepts or rejects tracked changes. */
export function reviewChanges(docx: Docx, { decision, author: by, text }: OfficeActionOf<'review_changes'>): void {
  const isAccepted = decision === 'accept'
  let count = 0
  for (const { root } of stories(docx)) {
    const changes = below(root, ...changeNames).filter(
      (change) =>
        valueOf(change, 'id') !== undefined &&
        (by === undefined || valueOf(change, 'author') === by) &&
        (text === undefined ||
          (localName(change.parent?.name ?? '') === 'rPr'
            ? contentOf(paragraphOf(change))
            : contentOf(change)
          ).includes(text)),
    )
    count += changes.length
    // Inner changes first: an insertion can contain a deletion.
    for (const change of changes.toReversed()) settle(change, isAccepted)
    for (const mark of below(root, 'moveFromRangeStart', 'moveFromRangeEnd', 'moveToRangeStart', 'moveToRangeEnd'))
      if (text === undefined && by === undefined) remove(mark)
  }
  if (count === 0) throw new Error('The document has no such tracked changes.')
}

function paragraphOf(node: Node): Node {
  for (let each = node.parent; each !== undefined; each = each.parent) if (localName(each.name) === 'p') return each
  return node
}

function settle(change: Element, isAccepted: boolean): void {
  const { parent } = change
  if (parent === undefined) return
  const local = localName(change.name)
  if (local.endsWith('Change')) {
    if (isAccepted || local === 'numberingChange' || local === 'tblGridChange') remove(change)
    else restoreProperties(change)
    return
  }
  if (local === 'cellIns' || local === 'cellDel') {
    const cell = parent.parent
    remove(change)
    if ((local === 'cellIns') !== isAccepted && cell !== undefined) remove(cell)
    return
  }
  const isInsertion = local === 'ins' || local === 'moveTo'
  const isKept = isInsertion === isAccepted
  const place = localName(parent.name)
  if (place === 'rPr') settleParagraphMark(change, isKept)
  else if (place === 'trPr') {
    const row = parent.parent
    remove(change)
    if (!isKept && row !== undefined) removeRow(row)
  } else if (isKept) keep(change)
  else remove(change)
}

/** Puts the content of a change in its place. Deleted text becomes text again. */
function keep(change: Element): void {
  for (const deleted of below(change, 'delText', 'delInstrText')) {
    const name = localName(deleted.name) === 'delText' ? 'w:t' : 'w:instrText'
    const [made] = fragment(`<${name} xml:space="preserve"/>`) as [Element]
    append(made, ...deleted.children.slice())
    replaceWith(deleted, made)
  }
  replaceWith(change, ...change.children.slice())
}

/** A paragraph whose mark goes is joined with the next one. */
function settleParagraphMark(change: Element, isKept: boolean): void {
  const paragraph = change.parent?.parent?.parent
  remove(change)
  if (isKept || paragraph?.parent === undefined || localName(paragraph.name) !== 'p') return
  const siblings = elements(paragraph.parent)
  const next = siblings[siblings.indexOf(paragraph) + 1]
  const content = paragraph.children.filter((node) => node.name !== undefined && localName(node.name) !== 'pPr')
  if (next !== undefined && localName(next.name) === 'p') {
    const properties = child(next, 'pPr')
    insertChildren(next, properties === undefined ? 0 : next.children.indexOf(properties) + 1, content)
    remove(paragraph)
  } else if (content.length === 0 && siblings.filter(({ name }) => localName(name) === 'p').length > 1)
    remove(paragraph)
}

function removeRow(row: Element): void {
  const table = row.parent
  remove(row)
  if (table !== undefined && localName(table.name) === 'tbl' && elements(table, 'tr').length === 0) remove(table)
}

function restoreProperties(change: Element): void {
  const properties = change.parent
  if (properties === undefined) return
  const [old] = elements(change)
  const kept = elements(properties).filter(
    (each) => ['rPr', 'sectPr'].includes(localName(each.name)) && localName(properties.name) === 'pPr',
  )
  for (const each of properties.children.slice()) remove(each)
  append(properties, ...(old?.children.slice() ?? []), ...kept)
}
