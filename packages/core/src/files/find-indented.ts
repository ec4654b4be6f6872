import type { Replacement, TextEdit } from './text-edit.ts'
import { endingAt } from './find-exactly.ts'
import { type Line, linesOf } from './text-lines.ts'
import type { TextUnits } from './text-units.ts'

/**
 * Every place that has the same lines, all of them indented by the same other amount. Lines that old and new text share
 * at both ends keep their bytes; the new ones between are indented as the place is. Whole lines only.
 */
export function findIndented(file: TextUnits, { oldText, newText }: TextEdit): Replacement[] {
  if (!file.canEncode(oldText)) return []
  const oldLines = oldText.split('\n')
  // A text that ends its last line reaches to the start of the next one, whatever that is.
  const compared = oldLines.at(-1) === '' && oldLines.length > 1 ? oldLines.length - 1 : oldLines.length
  const wanted = oldLines.slice(0, compared).map((line) => trimmed(file.encode(line)))
  if (wanted.every((line) => line === '')) return []
  const place = linesOf(file.units())
  const found: Replacement[] = []
  for (let at = 0; at + oldLines.length <= place.length; at++) {
    if (!wanted.every((line, index) => trimmed(place[at + index]!.text) === line)) continue
    const there = place.slice(at, at + oldLines.length)
    const text = rewritten(oldLines, newText.split('\n'), compared, there, file)
    if (text === undefined) continue
    const from = there[0]!.start
    const last = there.at(-1)!
    const to = compared === oldLines.length ? last.start + last.text.length : last.start
    const ending = endingAt(file, from, to)
    const units = text
      .map((line, index) => line.text + (index < text.length - 1 ? (line.ending ?? ending) : ''))
      .join('')
    found.push({ start: file.byteAt(from), end: file.byteAt(to), bytes: file.toBytes(units) })
  }
  return found
}

/** The new lines as they are to stand there; undefined when they do not fit the place. */
function rewritten(
  oldLines: readonly string[],
  newLines: readonly string[],
  compared: number,
  there: readonly Line[],
  file: TextUnits,
): Pick<Line, 'text' | 'ending'>[] | undefined {
  for (const respelled of spellings) {
    const [old, now] = [oldLines.map(respelled), newLines.map(respelled)]
    const shift = shiftBetween(old.slice(0, compared), there)
    const text = shift === undefined ? undefined : indented(now, shift)
    if (text === undefined) continue
    const { start, end } = commonLines(old, now)
    return now.map((_, index) => {
      if (index < start) return there[index]!
      const fromEnd = now.length - index
      if (fromEnd <= end)
        return fromEnd === 1 && compared < old.length ? { text: '', ending: undefined } : there.at(-fromEnd)!
      return { text: file.encode(text[index]!), ending: undefined }
    })
  }
  return undefined
}

/** As given, or with blanks for tabs and tabs for blanks, a tab being four, two or eight wide. */
const spellings: ((line: string) => string)[] = [
  (line) => line,
  ...[4, 2, 8].flatMap((width) => [
    (line: string) => line.replace(/^[ \t]+/, (indent) => indent.replaceAll(' '.repeat(width), '\t')),
    (line: string) => line.replace(/^[ \t]+/, (indent) => indent.replaceAll('\t', ' '.repeat(width))),
  ]),
]

interface Shift {
  /** What every line of the model begins with, and what it begins with in the file. */
  from: string
  to: string
}

/** Undefined unless every line is indented by the same other amount. */
function shiftBetween(old: readonly string[], there: readonly Line[]): Shift | undefined {
  const pairs = old
    .map((line, index) => ({ from: indentOf(line), to: indentOf(there[index]!.text), isBlank: trimmed(line) === '' }))
    .filter(({ isBlank }) => !isBlank)
  const from = commonStart(pairs.map((pair) => pair.from))
  const to = commonStart(pairs.map((pair) => pair.to))
  return pairs.every((pair) => pair.from.slice(from.length) === pair.to.slice(to.length)) ? { from, to } : undefined
}

/** Undefined when a line begins further out than the place does. */
function indented(lines: readonly string[], { from, to }: Shift): string[] | undefined {
  const result: string[] = []
  for (const line of lines) {
    const indent = indentOf(line)
    const missing = Math.max(0, from.length - indent.length)
    if (trimmed(line) === '') result.push(line)
    else if (indent.startsWith(from)) result.push(to + line.slice(from.length))
    else if (from.startsWith(indent) && missing <= to.length)
      result.push(to.slice(0, to.length - missing) + line.slice(indent.length))
    else return undefined
  }
  return result
}

/** How many lines are the same at both ends, without overlap. */
function commonLines(old: readonly string[], now: readonly string[]): { start: number; end: number } {
  const limit = Math.min(old.length, now.length)
  let start = 0
  while (start < limit && old[start] === now[start]) start++
  let end = 0
  while (end < limit - start && old.at(-end - 1) === now.at(-end - 1)) end++
  return { start, end }
}

/** Only blanks and tabs: in units, other white space may be a part of a character. */
function trimmed(text: string): string {
  return text.replace(/^[ \t]+|[ \t]+$/g, '')
}

function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? ''
}

function commonStart(texts: readonly string[]): string {
  let common = texts[0] ?? ''
  for (const text of texts) while (!text.startsWith(common)) common = common.slice(0, -1)
  return common
}
