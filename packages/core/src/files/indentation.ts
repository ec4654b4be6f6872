export interface Reindent {
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
export function trimBlanks(text: string): string {
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
