import { attribute, escapeXml, localName, parseXml, type XmlElement } from './parse-xml.ts'

/** An element of a document that can be changed. What is not changed is written as it was, byte by byte. */
export interface Element {
  name: string
  attributes: Record<string, string>
  children: Node[]
  parent?: Element | undefined
  /** The original text and offsets in it. Absent for new elements. */
  from?: { text: string; start: number; innerStart: number; innerEnd: number; end: number } | undefined
  /** Attributes have changed. */
  isRetagged?: boolean
  /** Something inside has changed. */
  isChanged?: boolean
}

export interface Text {
  name?: undefined
  text: string
  /** As in the source: text with entities, a comment, or an instruction. */
  raw: string
  parent?: Element | undefined
}

export type Node = Element | Text

/** Parses a document for editing. The root holds everything, including the declaration. */
export function editableXml(source: string): Element {
  return editable(source, parseXml(source))
}

function editable(text: string, { name, attributes, children, start, innerStart, innerEnd, end }: XmlElement): Element {
  const element: Element = {
    name,
    attributes: { ...attributes },
    children: [],
    from: { text, start, innerStart, innerEnd, end },
  }
  let at = innerStart
  const gap = (to: number): void => {
    // Comments and instructions are no nodes of the tree, but must survive.
    if (to > at) element.children.push({ text: '', raw: text.slice(at, to), parent: element })
  }
  for (const child of children) {
    gap(child.start)
    const node: Node =
      child.name === undefined ? { text: child.text, raw: text.slice(child.start, child.end) } : editable(text, child)
    node.parent = element
    element.children.push(node)
    at = Math.max(at, child.end)
  }
  gap(innerEnd)
  return element
}

export function xmlText(node: Node): string {
  if (node.name === undefined) return node.raw
  const { from } = node
  if (from !== undefined && node.isChanged !== true && node.isRetagged !== true)
    return from.text.slice(from.start, from.end)
  const inner =
    from !== undefined && node.isChanged !== true
      ? from.text.slice(from.innerStart, from.innerEnd)
      : node.children.map(xmlText).join('')
  if (node.name === '') return inner
  const opening =
    from !== undefined && node.isRetagged !== true && from.innerStart < from.end
      ? from.text.slice(from.start, from.innerStart)
      : undefined
  if (opening !== undefined) return `${opening}${inner}</${node.name}>`
  const tag = `<${node.name}${Object.entries(node.attributes)
    .map(([key, value]) => ` ${key}="${escapeAttribute(value)}"`)
    .join('')}`
  return inner === '' ? `${tag}/>` : `${tag}>${inner}</${node.name}>`
}

function escapeAttribute(value: string): string {
  return escapeXml(value).replaceAll('\n', '&#10;').replaceAll('\t', '&#9;').replaceAll('\r', '&#13;')
}

/** Parses new elements. Prefixes are those of the document they are put into. */
export function fragment(xml: string): Element[] {
  return editableXml(xml).children.flatMap((child) => {
    if (child.name === undefined) return []
    child.parent = undefined
    return [child]
  })
}

export function text(content: string): Text {
  return { text: content, raw: escapeXml(content) }
}

function markChanged(element: Element | undefined): void {
  for (let each = element; each !== undefined && each.isChanged !== true; each = each.parent) each.isChanged = true
}

export function setAttribute(element: Element, name: string, value: string | undefined): void {
  if (element.attributes[name] === value) return
  if (value === undefined) delete element.attributes[name]
  else element.attributes[name] = value
  element.isRetagged = true
  markChanged(element.parent)
}

export function insertChildren(parent: Element, at: number, nodes: readonly Node[]): void {
  for (const node of nodes) {
    if (node.parent !== undefined) remove(node)
    node.parent = parent
  }
  parent.children.splice(at, 0, ...nodes)
  markChanged(parent)
}

export function append(parent: Element, ...nodes: Node[]): void {
  insertChildren(parent, parent.children.length, nodes)
}

export function insertBefore(reference: Node, ...nodes: Node[]): void {
  insertChildren(reference.parent!, indexOf(reference), nodes)
}

export function insertAfter(reference: Node, ...nodes: Node[]): void {
  insertChildren(reference.parent!, indexOf(reference) + 1, nodes)
}

export function replaceWith(old: Node, ...nodes: Node[]): void {
  insertBefore(old, ...nodes)
  remove(old)
}

export function remove(node: Node): void {
  const { parent } = node
  if (parent === undefined) return
  parent.children.splice(indexOf(node), 1)
  node.parent = undefined
  markChanged(parent)
}

export function setText(element: Element, content: string): void {
  for (const child of element.children) child.parent = undefined
  element.children = []
  append(element, text(content))
}

export function indexOf(node: Node): number {
  return node.parent?.children.indexOf(node) ?? -1
}

/** A copy that belongs nowhere. */
export function copyOf(element: Element): Element {
  return fragment(xmlText(element))[0]!
}

export function elements(parent: Element | undefined, local?: string): Element[] {
  return (parent?.children ?? []).filter(
    (child): child is Element => child.name !== undefined && (local === undefined || localName(child.name) === local),
  )
}

export function child(parent: Element | undefined, ...path: string[]): Element | undefined {
  let found = parent
  for (const local of path) found = elements(found, local)[0]
  return found
}

/** Every element below with one of these local names, in document order. The list stays as it is while they change. */
export function below(parent: Element, ...locals: string[]): Element[] {
  const found: Element[] = []
  const visit = (element: Element): void => {
    for (const node of element.children) {
      if (node.name === undefined) continue
      if (locals.includes(localName(node.name))) found.push(node)
      visit(node)
    }
  }
  visit(parent)
  return found
}

export function closest(node: Node, ...locals: string[]): Element | undefined {
  for (let each = node.parent; each !== undefined; each = each.parent)
    if (locals.includes(localName(each.name))) return each
  return undefined
}

export function contentOf(node: Node): string {
  return node.name === undefined ? node.text : node.children.map(contentOf).join('')
}

/** An attribute by its local name, whatever its prefix. */
export function valueOf(element: Element | undefined, local: string): string | undefined {
  return element === undefined ? undefined : attribute(element, local)
}

/** The prefix of an element with its colon: `w:`, or nothing. */
export function prefixOf({ name }: Element): string {
  return name.slice(0, name.indexOf(':') + 1)
}

/**
 * Puts an element among its siblings in the order that a schema demands. `order` lists local names; what follows in it
 * goes behind.
 */
export function insertInOrder(parent: Element, node: Element, order: readonly string[]): void {
  const rank = order.indexOf(localName(node.name))
  const next = elements(parent).find((sibling) => {
    const other = order.indexOf(localName(sibling.name))
    return other > rank
  })
  if (next === undefined) append(parent, node)
  else insertBefore(next, node)
}
