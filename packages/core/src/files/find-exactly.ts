import type { Replacement, TextEdit } from './text-edit.ts'
import type { TextUnits } from './text-units.ts'

/** Every place where the text is, letter by letter. Overlapping places count when only one may be meant. */
export function findExactly(file: TextUnits, edit: TextEdit): Replacement[] {
  const { oldText, newText, all } = edit
  if (!file.canEncode(oldText)) return []
  if ((oldText.includes('\n') || newText.includes('\n')) && hasCrlf(file)) return findAcrossEndings(file, edit)
  const units = file.encode(oldText)
  const bytes = file.toBytes(file.encode(newText))
  const next = file.finder(units)
  const found: Replacement[] = []
  for (let at = next(0); at !== -1; at = next(at + (all ? units.length : 1))) {
    found.push({ start: file.byteAt(at), end: file.byteAt(at + units.length), bytes })
  }
  return found
}

export function hasCrlf(file: TextUnits): boolean {
  return file.finder('\r\n')(0) !== -1
}

/**
 * In a file with CRLF a line feed of the model stands for either ending. What old and new text have in common at both
 * ends keeps its bytes; what is put between ends its lines as its surroundings do.
 */
function findAcrossEndings(file: TextUnits, { oldText, newText, all }: TextEdit): Replacement[] {
  const [oldUnits, newUnits] = [file.encode(oldText), file.encode(newText)]
  const { start, end } = commonEnds(oldUnits, newUnits)
  const inserted = newUnits.slice(start, newUnits.length - end)
  const found: Replacement[] = []
  let next = 0
  for (const starts of placesOf(file, oldUnits.split('\n'))) {
    if (all && starts[0]! < next) continue
    const from = placeIn(starts, oldUnits, start)
    const to = placeIn(starts, oldUnits, oldUnits.length - end)
    next = placeIn(starts, oldUnits, oldUnits.length)
    const units = inserted.replaceAll('\n', endingAt(file, from, to))
    found.push({ start: file.byteAt(from), end: file.byteAt(to), bytes: file.toBytes(units) })
  }
  return found
}

/**
 * Where these lines stand one behind the other, whatever ends them: for each place, where each line begins. Looks for
 * the longest of them and then around it, so nothing of the file is copied.
 */
function* placesOf(file: TextUnits, lines: readonly string[]): Generator<number[]> {
  const longest = lines.reduce((best, line, index) => (line.length > lines[best]!.length ? index : best), 0)
  const next = anchorFinder(file, lines[longest]!)
  for (let at = next(0); at !== -1; at = next(at + 1)) {
    const starts: number[] = []
    starts[longest] = at
    if (matchesBefore(file, lines, starts, longest) && matchesBehind(file, lines, starts, longest)) yield starts
  }
}

/** An empty line is looked for by the ending that it has. */
function anchorFinder(file: TextUnits, anchor: string): (from: number) => number {
  if (anchor !== '') return file.finder(anchor)
  const nextFeed = file.finder('\n')
  return function next(from): number {
    const feed = nextFeed(from)
    if (feed === -1) return -1
    const at = file.slice(feed - 1, feed) === '\r' ? feed - 1 : feed
    return at < from ? next(feed + 1) : at
  }
}

function matchesBefore(file: TextUnits, lines: readonly string[], starts: number[], from: number): boolean {
  for (let index = from - 1; index >= 0; index--) {
    const next = starts[index + 1]!
    const ending = next >= 2 && file.slice(next - 2, next) === '\r\n' ? 2 : 1
    const start = next - ending - lines[index]!.length
    if (start < 0 || file.slice(next - 1, next) !== '\n') return false
    if (file.slice(start, next - ending) !== lines[index]) return false
    starts[index] = start
  }
  return true
}

function matchesBehind(file: TextUnits, lines: readonly string[], starts: number[], from: number): boolean {
  for (let index = from + 1; index < lines.length; index++) {
    const end = starts[index - 1]! + lines[index - 1]!.length
    const ending = /^\r?\n/.exec(file.slice(end, Math.min(end + 2, file.length)))?.[0].length ?? 0
    const start = end + ending
    if (ending === 0 || start + lines[index]!.length > file.length) return false
    if (file.slice(start, start + lines[index]!.length) !== lines[index]) return false
    starts[index] = start
  }
  return true
}

/** From a place in the text that was looked for to the same in the file. */
function placeIn(starts: readonly number[], text: string, at: number): number {
  const before = text.slice(0, at)
  const line = before.split('\n').length - 1
  return starts[line]! + at - (before.lastIndexOf('\n') + 1)
}

/** How many units at the start and at the end are the same, without overlap and without parting a character. */
export function commonEnds(oldUnits: string, newUnits: string): { start: number; end: number } {
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

/** How lines end at a place: as most do inside it, else as the one before it does, else as the next. */
export function endingAt(file: TextUnits, from: number, to: number): '\n' | '\r\n' {
  const inside = file.slice(from, to)
  const feeds = inside.split('\n').length - 1
  if (feeds > 0) return (inside.split('\r\n').length - 1) * 2 >= feeds ? '\r\n' : '\n'
  const before = file.feedBefore(from)
  const near = before === -1 ? file.finder('\n')(to) : before
  return near > 0 && file.slice(near - 1, near) === '\r' ? '\r\n' : '\n'
}

function isHighSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0xd800 && code <= 0xdbff
}

function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff
}
