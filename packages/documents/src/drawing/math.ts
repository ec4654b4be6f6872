import { attribute, childNamed, childrenNamed, localName, textOf, type XmlElement } from '../xml/parse-xml.ts'

/** An equation of Office (OMML) as TeX. */
export function mathText(node: XmlElement): string {
  return `$${content(node).trim()}$`
}

function content(node: XmlElement | undefined): string {
  if (node === undefined) return ''
  return node.children.map((child) => (child.name === undefined ? '' : element(child))).join('')
}

function element(node: XmlElement): string {
  const of = (local: string): string => content(childNamed(node, local))
  const property = (local: string): string | undefined => {
    const found = childNamed(childNamed(node, `${localName(node.name)}Pr`), local)
    return found === undefined ? undefined : (attribute(found, 'val') ?? '')
  }
  switch (localName(node.name)) {
    case 'r':
      return childrenNamed(node, 't').map(textOf).join('')
    case 't':
      return textOf(node)
    case 'f':
      return `\\frac{${of('num')}}{${of('den')}}`
    case 'sSup':
      return `${of('e')}^{${of('sup')}}`
    case 'sSub':
      return `${of('e')}_{${of('sub')}}`
    case 'sSubSup':
      return `${of('e')}_{${of('sub')}}^{${of('sup')}}`
    case 'sPre':
      return `{}_{${of('sub')}}^{${of('sup')}}${of('e')}`
    case 'rad':
      return of('deg').trim() === '' ? `\\sqrt{${of('e')}}` : `\\sqrt[${of('deg')}]{${of('e')}}`
    case 'nary':
      return `${property('chr') ?? '∫'}_{${of('sub')}}^{${of('sup')}} ${of('e')}`
    case 'd': {
      const inner = childrenNamed(node, 'e')
        .map(content)
        .join(property('sepChr') ?? '|')
      return `${property('begChr') ?? '('}${inner}${property('endChr') ?? ')'}`
    }
    case 'func':
      return `${of('fName')}(${of('e')})`
    case 'acc':
      return `${of('e')}${property('chr') ?? '̂'}`
    case 'bar':
      return `\\overline{${of('e')}}`
    case 'limLow':
      return `${of('e')}_{${of('lim')}}`
    case 'limUpp':
      return `${of('e')}^{${of('lim')}}`
    case 'm':
      return `[${childrenNamed(node, 'mr').map(row).join(' \\\\ ')}]`
    case 'eqArr':
      return childrenNamed(node, 'e').map(content).join(' \\\\ ')
    case 'del':
    case 'moveFrom':
      return ''
    default:
      return localName(node.name).endsWith('Pr') ? '' : content(node)
  }
}

function row(node: XmlElement): string {
  return childrenNamed(node, 'e').map(content).join(' & ')
}
