import { stripVTControlCharacters } from 'node:util'
import { parseCommand } from '@troupe/core'
import type { CallNotes, Part } from '@troupe/protocol'

const markStart = '\uE000'
const markEnd = '\uE001'
const snippetContext = 70
/** Limit of indexed text per message, so that indexing does not delay a turn. */
const indexedCharacters = 200_000

export function partsText(parts: Part[]): string {
  return parts
    .filter((part): part is Extract<Part, { type: 'text' }> => part.type === 'text' && typeof part.text === 'string')
    .map((part) => part.text)
    .join('\n')
}

export function wholeText(parts: Part[]): string {
  return [partsText(parts), ...parts.filter(isCall).map(callText)].join('\n').trim()
}

export function searchText(role: string, parts: Part[]): string {
  return role === 'user' || role === 'assistant' ? fold(wholeText(parts).slice(0, indexedCharacters)) : ''
}

/** Normalizes case, accents, widths and control characters for search. */
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

/** Splits a query into words. Quoted words stay together. There are no operators. */
export function searchTerms(query: string): string[] {
  const terms: string[] = []
  for (const [, quoted, word] of query.slice(0, 1000).matchAll(/"([^"]*)"|([^\s"]+)/g)) {
    const term = fold(quoted ?? word ?? '').trim()
    if (term !== '' && !terms.includes(term)) terms.push(term)
  }
  return terms.slice(0, 20)
}

/** Returns the text around the first hit, with all hits marked. */
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

/** Returns the ranges of the folded text that match any term, sorted and without overlaps. */
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

/** Scripts whose words often have one or two characters. */
const cjkScripts = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー'
const cjkRuns = new RegExp(`[${cjkScripts}]+`, 'gu')
const onlyCjk = new RegExp(`^[${cjkScripts}]+$`, 'u')

/**
 * Returns all pairs of adjacent characters in these scripts, plus the last character of each run, without duplicates.
 */
export function cjkPairs(text: string): string[] {
  const pairs = new Set<string>()
  for (const [run] of text.matchAll(cjkRuns)) {
    const characters = Array.from(run)
    for (const [i, character] of characters.entries()) pairs.add(character + (characters[i + 1] ?? ''))
  }
  return [...pairs]
}

/** True if a term has only characters of these scripts. */
export function isCjk(term: string): boolean {
  return onlyCjk.test(term)
}

type Call = Extract<Part, { toolCallId: string }>

export function isCall(part: Part): part is Call {
  return 'toolCallId' in part
}

/** Maximum characters indexed per tool call. A card shows no more. */
const maxCallCharacters = 10_000
const maxCallDepth = 6
/** Display fields used by the page but not visible to users. */
const hiddenFields = new Set(['kind', 'sha256', 'blob', 'mediaType', 'change', 'status'])

/** Returns the visible text of an open tool call card: title, input, output or error. */
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

export const defaultTitle = 'New chat'

/** Older exports carry the default title of their time. */
export const isDefaultTitle = (title: string): boolean => title === defaultTitle || title === 'New session'

const maxTitleLength = 30
/** Scripts without spaces between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u

/**
 * Returns the first ten words of a message, up to 30 characters, or ten characters in scripts without spaces. An
 * ellipsis marks omitted text.
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

/** Drops the leading command, and reduces skills to their names. */
function titleSubject(text: string): string {
  const subject = parseCommand(text)?.rest ?? text
  return subject.replace(/\/skill\/(?:\[([^\]|\n]*)(?:\|([^\]\n]*))?\]|([a-z0-9-]+))/gi, (_, name, label, plain) =>
    String(label || name || plain || ''),
  )
}

export function cleanTitle(title: string): string {
  return title
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
}

function truncateTitle(text: string, count: number): string {
  return characters(text).slice(0, count).join('')
}

/**
 * Counts grapheme clusters: an emoji with a skin tone is one. Plain text avoids the segmenter, which is slow to create.
 */
function characters(text: string): string[] {
  if (/^[\x20-\x7e]*$/.test(text)) return text.split('')
  return Array.from(new Intl.Segmenter().segment(text), (piece) => piece.segment)
}
