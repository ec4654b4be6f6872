import { attribute, childNamed, childrenNamed, type XmlElement } from '../xml/parse-xml.ts'
import type { ListPlace } from './numbering.ts'

export interface ParagraphStyle {
  heading?: number | undefined
  list?: ListPlace | undefined
  isHidden?: boolean
}

/** Styles of a Word document by ID, with what they inherit. */
export function readStyles(root: XmlElement | undefined): ReadonlyMap<string, ParagraphStyle> {
  const nodes = new Map<string, XmlElement>()
  const styles = childNamed(root, 'styles')
  for (const each of styles === undefined ? [] : childrenNamed(styles, 'style'))
    nodes.set(attribute(each, 'styleId') ?? '', each)
  const found = new Map<string, ParagraphStyle>()
  const resolve = (id: string, depth: number): ParagraphStyle => {
    const known = found.get(id)
    if (known !== undefined) return known
    const node = nodes.get(id)
    if (node === undefined || depth > 20) return {}
    const base = valueOf(node, 'basedOn')
    const style: ParagraphStyle = base === undefined ? {} : { ...resolve(base, depth + 1) }
    const properties = childNamed(node, 'pPr')
    const name = valueOf(node, 'name') ?? ''
    const level = /^heading (\d)$/i.exec(name)?.[1]
    if (level !== undefined) style.heading = Number(level)
    else if (/^title$/i.test(name)) style.heading = 1
    else style.heading = headingLevel(properties) ?? style.heading
    style.list = listPlace(properties, style.list) ?? style.list
    if (isOn(childNamed(childNamed(node, 'rPr'), 'vanish'))) style.isHidden = true
    found.set(id, style)
    return style
  }
  for (const id of nodes.keys()) resolve(id, 0)
  return found
}

/** Level of a paragraph in the outline. Level 9 is body text. */
export function headingLevel(properties: XmlElement | undefined): number | undefined {
  const level = Number(valueOf(properties, 'outlineLvl') ?? 9)
  return level >= 0 && level < 9 ? level + 1 : undefined
}

/** A paragraph may name only the level and take the list from its style. */
export function listPlace(properties: XmlElement | undefined, inherited: ListPlace | undefined): ListPlace | undefined {
  const node = childNamed(properties, 'numPr')
  if (node === undefined) return undefined
  const numId = valueOf(node, 'numId') ?? inherited?.numId
  const level = Number(valueOf(node, 'ilvl') ?? inherited?.level ?? 0)
  if (numId === undefined) return undefined
  return { numId, level: Number.isInteger(level) && level >= 0 && level < 9 ? level : 0 }
}

export function valueOf(node: XmlElement | undefined, local: string): string | undefined {
  const child = childNamed(node, local)
  return child === undefined ? undefined : attribute(child, 'val')
}

/** A switch such as `<w:b/>`, which is on unless it says otherwise. */
export function isOn(node: XmlElement | undefined): boolean {
  return node !== undefined && !/^(0|false|off|none)$/i.test(attribute(node, 'val') ?? '')
}
