import type { DocumentPart } from '@troupe/core'

const partNames = ['pages', 'sheet', 'range', 'offset', 'limit', 'images'] as const
type PartName = (typeof partNames)[number]

/** Throws if a part is asked for that this format does not have. `use` says which parts exist. */
export function checkParts(part: DocumentPart, title: string, known: readonly PartName[], use: string): void {
  const wrong = partNames.filter((name) => part[name] !== undefined && part[name] !== false && !known.includes(name))
  if (wrong.length === 0) return
  const names = wrong.map((name) => `"${name}"`).join(' and ')
  throw new Error(`${title.slice(0, 1).toUpperCase()}${title.slice(1)} has no ${names}. ${use}`)
}

/** The numbers that `3`, `10-20`, `1,5-7` or `12-` select, in order. `unit` is `slide`, `chapter` or `message`. */
export function selectPages(pages: string, count: number, unit: string): number[] {
  const chosen = new Set<number>()
  for (const range of pages.split(',')) {
    const match = /^\s*(\d{1,9})\s*(?:(-)\s*(\d{1,9})?\s*)?$/.exec(range)
    if (match === null) throw new Error(`"${pages}" does not select ${unit}s. Use "3", "10-20", "1,5-7" or "12-".`)
    const from = Number(match[1])
    const to = match[2] === undefined ? from : match[3] === undefined ? count : Math.min(Number(match[3]), count)
    if (from < 1 || from > count)
      throw new Error(
        `There is no ${unit} ${from}: the document has ${count === 1 ? `1 ${unit}` : `${count} ${unit}s`}.`,
      )
    for (let number = from; number <= to; number++) chosen.add(number)
  }
  return [...chosen].toSorted((a, b) => a - b)
}

/** `1 slide`, `3 slides`. */
export function countOf(count: number, unit: string, units = `${unit}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? unit : units}`
}

/** `12 KB`, `3.4 MB`. */
export function sizeOf(bytes: number): string {
  if (bytes < 1000) return countOf(bytes, 'byte')
  if (bytes < 999_500) return `${Math.round(bytes / 1000)} KB`
  if (bytes < 999_500_000) return `${(bytes / 1e6).toFixed(1)} MB`
  return `${(bytes / 1e9).toFixed(1)} GB`
}
