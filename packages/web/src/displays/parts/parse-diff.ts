/** Unified diff as table rows. No text is lost. */
interface Diff {
  rows: DiffRow[]
  added: number
  removed: number
}

export type DiffRow =
  /** Unchanged lines before or between hunks, with the hunk's heading and the numbers of the first of them. */
  | { type: 'gap'; count: number; heading: string; before: number; after: number }
  /** Start of a file, if there are several. */
  | { type: 'file'; path: string }
  | DiffLine
  /** Start of a hunk that the user accepts or rejects. */
  | { type: 'hunk'; id: string; isFile?: boolean }
  /** Note on the line above, such as a missing newline at the end of the file. */
  | { type: 'note'; text: string }

export interface DiffLine {
  type: 'context' | 'added' | 'removed'
  /** Old and new line numbers, if they exist and the diff states them. */
  before: number | undefined
  after: number | undefined
  text: string
  changed?: [from: number, to: number]
  /** Index of the line in the diff. Absent if it comes from the file. */
  at?: number
  /** Hunk it belongs to, if the user chooses. */
  hunk?: string
}

/** Longer lines are machine-made, so changed ranges are not computed. */
const markedCharacters = 2000

const hunkHead = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/
/** Patches written by models omit line numbers and state only the context. */
const bareHunkHead = /^@@(?: |$)/
const fileHead =
  /^(?:diff |index |--- |\+\+\+ |Index: |={20,}$|(?:new|deleted|old) (?:file )?mode |(?:rename|copy) |similarity )/

/**
 * Parses hunks, with or without file headers. Without hunks, every line counts as hunk content. A change under approval
 * must not lose a line that looks like a header.
 */
export function parseDiff(diff: string): Diff {
  let rows: DiffRow[] = []
  const lines = splitLines(diff)
  const hasHunks = lines.some((line) => hunkHead.test(line))
  let before: number | undefined
  let after: number | undefined
  /** Remaining lines of the hunk. Inside it, `--- ` is a removed line, not a file header. */
  let left: { before: number; after: number } | undefined

  for (const [at, line] of lines.entries()) {
    const head = hunkHead.exec(line)
    const inside = left !== undefined && (left.before > 0 || left.after > 0)
    if (head !== null) {
      const from = firstLine(head[1], head[2])
      const gap = Math.max(from - (before ?? 1), 0)
      const heading = head[5] ?? ''
      const to = firstLine(head[3], head[4])
      if (gap > 0 || heading !== '')
        rows.push({ type: 'gap', count: gap, heading, before: from - gap, after: to - gap })
      before = from
      after = to
      left = { before: Number(head[2] ?? 1), after: Number(head[4] ?? 1) }
      continue
    }
    if (!hasHunks && bareHunkHead.test(line)) {
      rows.push({ type: 'gap', count: 0, heading: line.slice(2).trim(), before: 0, after: 0 })
      continue
    }
    if (hasHunks && !inside && fileHead.test(line)) {
      if (line.startsWith('+++ ')) rows.push({ type: 'file', path: line.slice(4).split('\t')[0] ?? '' })
      before = after = left = undefined
      continue
    }
    if (line.startsWith('\\')) {
      rows.push({ type: 'note', text: line.slice(1).trim() })
      continue
    }
    const type = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'context'
    const hasBefore = type !== 'added'
    const hasAfter = type !== 'removed'
    rows.push({
      type,
      before: hasBefore ? before : undefined,
      after: hasAfter ? after : undefined,
      text: type === 'context' && !line.startsWith(' ') ? line : line.slice(1),
      at,
    })
    if (hasBefore && before !== undefined) before++
    if (hasAfter && after !== undefined) after++
    if (left !== undefined) left = { before: left.before - Number(hasBefore), after: left.after - Number(hasAfter) }
  }
  dropOnlyFile(rows)
  dropCommonReturns(rows)
  rows = joinEqual(rows)
  if (isEmptyGap(rows[0])) rows.shift()
  markChanges(rows)
  return { rows, added: count(rows, 'added'), removed: count(rows, 'removed') }
}

function splitLines(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** An empty side uses the number of the line before it. */
function firstLine(start: string | undefined, length: string | undefined): number {
  return Number(start) + (length === '0' ? 1 : 0)
}

function count(rows: DiffRow[], type: DiffLine['type']): number {
  return rows.reduce((sum, row) => sum + Number(row.type === type), 0)
}

export function isLine(row: { type: string } | undefined): row is DiffLine {
  return row?.type === 'context' || row?.type === 'added' || row?.type === 'removed'
}

function isEmptyGap(row: DiffRow | undefined): boolean {
  return row?.type === 'gap' && row.count === 0 && row.heading === ''
}

/** For a single file, the caller shows the name. */
function dropOnlyFile(rows: DiffRow[]): void {
  const first = rows.findIndex((row) => row.type === 'file')
  if (first >= 0 && rows.findLastIndex((row) => row.type === 'file') === first) rows.splice(first, 1)
}

/** Drops carriage returns if all lines have them. If only some do, they are the change. */
function dropCommonReturns(rows: DiffRow[]): void {
  const lines = rows.filter(isLine)
  if (!lines.every((line) => line.text.endsWith('\r'))) return
  for (const line of lines) line.text = line.text.slice(0, -1)
}

/** Lines removed and re-added at the start or end of a change are unchanged. */
function joinEqual(rows: DiffRow[]): DiffRow[] {
  const joined: DiffRow[] = []
  for (let at = 0; at < rows.length;) {
    const removed = runOf(rows, at, 'removed')
    const added = runOf(rows, at + removed.length, 'added')
    if (removed.length === 0 || added.length === 0) {
      joined.push(...rows.slice(at, at + Math.max(1, removed.length)))
      at += Math.max(1, removed.length)
      continue
    }
    const { start, end } = commonEnds(
      removed.map(({ text }) => text),
      added.map(({ text }) => text),
    )
    const context = (line: DiffLine | undefined, index: number): DiffLine[] =>
      line === undefined ? [] : [{ ...line, type: 'context', after: added[index]?.after }]
    for (let index = 0; index < start; index++) joined.push(...context(removed[index], index))
    joined.push(...removed.slice(start, removed.length - end), ...added.slice(start, added.length - end))
    for (let left = end; left > 0; left--) joined.push(...context(removed[removed.length - left], added.length - left))
    at += removed.length + added.length
  }
  return joined
}

function commonEnds(one: string[], other: string[]): { start: number; end: number } {
  const most = Math.min(one.length, other.length)
  let start = 0
  while (start < most && one[start] === other[start]) start++
  let end = 0
  while (end < most - start && one[one.length - 1 - end] === other[other.length - 1 - end]) end++
  return { start, end }
}

/** Pairs removed lines with an equal number of added lines that follow. */
function markChanges(rows: DiffRow[]): void {
  for (let at = 0; at < rows.length;) {
    const removed = runOf(rows, at, 'removed')
    const added = runOf(rows, at + removed.length, 'added')
    if (removed.length > 0 && removed.length === added.length) {
      for (const [index, line] of removed.entries()) markPair(line, added[index] as DiffLine)
    }
    at += Math.max(1, removed.length + added.length)
  }
}

function runOf(rows: DiffRow[], from: number, type: DiffLine['type']): DiffLine[] {
  const run: DiffLine[] = []
  for (let row = rows[from]; isLine(row) && row.type === type; row = rows[from + run.length]) run.push(row)
  return run
}

/** Marks the range between the common prefix and suffix, unless the lines share little. */
function markPair(removed: DiffLine, added: DiffLine): void {
  if (Math.max(removed.text.length, added.text.length) > markedCharacters) return
  const [old, fresh] = [Array.from(removed.text), Array.from(added.text)]
  const { start, end } = commonEnds(old, fresh)
  const common = [...old.slice(0, start), ...old.slice(old.length - end)].join('').trim().length
  if (common < Math.max(removed.text.length, added.text.length) / 3) return
  removed.changed = stretch(old, start, end)
  added.changed = stretch(fresh, start, end)
}

/** In UTF-16 units, never splitting a character. */
function stretch(characters: string[], start: number, end: number): [number, number] {
  const from = characters.slice(0, start).join('').length
  return [from, from + characters.slice(start, characters.length - end).join('').length]
}
