import { formatNumber } from '../text/numbers.ts'
import { attribute, childNamed, childrenNamed, type XmlElement } from '../xml/parse-xml.ts'

export interface ListPlace {
  numId: string
  level: number
}

interface Level {
  start: number
  format: string
  text: string
  properties?: XmlElement | undefined
}

export interface Numbering {
  /** The label of the next paragraph in a list: `-`, `2.`, `1.3`. Empty if the list shows none. */
  label(place: ListPlace): string
  /** Formatting of the paragraphs on this level. */
  properties(place: ListPlace): XmlElement | undefined
}

/** Counts the items of all lists of a Word document, in document order. */
export function readNumbering(root: XmlElement | undefined): Numbering {
  const numbering = childNamed(root, 'numbering')
  const abstract = new Map<string, { levels: Map<number, Level>; link?: string | undefined }>()
  for (const each of numbering === undefined ? [] : childrenNamed(numbering, 'abstractNum'))
    abstract.set(attribute(each, 'abstractNumId') ?? '', {
      levels: new Map(childrenNamed(each, 'lvl').map((level) => [levelOf(level), readLevel(level)])),
      link: value(each, 'numStyleLink'),
    })
  // A list style is defined by one list and used by others through its name.
  for (const each of numbering === undefined ? [] : childrenNamed(numbering, 'abstractNum')) {
    const style = value(each, 'styleLink')
    const own = abstract.get(attribute(each, 'abstractNumId') ?? '')
    if (style === undefined || own === undefined) continue
    for (const other of abstract.values()) if (other.link === style) other.levels = own.levels
  }
  const lists = new Map<string, { key: string; levels: Map<number, Level>; starts: Map<number, number> }>()
  for (const each of numbering === undefined ? [] : childrenNamed(numbering, 'num')) {
    const key = value(each, 'abstractNumId') ?? ''
    const levels = new Map(abstract.get(key)?.levels)
    const starts = new Map<number, number>()
    for (const override of childrenNamed(each, 'lvlOverride')) {
      const own = childNamed(override, 'lvl')
      if (own !== undefined) levels.set(levelOf(override), readLevel(own))
      const start = Number(value(override, 'startOverride') ?? Number.NaN)
      if (Number.isFinite(start)) starts.set(levelOf(override), start)
    }
    lists.set(attribute(each, 'numId') ?? '', { key, levels, starts })
  }
  // Lists with one definition continue each other, unless they say where they start.
  const counters = new Map<string, number[]>()
  const started = new Set<string>()
  return {
    properties: ({ numId, level }) => lists.get(numId)?.levels.get(level)?.properties,
    label({ numId, level }) {
      const list = lists.get(numId)
      if (list === undefined) return numId === '0' ? '' : '-'
      const counts = counters.get(list.key) ?? []
      counters.set(list.key, counts)
      if (!started.has(numId)) {
        started.add(numId)
        for (const [at, start] of list.starts) counts[at] = start - 1
      }
      const own = list.levels.get(level)
      counts[level] = (counts[level] ?? (own?.start ?? 1) - 1) + 1
      counts.length = level + 1
      if (own === undefined || own.format === 'bullet') return '-'
      if (own.format === 'none') return ''
      return own.text.replace(/%([1-9])/g, (_, digit: string) => {
        const at = Number(digit) - 1
        const shown = list.levels.get(at)
        return formatNumber(counts[at] ?? shown?.start ?? 1, shown?.format ?? 'decimal')
      })
    },
  }
}

function levelOf(node: XmlElement): number {
  const level = Number(attribute(node, 'ilvl') ?? 0)
  return Number.isInteger(level) && level >= 0 && level < 9 ? level : 0
}

function readLevel(node: XmlElement): Level {
  const start = Number(value(node, 'start') ?? 1)
  return {
    start: Number.isFinite(start) ? start : 1,
    format: value(node, 'numFmt') ?? 'decimal',
    text: value(node, 'lvlText') ?? '%1.',
    properties: childNamed(node, 'pPr'),
  }
}

function value(node: XmlElement, local: string): string | undefined {
  const child = childNamed(node, local)
  return child === undefined ? undefined : attribute(child, 'val')
}
