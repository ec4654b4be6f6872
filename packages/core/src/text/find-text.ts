import { Buffer } from 'node:buffer'
import { lookalikes, plainCharacters } from './closest-match.ts'
import { findBytes, type Yielder } from './scan-bytes.ts'
import type { EditMatch, TextEdit, TextUnits } from './text-edit.ts'

/** Finds every exact occurrence. Overlapping ones count if the match must be unique. */
export async function findExactly(file: TextUnits, edit: TextEdit, rest: Yielder): Promise<EditMatch[]> {
  const { oldText, newText, all } = edit
  if (!file.canEncode(oldText)) return []
  const [oldUnits, newUnits] = [file.encode(oldText), file.encode(newText)]
  if ((oldText.includes('\n') || newText.includes('\n')) && hasCrlf(file)) {
    const { start, end } = commonEnds(oldUnits, newUnits)
    const inserted = newUnits.slice(start, newUnits.length - end)
    const view = await createView(file.units(), { blanks: false }, rest)
    return findInView(file, view, oldUnits, { start, end, inserted, apart: all }, rest)
  }
  const needle = file.toBytes(oldUnits)
  const bytes = file.toBytes(newUnits)
  const options = { start: file.mark, unitBytes: file.unitBytes, apart: all }
  const places = await findBytes(file.bytes, needle, options, rest)
  return places.map((start) => ({ start, replacement: () => ({ start, end: start + needle.length, bytes }) }))
}

/**
 * Finds the first matches that ignore blanks before line endings. With `punctuation`, also treats typographic
 * characters as plain and composed as decomposed. Text shared by old and new at both ends keeps the file's bytes.
 */
export async function findLoosely(
  file: TextUnits,
  edit: TextEdit,
  { punctuation, limit }: { punctuation: boolean; limit: number },
  rest: Yielder,
): Promise<EditMatch[]> {
  const [oldText, newText] = punctuation
    ? [edit.oldText.normalize('NFC'), edit.newText.normalize('NFC')]
    : [edit.oldText, edit.newText]
  const { start, end } = commonEnds(oldText, newText)
  const wanted = splitAround(oldText, start, oldText.length - end).map((part) =>
    punctuation ? plainCharacters(part) : part,
  )
  if (wanted.join('') === '' || !file.canEncode(wanted.join(''))) return []
  const [before = '', between = '', behind = ''] = wanted.map((part) => file.encode(part))
  const inserted = file.encode(newText.slice(start, newText.length - end))
  const swaps = punctuation ? characterSwaps(oldText, file) : undefined
  const view = await createView(file.units(), { blanks: true, swaps }, rest)
  const options = { start: before.length, end: behind.length, inserted, apart: false, limit }
  return findInView(file, view, before + between + behind, options, rest)
}

export function hasCrlf(file: TextUnits): boolean {
  return file.finder('\r\n')(0) !== -1
}

/** Text of the file without the parts that the search ignores. */
interface NormalizedView {
  units: string
  placeOf(at: number): number
}

interface CharacterSwaps {
  pattern: RegExp
  plain: Map<string, string>
}

/** Omits the `\r` of line endings and, with `blanks`, the blanks before them. */
async function createView(
  units: string,
  { blanks, swaps }: { blanks: boolean; swaps?: CharacterSwaps | undefined },
  rest: Yielder,
): Promise<NormalizedView> {
  const pieces: string[] = []
  // Positions where view and file diverge, in order.
  const [inView, inFile] = [[0], [0]]
  let [length, copied] = [0, 0]
  const copyTo = (at: number): void => {
    pieces.push(units.slice(copied, at))
    length += at - copied
    copied = at
  }
  const leap = (at: number, place: number): void => {
    inView.push(at)
    inFile.push(place)
  }
  for (let start = 0, count = 0; start < units.length; count++) {
    const feed = units.indexOf('\n', start)
    const end = feed === -1 ? units.length : feed
    let content = end
    if (feed !== -1 && content > start && units[content - 1] === '\r') content--
    if (feed !== -1 && blanks) while (content > start && isBlank(units.charCodeAt(content - 1))) content--
    if (swaps !== undefined) {
      for (const match of units.slice(start, content).matchAll(swaps.pattern)) {
        const at = start + match.index
        const plain = swaps.plain.get(match[0])!
        copyTo(at)
        pieces.push(plain)
        length += plain.length
        copied = at + match[0].length
        leap(length, copied)
      }
    }
    if (content < end) {
      copyTo(content)
      copied = feed
      leap(length + 1, feed + 1)
    }
    start = end + 1
    if (count % 256 === 0 && rest.due()) await rest.yield()
  }
  copyTo(units.length)
  return {
    units: pieces.join(''),
    placeOf(at) {
      const leaps = lastAtMost(inView, at)
      return inFile[leaps]! + at - inView[leaps]!
    },
  }
}

interface ViewSearch {
  /** Length of the text kept at the start and end. */
  start: number
  end: number
  inserted: string
  apart: boolean
  limit?: number
}

async function findInView(
  file: TextUnits,
  view: NormalizedView,
  wanted: string,
  { start, end, inserted, ...how }: ViewSearch,
  rest: Yielder,
): Promise<EditMatch[]> {
  const { unitBytes } = file
  const encoding = unitBytes === 1 ? 'latin1' : 'utf16le'
  const [text, needle] = [Buffer.from(view.units, encoding), Buffer.from(wanted, encoding)]
  const places = await findBytes(text, needle, { start: 0, unitBytes, ...how }, rest)
  const endingAt = lineEndingFinder(file)
  const made = new Map<string, Buffer>()
  return places.map((place) => {
    const at = place / unitBytes
    return {
      start: file.byteAt(view.placeOf(at)),
      replacement() {
        const [from, to] = [view.placeOf(at + start), view.placeOf(at + wanted.length - end)]
        const ending = inserted.includes('\n') ? endingAt(from, to) : '\n'
        const bytes = made.get(ending) ?? file.toBytes(inserted.replaceAll('\n', ending))
        made.set(ending, bytes)
        return { start: file.byteAt(from), end: file.byteAt(to), bytes }
      },
    }
  })
}

/** Maps variants in the file to their plain characters, for characters in the text. */
function characterSwaps(text: string, file: TextUnits): CharacterSwaps | undefined {
  const plain = new Map<string, string>()
  for (const character of new Set(text)) {
    for (const like of lookalikes(character)) {
      const to = plainCharacters(character)
      if (like !== to && file.canEncode(like)) plain.set(file.encode(like), file.encode(to))
    }
  }
  if (plain.size === 0) return undefined
  const longestFirst = [...plain.keys()].toSorted((a, b) => b.length - a.length)
  return { pattern: new RegExp(longestFirst.map(escapeUnits).join('|'), 'g'), plain }
}

/** Splits a text at two positions, without blanks at line ends and at the end. */
function splitAround(text: string, from: number, to: number): [string, string, string] {
  const parts: [string[], string[], string[]] = [[], [], []]
  let isEnd = true
  for (let at = text.length - 1; at >= 0; at--) {
    const code = text.charCodeAt(at)
    if (isEnd && isBlank(code)) continue
    isEnd = code === 10
    parts[at < from ? 0 : at < to ? 1 : 2].push(text[at]!)
  }
  const [before, between, behind] = parts.map((part) => part.toReversed().join(''))
  return [before!, between!, behind!]
}

/** Counts equal units at both ends, without overlap and without splitting a character. */
function commonEnds(oldUnits: string, newUnits: string): { start: number; end: number } {
  const limit = Math.min(oldUnits.length, newUnits.length)
  let start = 0
  while (start < limit && oldUnits[start] === newUnits[start]) start++
  let end = 0
  while (end < limit - start && oldUnits.at(-end - 1) === newUnits.at(-end - 1)) end++
  if (isHighSurrogate(oldUnits, start - 1) || isHighSurrogate(newUnits, start - 1)) start--
  if (end > 0 && (isLowSurrogate(oldUnits, oldUnits.length - end) || isLowSurrogate(newUnits, newUnits.length - end)))
    end--
  return { start, end }
}

/**
 * Returns the line ending at a position: the most common one inside it, otherwise the previous or next one. Remembers
 * its position, so many ascending lookups cost one scan of the file.
 */
export function lineEndingFinder(file: TextUnits): (from: number, to: number) => '\n' | '\r\n' {
  const nextFeed = file.finder('\n')
  let known = { from: 0, before: -1 }
  let first: number | undefined
  return (from, to) => {
    const inside = file.slice(from, to)
    const feeds = inside.split('\n').length - 1
    if (feeds > 0) return (inside.split('\r\n').length - 1) * 2 >= feeds ? '\r\n' : '\n'
    const near = from < known.from ? -1 : file.slice(known.from, from).lastIndexOf('\n')
    const before = from < known.from ? file.feedBefore(from) : near === -1 ? known.before : known.from + near
    known = { from, before }
    const feed = before === -1 ? (first ??= nextFeed(to)) : before
    return feed > 0 && file.slice(feed - 1, feed) === '\r' ? '\r\n' : '\n'
  }
}

/** Last index with a value of at most `most`. Values ascend, and the first one fits. */
function lastAtMost(values: readonly number[], most: number): number {
  let [low, high] = [0, values.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (values[middle]! <= most) low = middle
    else high = middle - 1
  }
  return low
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9
}

function escapeUnits(units: string): string {
  return units.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}

function isHighSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0xd800 && code <= 0xdbff
}

function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff
}
