import { lineEndingFinder } from './find-text.ts'
import { findLineRuns, type Yielder } from './scan-bytes.ts'
import { type EditMatch, type TextEdit, type TextLine, type TextUnits, toLines } from './text-edit.ts'

/**
 * The first places that have the same lines, all of them indented by the same other amount. Lines that old and new text
 * share at both ends keep their bytes; the new ones between are indented as the place is. Whole lines only.
 */
export async function findIndented(
  file: TextUnits,
  { oldText, newText }: TextEdit,
  limit: number,
  rest: Yielder,
): Promise<EditMatch[]> {
  if (!file.canEncode(oldText)) return []
  const [oldLines, newLines] = [oldText.split('\n'), newText.split('\n')]
  // A text that ends its last line reaches to the start of the next one, whatever that is.
  const compared = oldLines.at(-1) === '' && oldLines.length > 1 ? oldLines.length - 1 : oldLines.length
  const wanted = oldLines.slice(0, compared).map((line) => trimBlanks(file.encode(line)))
  if (wanted.every((line) => line === '')) return []
  const place = toLines(file.units())
  if (rest.due()) await rest.take()
  const keys: string[] = []
  for (const [index, { text }] of place.entries()) {
    keys.push(trimBlanks(text))
    if (index % 1024 === 0 && rest.due()) await rest.take()
  }
  const endingAt = lineEndingFinder(file)
  const found: EditMatch[] = []
  let left = maxTried
  for (const at of findLineRuns(keys, wanted)) {
    if (at + oldLines.length > place.length || left <= 0 || found.length >= limit) break
    left -= oldLines.length
    const there = place.slice(at, at + oldLines.length)
    const reindent = reindentFor(oldLines.slice(0, compared), there, newLines)
    if (reindent !== undefined) found.push(matchAt(there, reindent))
    if (rest.due()) await rest.take()
  }
  return found

  function matchAt(there: readonly TextLine[], { old, now, text }: Reindent): EditMatch {
    const from = there[0]!.start
    const last = there.at(-1)!
    const to = compared === oldLines.length ? last.start + last.text.length : last.start
    const ends = compared === oldLines.length ? old : [...old, '']
    return {
      start: file.byteAt(from),
      replacement() {
        const ending = endingAt(from, to)
        const units = rewriteLines(ends, now, text, compared < oldLines.length, there, file)
          .map((line, index, all) => line.text + (index < all.length - 1 ? (line.ending ?? ending) : ''))
          .join('')
        return { start: file.byteAt(from), end: file.byteAt(to), bytes: file.toBytes(units) }
      },
    }
  }
}

/** Lines of places that are compared for their indentation, in all. */
const maxTried = 500_000

/** The new lines as they are to stand there. */
function rewriteLines(
  old: readonly string[],
  now: readonly string[],
  text: readonly string[],
  isOpen: boolean,
  there: readonly TextLine[],
  file: TextUnits,
): Pick<TextLine, 'text' | 'ending'>[] {
  const { start, end } = commonLines(old, now)
  return now.map((_, index) => {
    if (index < start) return there[index]!
    const fromEnd = now.length - index
    if (fromEnd <= end) return fromEnd === 1 && isOpen ? { text: '', ending: undefined } : there.at(-fromEnd)!
    return { text: file.encode(text[index]!), ending: undefined }
  })
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

interface Reindent {
  /** Old and new lines, tabs and blanks as the place has them. */
  old: string[]
  now: string[]
  /** The new lines as they are to stand there. */
  text: string[]
}

/**
 * New lines for a place that has the old ones, indented in another way. Undefined when the old lines are not all
 * indented by the same other amount, or a new one would begin further out than the place does.
 */
export function reindentFor(
  oldLines: readonly string[],
  there: readonly { text: string }[],
  newLines: readonly string[],
): Reindent | undefined {
  for (const respelled of indentSpellings) {
    const [old, now] = [oldLines.map(respelled), newLines.map(respelled)]
    const shift = shiftBetween(old, there)
    if (shift === undefined) continue
    const text = isInPlace(old, there, now, shift) ? now : shiftIndent(now, shift)
    if (text !== undefined) return { old, now, text }
  }
  return undefined
}

/** Only blanks and tabs: in units, other white space may be a part of a character. */
function trimBlanks(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && isBlank(text, start)) start++
  while (end > start && isBlank(text, end - 1)) end--
  return text.slice(start, end)
}

function isBlank(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code === 32 || code === 9
}

/** As given, or with blanks for tabs and tabs for blanks, a tab being four, two or eight wide. */
const indentSpellings: ((line: string) => string)[] = [
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
function shiftBetween(old: readonly string[], there: readonly { text: string }[]): Shift | undefined {
  const pairs = old
    .map((line, index) => ({
      from: leadingBlanks(line),
      to: leadingBlanks(there[index]!.text),
      isEmpty: isEmpty(line),
    }))
    .filter((pair) => !pair.isEmpty)
  const from = commonPrefix(pairs.map((pair) => pair.from))
  const to = commonPrefix(pairs.map((pair) => pair.to))
  return pairs.every((pair) => pair.from.slice(from.length) === pair.to.slice(to.length)) ? { from, to } : undefined
}

/**
 * Whether the new lines are indented as the file is although the old ones were not: lines that both have tell, else the
 * indentation that all new ones begin with.
 */
function isInPlace(
  old: readonly string[],
  there: readonly { text: string }[],
  now: readonly string[],
  { from, to }: Shift,
): boolean {
  if (from === to) return true
  const indents = new Map<string, Set<string>>()
  for (const line of now) {
    const key = trimBlanks(line)
    if (key !== '') indents.set(key, (indents.get(key) ?? new Set()).add(leadingBlanks(line)))
  }
  let [asThere, asGiven] = [0, 0]
  for (const [index, line] of old.entries()) {
    const known = indents.get(trimBlanks(line))
    if (known?.has(leadingBlanks(there[index]!.text)) === true) asThere++
    if (known?.has(leadingBlanks(line)) === true) asGiven++
  }
  if (asThere !== asGiven) return asThere > asGiven
  return to.length > from.length && commonPrefix(now.filter((line) => !isEmpty(line)).map(leadingBlanks)) === to
}

/** Undefined when a line begins further out than the place does. */
function shiftIndent(lines: readonly string[], { from, to }: Shift): string[] | undefined {
  const result: string[] = []
  for (const line of lines) {
    const indent = leadingBlanks(line)
    const missing = Math.max(0, from.length - indent.length)
    if (isEmpty(line)) result.push(line)
    else if (indent.startsWith(from)) result.push(to + line.slice(from.length))
    else if (from.startsWith(indent) && missing <= to.length)
      result.push(to.slice(0, to.length - missing) + line.slice(indent.length))
    else return undefined
  }
  return result
}

function isEmpty(line: string): boolean {
  return trimBlanks(line) === ''
}

function leadingBlanks(line: string): string {
  let end = 0
  while (end < line.length && isBlank(line, end)) end++
  return line.slice(0, end)
}

function commonPrefix(texts: readonly string[]): string {
  let common = texts[0] ?? ''
  for (const text of texts) {
    let length = 0
    while (length < common.length && common[length] === text[length]) length++
    common = common.slice(0, length)
  }
  return common
}
