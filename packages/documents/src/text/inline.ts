import { markdownLink } from './markdown.ts'

/** Text with one formatting. */
export interface Segment {
  text: string
  isBold?: boolean
  isItalic?: boolean
  isHidden?: boolean
  change?: 'inserted' | 'deleted' | undefined
}

/** The texts of a paragraph as Markdown. Tracked changes are written as CriticMarkup. */
export function renderSegments(segments: readonly Segment[], isPlain = false): string {
  const merged: Segment[] = []
  for (const segment of segments) {
    if (segment.text === '') continue
    const last = merged.at(-1)
    const own = isPlain ? { ...segment, isBold: false, isItalic: false } : segment
    if (last !== undefined && isSameFormat(last, own)) last.text += own.text
    else merged.push({ ...own })
  }
  return merged.map(renderSegment).join('')
}

function renderSegment({ text, isBold = false, isItalic = false, isHidden = false, change }: Segment): string {
  const inner = text.trim()
  if (inner === '') return text
  const mark = `${isBold ? '**' : ''}${isItalic ? '*' : ''}`
  let shown = `${mark}${inner}${mark}`
  if (isHidden) shown = `[hidden: ${shown}]`
  if (change === 'inserted') shown = `{++${shown}++}`
  if (change === 'deleted') shown = `{--${shown}--}`
  const start = text.indexOf(inner)
  return `${text.slice(0, start)}${shown}${text.slice(start + inner.length)}`
}

function isSameFormat(one: Segment, other: Segment): boolean {
  return (
    Boolean(one.isBold) === Boolean(other.isBold) &&
    Boolean(one.isItalic) === Boolean(other.isItalic) &&
    Boolean(one.isHidden) === Boolean(other.isHidden) &&
    one.change === other.change
  )
}

/** Turns the segments from an index on into a link. */
export function linkSegments(segments: Segment[], from: number, target: string | undefined): void {
  const linked = segments.splice(from)
  const changes = new Set(linked.map(({ change }) => change))
  const change = changes.size === 1 ? linked[0]?.change : undefined
  const plain = change === undefined ? linked : linked.map((each) => ({ ...each, change: undefined }))
  const text = markdownLink(renderSegments(plain, true), target)
  if (text !== '') segments.push({ text, change })
}

/** A character of a symbol font, which has no meaning in another font. */
export function symbolCharacter(code: number, font: string): string {
  const low = code >= 0xf000 && code <= 0xf0ff ? code - 0xf000 : code
  if (/wingdings/i.test(font)) return wingdings.get(low) ?? '▪'
  if (/symbol/i.test(font)) return symbols.get(low) ?? (low >= 0x20 && low < 0x7f ? String.fromCharCode(low) : '•')
  return low === code && code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '•'
}

const wingdings = new Map([
  [0x6f, '☐'],
  [0x78, '☒'],
  [0xa8, '☐'],
  [0xd8, '➢'],
  [0xe0, '→'],
  [0xe8, '➔'],
  [0xfb, '✗'],
  [0xfc, '✓'],
  [0xfd, '☒'],
  [0xfe, '☑'],
  [0x4a, '☺'],
])

/** Greek letters of the font Symbol, by their Latin places. */
const symbols = new Map(
  'ABGDEZHQIKLMNXOPRSTUFCYW'.split('').flatMap((latin, index) => {
    const greek = 'ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ'[index]!
    return [
      [latin.charCodeAt(0), greek],
      [latin.toLowerCase().charCodeAt(0), greek.toLowerCase()],
    ] as [number, string][]
  }),
)
for (const [code, sign] of [
  [0xa3, '≤'],
  [0xb3, '≥'],
  [0xb1, '±'],
  [0xb4, '×'],
  [0xb0, '°'],
  [0xb9, '≠'],
  [0xae, '→'],
  [0xac, '←'],
  [0xb7, '•'],
  [0xa5, '∞'],
  [0xe5, '∑'],
  [0xd6, '√'],
  [0xf2, '∫'],
  [0xd2, '®'],
  [0xd3, '©'],
  [0xd4, '™'],
] as const)
  symbols.set(code, sign)
