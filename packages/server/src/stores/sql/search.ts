import type { Part } from '@troupe/core'
import { callText, isCall } from './call-text.ts'

const markStart = '\uE000'
const markEnd = '\uE001'
const snippetContext = 70
/** Longer texts are searchable up to here: indexing must not hold up a turn. */
const indexedCharacters = 200_000

/** What is said in a message: its text parts, nothing else. */
export function partsText(parts: Part[]): string {
  return parts
    .filter((part): part is Extract<Part, { type: 'text' }> => part.type === 'text' && typeof part.text === 'string')
    .map((part) => part.text)
    .join('\n')
}

/** What is said in a message, and then what its calls hold. */
export function wholeText(parts: Part[]): string {
  return [partsText(parts), ...parts.filter(isCall).map(callText)].join('\n').trim()
}

export function searchText(role: string, parts: Part[]): string {
  return role === 'user' || role === 'assistant' ? fold(wholeText(parts).slice(0, indexedCharacters)) : ''
}

/** Case, accents, widths and control characters make no difference to a search. */
export function fold(text: string): string {
  // oxlint-disable-next-line no-control-regex
  const plain = text.replace(/[\u0000-\u001F\u007F\uE000\uE001]/g, ' ')
  // oxlint-disable-next-line no-control-regex
  if (/^[\u0000-\u007F]*$/.test(plain)) return plain.toLowerCase()
  return plain
    .toWellFormed()
    .normalize('NFKD')
    .replace(/[\u0300-\u036F]/g, '')
    .toLowerCase()
}

/** The words of what a person typed; "quoted words" stay together. Nothing in it is an operator. */
export function searchTerms(query: string): string[] {
  const terms: string[] = []
  for (const [, quoted, word] of query.slice(0, 1000).matchAll(/"([^"]*)"|([^\s"]+)/g)) {
    const term = fold(quoted ?? word ?? '').trim()
    if (term !== '' && !terms.includes(term)) terms.push(term)
  }
  return terms.slice(0, 20)
}

/** The text around the first hit, the hits marked. */
export function buildSnippet(text: string, terms: string[]): string {
  const positions = foldedPositions(text)
  const hits = hitsIn(positions.folded, terms).map(
    ([from, to]) => [positions.original(from), positions.original(to)] as const,
  )
  const first = hits[0]?.[0] ?? 0
  const start = wordStart(text, Math.max(0, first - snippetContext))
  const end = Math.min(text.length, start + snippetContext * 2)

  let snippet = start > 0 ? '…' : ''
  let at = start
  for (const [from, to] of hits) {
    if (from < at || from >= end) continue
    snippet += text.slice(at, from) + markStart + text.slice(from, Math.min(to, end)) + markEnd
    at = Math.min(to, end)
  }
  snippet += text.slice(at, end) + (end < text.length ? '…' : '')
  return snippet
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .toWellFormed()
    .trim()
}

/** The stretches of the folded text that any term covers, in order and without overlaps. */
function hitsIn(folded: string, terms: string[]): [number, number][] {
  const hits: [number, number][] = []
  for (const term of terms) {
    let from = folded.indexOf(term)
    for (let count = 0; from !== -1 && count < 100; count++) {
      hits.push([from, from + term.length])
      from = folded.indexOf(term, from + term.length)
    }
  }
  hits.sort((a, b) => a[0] - b[0] || b[1] - a[1])
  const joined: [number, number][] = []
  for (const hit of hits) {
    const last = joined.at(-1)
    if (last && hit[0] <= last[1]) last[1] = Math.max(last[1], hit[1])
    else joined.push(hit)
  }
  return joined
}

/** The folded text, and for each position in it the position in the original. */
function foldedPositions(text: string): { folded: string; original: (position: number) => number } {
  const whole = fold(text)
  if (whole.length === text.length) return { folded: whole, original: (position) => position }
  const starts: number[] = []
  let folded = ''
  let at = 0
  for (const character of text) {
    const piece = fold(character)
    for (let i = 0; i < piece.length; i++) starts.push(at)
    folded += piece
    at += character.length
  }
  return { folded, original: (position) => starts[position] ?? text.length }
}

function wordStart(text: string, from: number): number {
  if (from === 0) return 0
  const space = text.slice(from, from + 20).search(/\s/)
  return space === -1 ? from : from + space + 1
}
