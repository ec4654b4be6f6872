import { lineEndingFinder } from './find-text.ts'
import { findLineRuns, type Yielder } from './scan-bytes.ts'
import { type EditMatch, type TextEdit, type TextLine, type TextUnits, toLines } from './text-edit.ts'

/**
 * Finds the first places with the same lines, all indented by the same different amount. Lines shared by old and new
 * text at both ends keep their bytes; new lines between them are indented to match. Matches whole lines only.
 */
export async function findIndented(
  file: TextUnits,
  { oldText, newText }: TextEdit,
  limit: number,
  rest: Yielder,
): Promise<EditMatch[]> {
  if (!file.canEncode(oldText)) return []
  const [oldLines, newLines] = [oldText.split('\n'), newText.split('\n')]
  // A text that ends with a line ending extends to the start of the next line, whatever it contains.
  const compared = oldLines.at(-1) === '' && oldLines.length > 1 ? oldLines.length - 1 : oldLines.length
  const wanted = oldLines.slice(0, compared).map((line) => trimBlanks(file.encode(line)))
  if (wanted.every((line) => line === '')) return []
  const place = toLines(file.units())
  if (rest.due()) await rest.yield()
  const keys: string[] = []
  for (const [index, { text }] of place.entries()) {
    keys.push(trimBlanks(text))
    if (index % 1024 === 0 && rest.due()) await rest.yield()
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
    if (rest.due()) await rest.yield()
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

/** Maximum lines compared for indentation in total. */
const maxTried = 500_000

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

/** Counts equal lines at both ends, without overlap. */
function commonLines(old: readonly string[], now: readonly string[]): { start: number; end: number } {
  const limit = Math.min(old.length, now.length)
  let start = 0
  while (start < limit && old[start] === now[start]) start++
  let end = 0
  while (end < limit - start && old.at(-end - 1) === now.at(-end - 1)) end++
  return { start, end }
}

interface Reindent {
  /** Old lines, with tabs and spaces as in the file. The same for `now`. */
  old: string[]
  now: string[]
  text: string[]
}

/**
 * Reindents new lines for a place that has the old lines with another indentation. Undefined if the old lines are not
 * all shifted by the same amount, or a new line would start further left than possible.
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

/** Only trims spaces and tabs. In units, other whitespace may be part of a character. */
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

/** As given, or with tabs and spaces exchanged at tab widths of four, two, or eight. */
const indentSpellings: ((line: string) => string)[] = [
  (line) => line,
  ...[4, 2, 8].flatMap((width) => [
    (line: string) => line.replace(/^[ \t]+/, (indent) => indent.replaceAll(' '.repeat(width), '\t')),
    (line: string) => line.replace(/^[ \t]+/, (indent) => indent.replaceAll('\t', ' '.repeat(width))),
  ]),
]

interface Shift {
  /** Common indentation in the model's text, and in the file (`to`). */
  from: string
  to: string
}

/** Undefined unless every line is shifted by the same amount. */
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
 * True if the new lines already have the file's indentation although the old ones do not. Lines in both texts decide,
 * otherwise the common indentation of the new lines.
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

/** Undefined if a line would start further left than possible. */
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
