import { childNamed, childrenNamed, elementsOf, localName, type XmlElement } from '../xml/parse-xml.ts'

/** The first version of a content, which the newest programs show, unless it is empty. */
export function alternative(node: XmlElement): XmlElement[] {
  const [choice] = childrenNamed(node, 'Choice')
  const chosen = elementsOf(choice)
  return chosen.length > 0 ? chosen : elementsOf(childNamed(node, 'Fallback'))
}

/** Elements in a drawing, without those inside a text box and without the fallback of newer content. */
export function* drawingNodes(node: XmlElement): Generator<XmlElement> {
  for (const child of localName(node.name) === 'AlternateContent' ? alternative(node) : elementsOf(node)) {
    yield child
    if (localName(child.name) !== 'txbxContent') yield* drawingNodes(child)
  }
}

/** Rows and cells may be in content controls. */
export function tableRowNodes(node: XmlElement): XmlElement[] {
  return unwrapped(node, 'tr')
}

export function rowCells(row: XmlElement): XmlElement[] {
  return unwrapped(row, 'tc')
}

function unwrapped(parent: XmlElement, local: string): XmlElement[] {
  return elementsOf(parent).flatMap((child) => {
    const name = localName(child.name)
    if (name === local) return [child]
    if (name === 'sdt') return unwrapped(childNamed(child, 'sdtContent') ?? child, local)
    return ['customXml', 'smartTag', 'ins', 'del', 'moveTo', 'moveFrom'].includes(name) ? unwrapped(child, local) : []
  })
}
