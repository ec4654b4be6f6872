import { attribute, childNamed, childrenNamed, descendants, type XmlElement } from '../xml/parse-xml.ts'
import { builtInFormats } from './format-value.ts'

/** The format code of a style number. */
export function formatCodes(root: XmlElement | undefined): (style: number) => string {
  if (root === undefined) return () => 'General'
  const codes = new Map<number, string>()
  for (const format of descendants(root, 'numFmt')) {
    const id = Number(attribute(format, 'numFmtId') ?? NaN)
    if (!Number.isNaN(id)) codes.set(id, attribute(format, 'formatCode') ?? 'General')
  }
  const sheet = childNamed(root, 'styleSheet')
  const styles = childNamed(sheet, 'cellXfs')
  const ids =
    styles === undefined ? [] : childrenNamed(styles, 'xf').map((xf) => Number(attribute(xf, 'numFmtId') ?? 0))
  return (style) => {
    const id = ids[style] ?? 0
    return codes.get(id) ?? builtInFormats[id] ?? 'General'
  }
}
