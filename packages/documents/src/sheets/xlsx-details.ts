import { attribute, childNamed, childrenNamed, descendants, textOf, type XmlElement } from '../xml/parse-xml.ts'
import { type CellRange, formatRange, overlaps, parseRange } from './address.ts'
import { oneLine } from './markdown-table.ts'
import type { Relation, XlsxPackage } from './xlsx-package.ts'

/** Items of one kind that are listed before the rest is counted. */
const most = 50

export function mergedRanges(tail: XmlElement): CellRange[] {
  return [...descendants(tail, 'mergeCell')].flatMap((cell) => parseRange(attribute(cell, 'ref') ?? '') ?? [])
}

export function hiddenColumns(head: XmlElement): CellRange[] {
  return [...descendants(head, 'col')]
    .filter((column) => ['1', 'true'].includes(attribute(column, 'hidden') ?? ''))
    .map((column) => ({
      top: 1,
      bottom: Infinity,
      left: Number(attribute(column, 'min') ?? 1),
      right: Number(attribute(column, 'max') ?? 1),
    }))
}

/** Lines about the cells of a range and the objects on their sheet. */
export async function sheetDetails(
  pack: XlsxPackage,
  relations: readonly Relation[],
  tail: XmlElement,
  range: CellRange,
): Promise<string[]> {
  return [
    ...listed('Comments', await comments(pack, relations, range)),
    ...listed('Links', links(tail, relations, range)),
    ...listed('Allowed values', validations(tail, range)),
    ...listed('Tables', await tables(pack, relations)),
    ...listed('Pivot tables', await pivots(pack, relations)),
    ...listed('Charts and pictures', await drawings(pack, relations)),
  ]
}

function listed(title: string, items: readonly string[]): string[] {
  if (items.length === 0) return []
  const lines = items.slice(0, most).map((item) => `- ${item}`)
  if (items.length > most) lines.push(`- and ${items.length - most} more`)
  return ['', `${title}:`, ...lines]
}

function isIn(reference: string | undefined, range: CellRange): boolean {
  return (reference ?? '').split(/\s+/).some((part) => {
    const cells = parseRange(part)
    return cells !== undefined && overlaps(cells, range)
  })
}

async function comments(pack: XlsxPackage, relations: readonly Relation[], range: CellRange): Promise<string[]> {
  const items: string[] = []
  const threaded = new Set<string>()
  const people = await persons(pack)
  for (const { target } of ofType(relations, 'threadedComment')) {
    const root = await pack.xml(target)
    for (const comment of root === undefined ? [] : descendants(root, 'threadedComment')) {
      const cell = attribute(comment, 'ref') ?? ''
      threaded.add(cell)
      const author = people.get(attribute(comment, 'personId') ?? '')
      if (isIn(cell, range)) items.push(commentLine(cell, author, textOf(comment)))
    }
  }
  for (const { target } of ofType(relations, 'comments')) {
    const root = await pack.xml(target)
    if (root === undefined) continue
    const authors = [...descendants(root, 'author')].map(textOf)
    for (const comment of descendants(root, 'comment')) {
      const cell = attribute(comment, 'ref') ?? ''
      if (threaded.has(cell) || !isIn(cell, range)) continue
      const text = [...descendants(comment, 't')].map(textOf).join('')
      items.push(commentLine(cell, authors[Number(attribute(comment, 'authorId') ?? -1)], text))
    }
  }
  return items
}

function commentLine(cell: string, author: string | undefined, text: string): string {
  return `${cell}${author === undefined || author === '' ? '' : ` (${oneLine(author)})`}: ${oneLine(text)}`
}

async function persons(pack: XlsxPackage): Promise<Map<string, string>> {
  const people = new Map<string, string>()
  for (const name of pack
    .names()
    .filter((part) => part.startsWith('xl/persons/'))
    .slice(0, 10)) {
    const root = await pack.xml(name)
    for (const person of root === undefined ? [] : descendants(root, 'person'))
      people.set(attribute(person, 'id') ?? '', attribute(person, 'displayName') ?? '')
  }
  return people
}

function links(tail: XmlElement, relations: readonly Relation[], range: CellRange): string[] {
  return [...descendants(tail, 'hyperlink')]
    .filter((link) => isIn(attribute(link, 'ref'), range))
    .map((link) => {
      const id = Object.entries(link.attributes).find(([name]) => name.endsWith(':id'))?.[1]
      const target = relations.find((relation) => relation.id === id)?.target ?? ''
      const place = attribute(link, 'location')
      return `${attribute(link, 'ref')}: ${oneLine(target)}${place === undefined ? '' : `${target === '' ? '' : '#'}${oneLine(place)}`}`
    })
}

function validations(tail: XmlElement, range: CellRange): string[] {
  return [...descendants(tail, 'dataValidation')].flatMap((rule) => {
    const cells = attribute(rule, 'sqref') ?? [...descendants(rule, 'sqref')].map(textOf).join(' ')
    if (!isIn(cells, range)) return []
    const [first, second] = ['formula1', 'formula2'].map((name) => {
      const formula = childNamed(rule, name)
      return formula === undefined ? undefined : oneLine(textOf(formula))
    })
    const type = attribute(rule, 'type')
    if (type === undefined || first === undefined) return []
    if (type === 'list') return [`${oneLine(cells)}: one of ${first}`]
    const operator = attribute(rule, 'operator') ?? 'between'
    return [`${oneLine(cells)}: ${type} ${operator} ${first}${second === undefined ? '' : ` and ${second}`}`]
  })
}

async function tables(pack: XlsxPackage, relations: readonly Relation[]): Promise<string[]> {
  const items: string[] = []
  for (const { target } of ofType(relations, 'table')) {
    const root = await pack.xml(target)
    const table = root && childNamed(root, 'table')
    if (table === undefined) continue
    const columns = [...descendants(table, 'tableColumn')].slice(0, 30).map((column) => attribute(column, 'name') ?? '')
    const name = attribute(table, 'displayName') ?? attribute(table, 'name') ?? ''
    items.push(`${oneLine(name)} (${attribute(table, 'ref') ?? ''}): ${columns.map(oneLine).join(', ')}`)
  }
  return items
}

async function pivots(pack: XlsxPackage, relations: readonly Relation[]): Promise<string[]> {
  const items: string[] = []
  for (const { target } of ofType(relations, 'pivotTable')) {
    const root = await pack.xml(target)
    const pivot = root && childNamed(root, 'pivotTableDefinition')
    if (pivot === undefined) continue
    const place = childNamed(pivot, 'location')
    items.push(`${oneLine(attribute(pivot, 'name') ?? '')} (${(place && attribute(place, 'ref')) ?? ''})`)
  }
  return items
}

async function drawings(pack: XlsxPackage, relations: readonly Relation[]): Promise<string[]> {
  const items: string[] = []
  for (const { target } of ofType(relations, 'drawing')) {
    const [root, parts] = await Promise.all([pack.xml(target), pack.relations(target)])
    if (root === undefined) continue
    for (const [kind, anchor] of anchors(root)) {
      const at = anchorCell(anchor)
      const picture = [...descendants(anchor, 'pic')][0]
      const properties = [...descendants(anchor, 'cNvPr')][0]
      const label = (properties && (attribute(properties, 'descr') ?? attribute(properties, 'name'))) ?? ''
      if (kind === 'chart') {
        const id = [...descendants(anchor, 'chart')].map((chart) => attribute(chart, 'id'))[0]
        const chart = parts.find((part) => part.id === id)?.target
        items.push(`chart at ${at}: ${chart === undefined ? oneLine(label) : await chartLine(pack, chart)}`)
      } else if (picture !== undefined) items.push(`picture at ${at}: ${oneLine(label)}`)
      else {
        const text = [...descendants(anchor, 't')].map(textOf).join(' ')
        if (text !== '') items.push(`shape at ${at}: ${oneLine(text)}`)
      }
    }
  }
  return items
}

function* anchors(root: XmlElement): Generator<['chart' | 'other', XmlElement]> {
  for (const name of ['twoCellAnchor', 'oneCellAnchor', 'absoluteAnchor'])
    for (const anchor of descendants(root, name))
      yield [[...descendants(anchor, 'chart')].length > 0 ? 'chart' : 'other', anchor]
}

function anchorCell(anchor: XmlElement): string {
  const from = childNamed(anchor, 'from')
  const [column, row] = ['col', 'row'].map((name) => {
    const value = from && childNamed(from, name)
    return value === undefined ? 0 : Number(textOf(value))
  })
  const cell = { top: row! + 1, left: column! + 1, bottom: row! + 1, right: column! + 1 }
  return formatRange(cell)
}

/** The title of a chart, or its kind, with the cells it draws. */
export async function chartLine(pack: XlsxPackage, name: string): Promise<string> {
  const root = await pack.xml(name)
  if (root === undefined) return 'unreadable'
  const title = [...descendants(root, 'title')][0]
  const plot = [...descendants(root, 'plotArea')][0]
  const kind = plot?.children.flatMap((child) => /(\w+)Chart$/.exec(child.name ?? '')?.[1] ?? [])[0] ?? 'unknown'
  const words = title === undefined ? '' : [...descendants(title, 't')].map(textOf).join('')
  const cells = [...new Set([...descendants(root, 'f')].map(textOf))].slice(0, 8)
  return `${words === '' ? '' : `"${oneLine(words)}", `}${kind}${cells.length === 0 ? '' : ` of ${cells.map(oneLine).join(', ')}`}`
}

function ofType(relations: readonly Relation[], type: string): readonly Relation[] {
  return relations.filter((relation) => relation.type === type && !relation.isExternal).slice(0, 100)
}

export function definedNames(workbook: XmlElement): { name: string; refersTo: string }[] {
  const list = childNamed(workbook, 'definedNames')
  if (list === undefined) return []
  return childrenNamed(list, 'definedName')
    .filter((name) => !['1', 'true'].includes(attribute(name, 'hidden') ?? ''))
    .map((name) => ({ name: attribute(name, 'name') ?? '', refersTo: textOf(name) }))
}
