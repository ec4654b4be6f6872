import type { Block } from './page-layout.ts'
import type { Segment } from './page-lines.ts'

/** Writes the blocks of a page as Markdown. `body` is the usual font size, which headings exceed. */
export function toMarkdown(blocks: readonly Block[], body: number): string {
  const parts: string[] = []
  for (const block of blocks) {
    const table = toTable(block)
    if (table === undefined) writeLines(block, body, parts)
    else parts.push(table)
  }
  return parts.join('\n\n')
}

/** A table needs at least two columns, most of them filled, and one cell per place. */
function toTable({ rows, columns }: Block): string | undefined {
  if (columns === undefined || columns.length < 2 || columns.length > 40 || rows.length < 2) return undefined
  const lines: string[][] = []
  for (const row of rows) {
    const cells = Array.from({ length: columns.length }, () => '')
    for (const { x0, text } of row) {
      const at = columns.findLastIndex((left) => x0 >= left - 1)
      if (at === -1 || cells[at] !== '') return undefined
      cells[at] = text.replaceAll('|', '\\|')
    }
    lines.push(cells)
  }
  const filled = lines.flat().filter((cell) => cell !== '').length
  if (filled < lines.length * columns.length * 0.6) return undefined
  const [head = [], ...rest] = lines
  const write = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [write(head), write(head.map(() => '---')), ...rest.map(write)].join('\n')
}

function writeLines({ rows }: Block, body: number, parts: string[]): void {
  let paragraph: string[] = []
  let before: Segment[] | undefined
  let level: number | undefined
  const end = (): void => {
    if (paragraph.length > 0)
      parts.push(
        level === undefined || paragraph.length > 4
          ? paragraph.join('\n')
          : `${'#'.repeat(level)} ${paragraph.join(' ')}`,
      )
    paragraph = []
  }
  for (const row of rows) {
    const text = row.map((segment) => segment.text).join('   ')
    if (text.trim() === '') continue
    const next = headingLevel(row, text, body)
    if (before !== undefined && (next !== level || isApart(before, row))) end()
    level = next
    paragraph.push(level === undefined ? asListItem(text) : text)
    before = row
  }
  end()
}

function headingLevel(row: readonly Segment[], text: string, body: number): number | undefined {
  const size = Math.max(...row.map((segment) => segment.size))
  if (row.length > 1 || text.length > 200 || !/\p{L}/u.test(text) || body <= 0) return undefined
  const ratio = size / body
  if (ratio >= 1.8) return 1
  if (ratio >= 1.35) return 2
  return ratio >= 1.15 ? 3 : undefined
}

function isApart(before: readonly Segment[], row: readonly Segment[]): boolean {
  const bottom = Math.max(...before.map(({ y1 }) => y1))
  const top = Math.min(...row.map(({ y0 }) => y0))
  return top - bottom > Math.max(...row.map(({ size }) => size)) * 0.6
}

/** Bullets are drawn with many characters, some of them from symbol fonts. */
function asListItem(text: string): string {
  return text.replace(/^[•‣▪▫◦●○■□➢❖\uf0b7\uf0a7\uf0d8]\s+/u, '- ')
}
