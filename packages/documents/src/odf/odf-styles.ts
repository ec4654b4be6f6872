import { formatNumber } from '../text/numbers.ts'
import { attribute, childNamed, descendants, localName, type XmlElement } from '../xml/parse-xml.ts'

export interface OdfStyles {
  text: ReadonlyMap<string, { isBold: boolean; isItalic: boolean; isHidden: boolean }>
  /** The format of each level of a list, from 1. Undefined for bullets. */
  lists: ReadonlyMap<string, ReadonlyMap<number, { format: string; prefix: string; suffix: string }>>
  /** Styles of slides that are not shown. */
  hiddenPages: ReadonlySet<string>
}

/** Styles of an OpenDocument file, from its content and its common styles. */
export function readOdfStyles(roots: readonly (XmlElement | undefined)[]): OdfStyles {
  const text = new Map<string, { isBold: boolean; isItalic: boolean; isHidden: boolean }>()
  const lists = new Map<string, Map<number, { format: string; prefix: string; suffix: string }>>()
  const hiddenPages = new Set<string>()
  for (const root of roots) {
    if (root === undefined) continue
    for (const style of descendants(root, 'style')) {
      const name = attribute(style, 'name') ?? ''
      const properties = childNamed(style, 'text-properties')
      if (properties !== undefined)
        text.set(name, {
          isBold: properties.attributes['fo:font-weight'] === 'bold',
          isItalic: properties.attributes['fo:font-style'] === 'italic',
          isHidden: properties.attributes['text:display'] === 'none',
        })
      const page = childNamed(style, 'drawing-page-properties')
      if (page !== undefined && attribute(page, 'visibility') === 'hidden') hiddenPages.add(name)
    }
    for (const list of descendants(root, 'list-style')) {
      const levels = new Map<number, { format: string; prefix: string; suffix: string }>()
      for (const level of list.children)
        if (level.name !== undefined && localName(level.name) === 'list-level-style-number')
          levels.set(Number(attribute(level, 'level') ?? 1), {
            format: attribute(level, 'num-format') ?? '1',
            prefix: attribute(level, 'num-prefix') ?? '',
            suffix: attribute(level, 'num-suffix') ?? '',
          })
      lists.set(attribute(list, 'name') ?? '', levels)
    }
  }
  return { text, lists, hiddenPages }
}

const formats: Readonly<Record<string, string>> = {
  a: 'lowerLetter',
  A: 'upperLetter',
  i: 'lowerRoman',
  I: 'upperRoman',
}

/** The label of a list item: `-` or `2.`. */
export function odfLabel(styles: OdfStyles, style: string, level: number, count: number): string {
  const own = styles.lists.get(style)?.get(level)
  if (own === undefined) return '-'
  if (own.format === '') return ''
  return `${own.prefix}${formatNumber(count, formats[own.format] ?? 'decimal')}${own.suffix}`
}
