import { type DiffLine, type DiffRow, isLine } from './parse-diff.ts'

export type DiffItem = DiffRow | DiffFold

export interface DiffFold {
  type: 'fold'
  lines: DiffLine[]
}

/** A line of both sides next to each other. */
export interface LinePair {
  type: 'pair'
  left: DiffLine | undefined
  right: DiffLine | undefined
}

const around = 3
const worthFolding = 6

export function foldContext(rows: readonly DiffRow[]): DiffItem[] {
  const items: DiffItem[] = []
  for (let at = 0; at < rows.length;) {
    const stretch: DiffLine[] = []
    for (let row = rows[at]; row?.type === 'context'; row = rows[at + stretch.length]) stretch.push(row)
    if (stretch.length === 0) {
      items.push(rows[at++] as DiffRow)
      continue
    }
    const isFirst = at === 0
    at += stretch.length
    const isLast = at === rows.length
    const from = isFirst ? 0 : around
    const to = isLast ? stretch.length : stretch.length - around
    if (to - from < worthFolding || (isFirst && isLast)) pushAll(items, stretch)
    else {
      pushAll(items, stretch.slice(0, from))
      items.push({ type: 'fold', lines: stretch.slice(from, to) })
      pushAll(items, stretch.slice(to))
    }
  }
  return items
}

/** A spread of many thousand elements would overflow the stack. */
function pushAll(items: DiffItem[], lines: readonly DiffLine[]): void {
  for (const line of lines) items.push(line)
}

/** One click opens a fold, or this many lines of a long one. */
export const unfoldStep = 100

export function stepOf(lines: number): number {
  return lines <= 2 * unfoldStep ? lines : unfoldStep
}

/** Opens folds from their start. `opened`: line number in the fold, and the number of lines that a click opened. */
export function unfold(
  items: readonly DiffItem[],
  opened: readonly (readonly [line: number, count: number])[],
): DiffItem[] {
  if (opened.length === 0) return [...items]
  const result: DiffItem[] = []
  for (const item of items) {
    if (item.type !== 'fold') {
      result.push(item)
      continue
    }
    const [first, last] = [firstNumber(item), item.lines.at(-1)?.before ?? Infinity]
    const open = opened.reduce((sum, [line, count]) => (line >= first && line <= last ? sum + count : sum), 0)
    pushAll(result, item.lines.slice(0, open))
    if (open < item.lines.length) result.push({ type: 'fold', lines: item.lines.slice(open) })
  }
  return result
}

/** A whole file has at most about this many lines at once. The rest of long stretches opens step by step. */
const wholeLines = 1000

export function openAll(items: readonly DiffItem[]): [line: number, count: number][] {
  const folds = items.filter((item) => item.type === 'fold')
  const share = Math.max(unfoldStep, Math.floor(wholeLines / folds.length))
  return folds.map((fold) => [firstNumber(fold), Math.min(fold.lines.length, share)])
}

/** Diffs without line numbers count the lines of the diff. */
export function firstNumber({ lines }: DiffFold): number {
  return lines[0]?.before ?? lines[0]?.at ?? 0
}

/**
 * Fills the gaps between hunks, and the rest of the file, from the text of one side. Undefined if the text is not that
 * side: the file changed since.
 */
export function fillGaps(
  rows: readonly DiffRow[],
  file: readonly string[],
  side: 'before' | 'after',
  { hasEnd }: { hasEnd: boolean },
): DiffRow[] | undefined {
  const textAt = (number: number): string | undefined => file[number - 1]?.replace(/\r$/, '')
  const filled: DiffRow[] = []
  let [before, after] = [1, 1]
  const addUpTo = (count: number): boolean => {
    for (let left = count; left > 0; left--) {
      const text = textAt(side === 'before' ? before : after)
      if (text === undefined) return false
      filled.push({ type: 'context', before: before++, after: after++, text })
    }
    return true
  }
  for (const row of rows) {
    if (row.type === 'gap') {
      ;({ before, after } = row)
      if (!addUpTo(row.count)) return undefined
      continue
    }
    filled.push(row)
    if (!isLine(row)) continue
    const number = row[side]
    if (number !== undefined && textAt(number) !== row.text.replace(/\r$/, '')) return undefined
    if (row.before !== undefined) before = row.before + 1
    if (row.after !== undefined) after = row.after + 1
  }
  if (hasEnd) addUpTo(file.length + 1 - (side === 'before' ? before : after))
  return filled
}

/** Puts removed lines next to the added lines that replace them. Notes follow the lines that they are about. */
export function pairLines(items: readonly DiffItem[]): (DiffItem | LinePair)[] {
  const paired: (DiffItem | LinePair)[] = []
  let removed: DiffLine[] = []
  let added: DiffLine[] = []
  let notes: DiffItem[] = []
  const flush = (): void => {
    for (let index = 0; index < Math.max(removed.length, added.length); index++)
      paired.push({ type: 'pair', left: removed[index], right: added[index] })
    paired.push(...notes)
    removed = []
    added = []
    notes = []
  }
  for (const item of items) {
    if (item.type === 'removed') {
      if (added.length > 0) flush()
      removed.push(item)
    } else if (item.type === 'added') added.push(item)
    else if (item.type === 'note' && removed.length + added.length > 0) notes.push(item)
    else {
      flush()
      paired.push(item.type === 'context' ? { type: 'pair', left: item, right: item } : item)
    }
  }
  flush()
  return paired
}
