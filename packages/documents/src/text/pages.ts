import type { DocumentPart } from '@troupe/core'
import { type DocumentReading, maxCharacters } from '../reader.ts'
import { present } from './blocks.ts'
import { cleanText } from './markdown.ts'
import { checkParts, countOf, selectPages } from './parts.ts'

export interface PagedDocument {
  /** `slide` */
  unit: string
  count: number
  facts: readonly (string | undefined | false)[]
  notes?: readonly (string | undefined | false)[] | undefined
  /** Lines with the titles of all pages, for the first of several answers. */
  outline?: readonly string[] | undefined
  /** Markdown of a page, by its number from 1. Starts with its anchor: `## [slide 3] Goals`. */
  page(number: number): string | Promise<string>
}

/** The slides or messages that were asked for. `offset` counts lines in the first of them. */
export async function answerPages(
  document: PagedDocument,
  part: DocumentPart,
  title: string,
): Promise<DocumentReading> {
  const { unit, count } = document
  checkParts(part, title, ['pages', 'offset', 'limit'], `Use "pages", which counts ${unit}s.`)
  const facts = [countOf(count, unit), ...present(document.facts)].join(', ')
  const notes = present(document.notes ?? [])
  if (count === 0) return { facts, notes, text: '' }
  // Without pages, `offset` is the number of the first slide, as it is the first line of a text.
  const pages =
    part.pages ?? `${part.offset ?? 1}-${part.limit === undefined ? '' : (part.offset ?? 1) + part.limit - 1}`
  const skipped = part.pages === undefined ? 0 : (part.offset ?? 1) - 1
  const selected = selectPages(pages, count, unit)
  const texts: string[] = []
  const answer = (next: DocumentPart | undefined): DocumentReading => {
    const { outline = [] } = document
    const isStart = part.pages === undefined && part.offset === undefined && next !== undefined && outline.length > 0
    if (isStart) texts.unshift(['Outline:', ...outline].join('\n'))
    return { facts, notes, text: texts.join('\n\n'), next }
  }
  let characters = 0
  for (const [index, number] of selected.entries()) {
    const all = linesOf(await document.page(number))
    const lines = part.outline === true ? all.slice(0, 1) : all
    const from = index === 0 ? skipped : 0
    const to = fitting(lines, from, maxCharacters - characters)
    if (to < lines.length) {
      const pagesLeft = pageRanges(selected.slice(index))
      if (index > 0) return answer({ pages: pagesLeft })
      // A page longer than an answer is continued by its lines.
      texts.push(lines.slice(from, to).join('\n'))
      return answer({ pages: pagesLeft, offset: to + 1 })
    }
    const text = lines.slice(from).join('\n')
    texts.push(text)
    characters += text.length + 2
  }
  const last = selected.at(-1)!
  return answer(last < count && part.pages === undefined ? { pages: `${last + 1}-` } : undefined)
}

const longestLine = 8000

function linesOf(text: string): string[] {
  return cleanText(text)
    .trimEnd()
    .split('\n')
    .flatMap((line) =>
      line.length <= longestLine
        ? [line]
        : Array.from({ length: Math.ceil(line.length / longestLine) }, (_, index) =>
            line.slice(index * longestLine, (index + 1) * longestLine),
          ),
    )
}

function fitting(lines: readonly string[], from: number, characters: number): number {
  let at = from
  for (let left = characters; at < lines.length; at++) {
    left -= lines[at]!.length + 1
    if (left < 0) break
  }
  return at
}

/** Numbers in order as ranges: `3-5,9`. */
function pageRanges(numbers: readonly number[]): string {
  const ranges: [number, number][] = []
  for (const number of numbers) {
    const last = ranges.at(-1)
    if (last !== undefined && last[1] === number - 1) last[1] = number
    else ranges.push([number, number])
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',')
}
