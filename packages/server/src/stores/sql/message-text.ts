import { stripVTControlCharacters } from 'node:util'
import { parseCommand } from '@troupe/core'
import type { CallNotes, Part } from '@troupe/protocol'

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

type Call = Extract<Part, { toolCallId: string }>

export function isCall(part: Part): part is Call {
  return 'toolCallId' in part
}

/** So much of a call is looked through: a card shows no more of it. */
const maxCallCharacters = 10_000
const maxCallDepth = 6
/** What the page reads of a display and no person sees. */
const hiddenFields = new Set(['kind', 'sha256', 'blob', 'mediaType', 'change', 'status'])

/** What a person sees of a call in its card, opened: its title, what it was given, what it brought back or failed with. */
export function callText(call: Call): string {
  const { display } = (call.toolMetadata as { troupe?: CallNotes } | undefined)?.troupe ?? {}
  const { title, summary, content } = display ?? {}
  const { output, errorText } = call as { output?: unknown; errorText?: unknown }
  const pieces: string[] = []
  let left = maxCallCharacters
  for (const value of [title, summary, call.input, content ?? output, errorText]) gather(value, maxCallDepth)
  return stripVTControlCharacters(pieces.join('\n'))

  function gather(value: unknown, depth: number): void {
    if (left <= 0 || depth === 0) return
    if (typeof value === 'string') {
      if (value === '' || value.startsWith('data:')) return
      pieces.push(value.slice(0, left))
      left -= value.length
    } else if (Array.isArray(value)) {
      for (const item of value) gather(item, depth - 1)
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) if (!hiddenFields.has(key)) gather(item, depth - 1)
    }
  }
}

export const defaultTitle = 'New session'

const maxTitleLength = 30
/** Scripts that put no spaces between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u

/**
 * The first ten words of a message, at most 30 characters of them; ten characters where words are not spaced. An
 * ellipsis says that there was more.
 */
export function titleFrom(parts: Part[]): string | undefined {
  const text = cleanTitle(titleSubject(partsText(parts).slice(0, 2000)))
  if (text === '') return undefined
  const all = text.split(' ')
  const [first = '', ...words] = all.slice(0, 10)
  let title = truncateTitle(first, all.length === 1 && unspaced.test(first) ? 10 : maxTitleLength)
  for (const word of title === first ? words : []) {
    if (characters(title).length + 1 + characters(word).length > maxTitleLength) break
    title += ` ${word}`
  }
  return title === text ? title : `${title.replace(/[\s,;:.!?，。；：、]+$/u, '')}…`
}

/** What a message is about: not the command that it begins with, and of a skill only its name. */
function titleSubject(text: string): string {
  const subject = parseCommand(text)?.rest ?? text
  return subject.replace(/\/skill\/(?:\[([^\]|\n]*)(?:\|([^\]\n]*))?\]|([a-z0-9-]+))/gi, (_, name, label, plain) =>
    String(label || name || plain || ''),
  )
}

/** One line without control characters. */
export function cleanTitle(title: string): string {
  return title
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
}

function truncateTitle(text: string, count: number): string {
  return characters(text).slice(0, count).join('')
}

/** As a person counts them: an emoji with its skin colour is one. Plain text needs no segmenter, which is slow to make. */
function characters(text: string): string[] {
  if (/^[\x20-\x7e]*$/.test(text)) return text.split('')
  return Array.from(new Intl.Segmenter().segment(text), (piece) => piece.segment)
}
