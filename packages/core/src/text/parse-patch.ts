export type PatchStep =
  | { type: 'add'; path: string; lines: string[] }
  | { type: 'delete'; path: string }
  | { type: 'update'; path: string; moveTo?: string; hunks: PatchHunk[] }

export interface PatchHunk {
  /** Lines after `@@` that precede the position, outermost first. */
  contexts: string[]
  lines: HunkLine[]
  atEnd: boolean
  /** 1-based line in the patch where the hunk starts. */
  line: number
}

export interface HunkLine {
  type: 'keep' | 'remove' | 'add'
  text: string
}

/**
 * Parses the `*** Begin Patch` format. Tolerates blanks around markers, a here-document or code fence around the patch,
 * and a bare empty line for an empty context line. Throws an Error for the model for anything else unexpected.
 */
export function parsePatch(patch: string): PatchStep[] {
  const reader = createReader(unwrapped(patch))
  const steps: PatchStep[] = []
  for (let line = reader.peek(); line !== undefined; line = reader.peek()) {
    if (line.trim() === '') reader.next()
    else steps.push(parseStep(reader))
  }
  if (steps.length === 0) throw new Error('The patch is empty: there is nothing between Begin Patch and End Patch.')
  return steps
}

const headers = { add: '*** Add File:', delete: '*** Delete File:', update: '*** Update File:', move: '*** Move to:' }

function parseStep(reader: Reader): PatchStep {
  const number = reader.number()
  const line = reader.next().trim()
  const added = pathAfterHeader(line, headers.add)
  if (added !== undefined) return { type: 'add', path: requirePath(added, number), lines: addedLines(reader) }
  const deleted = pathAfterHeader(line, headers.delete)
  if (deleted !== undefined) return { type: 'delete', path: requirePath(deleted, number) }
  const updated = pathAfterHeader(line, headers.update)
  if (updated !== undefined) return parseUpdate(reader, requirePath(updated, number), number)
  throw new Error(
    `Line ${number} of the patch, "${truncateLine(line)}", is not valid here. Expected "${headers.add} path", "${headers.update} path" or "${headers.delete} path"; every line of a new file starts with "+".`,
  )
}

function addedLines(reader: Reader): string[] {
  const lines: string[] = []
  while (reader.peek()?.startsWith('+') === true) lines.push(reader.next().slice(1))
  return lines
}

function parseUpdate(reader: Reader, path: string, number: number): PatchStep {
  const moved = pathAfterHeader(reader.peek()?.trim() ?? '', headers.move)
  if (moved !== undefined) reader.next()
  const hunks: PatchHunk[] = []
  for (let line = reader.peek(); line !== undefined && !isHeader(line); line = reader.peek()) {
    if (line.trim() === '') reader.next()
    else hunks.push(parseHunk(reader, hunks.length === 0))
  }
  if (hunks.length === 0 && moved === undefined) {
    throw new Error(`Line ${number} of the patch: the section for "${path}" has no changes.`)
  }
  return { type: 'update', path, hunks, moveTo: moved === undefined ? undefined : requirePath(moved, number + 1) }
}

function parseHunk(reader: Reader, isFirst: boolean): PatchHunk {
  const hunk: PatchHunk = { contexts: [], lines: [], atEnd: false, line: reader.number() }
  let isMarked = false
  while (reader.peek()?.startsWith('@@') === true) {
    isMarked = true
    const context = contextOf(reader.next())
    if (context !== '') hunk.contexts.push(context)
  }
  if (!isMarked && !isFirst) throw new Error(`Line ${hunk.line} of the patch: a new hunk starts with "@@".`)
  for (let line = reader.peek(); line !== undefined; line = reader.peek()) {
    if (isEndOfFile(line)) {
      hunk.atEnd = true
      reader.next()
      break
    }
    if (isHeader(line) || line.startsWith('@@')) break
    hunk.lines.push(parseHunkLine(line, reader.number()))
    reader.next()
  }
  if (hunk.lines.length === 0) throw new Error(`Line ${hunk.line} of the patch: the hunk has no lines.`)
  return hunk
}

function parseHunkLine(line: string, number: number): HunkLine {
  const text = line.slice(1)
  if (line === '' || line.startsWith(' ')) return { type: 'keep', text }
  if (line.startsWith('+')) return { type: 'add', text }
  if (line.startsWith('-')) return { type: 'remove', text }
  throw new Error(
    `Line ${number} of the patch, "${truncateLine(line)}": every line of a hunk starts with " " (unchanged), "-" (removed) or "+" (added).`,
  )
}

/** Reads `@@ class A`. Skips the line numbers that other formats put there. */
function contextOf(line: string): string {
  return line
    .slice(2)
    .replace(/^ ?-\d+(,\d+)? \+\d+(,\d+)? @@/, '')
    .replace(/^ /, '')
    .trimEnd()
}

function isHeader(line: string): boolean {
  return line.startsWith('*** ') && !isEndOfFile(line)
}

function isEndOfFile(line: string): boolean {
  return line.trimEnd() === '*** End of File'
}

function unwrapped(patch: string): { lines: string[]; first: number } {
  const lines = patch.replaceAll('\r\n', '\n').split('\n')
  const begin = lines.findIndex((line) => line.trim() === '*** Begin Patch')
  const end = lines.findLastIndex((line) => line.trim() === '*** End Patch')
  const first = lines.findIndex((line) => line.trim() !== '' && !wrapper.test(line))
  // Without both markers, nothing can have been cut off between them.
  if (begin === -1 && end === -1 && isHeader(lines[first]?.trimStart() ?? '')) return bare(lines, first)
  const before = lines.slice(0, Math.max(0, begin)).filter((line) => line.trim() !== '')
  if (begin === -1 || !before.every((line) => wrapper.test(line)))
    throw new Error('The first line of the patch must be "*** Begin Patch".')
  const behind = lines.slice(end + 1).filter((line) => line.trim() !== '')
  if (end < begin || (before.length === 0 && behind.length > 0) || behind.length > before.length) {
    throw new Error('The last line of the patch must be "*** End Patch".')
  }
  return { lines: lines.slice(begin + 1, end), first: begin + 2 }
}

/** Matches a line that opens a here-document, a cell, or a code fence. */
const wrapper =
  /^\s*(%%(ba)?sh|((cat|apply_?patch)\s*)?<<-?\s*(?<quote>['"]?)\w+\k<quote>(\s*\|\s*apply_?patch)?|```\w*)\s*$/

/** A patch without markers ends where its wrapper ends. */
function bare(lines: readonly string[], first: number): { lines: string[]; first: number } {
  let end = lines.length
  for (let wrappers = lines.slice(0, first).filter((line) => line.trim() !== '').length; wrappers > 0; wrappers--) {
    const last = lines.slice(0, end).findLastIndex((line) => line.trim() !== '')
    if (/^(\w+|```)$/.test(lines[last]!.trim())) end = last
  }
  while (end > first && lines[end - 1]!.trim() === '') end--
  return { lines: lines.slice(first, end), first: first + 1 }
}

interface Reader {
  peek(): string | undefined
  next(): string
  /** Number of the line returned by `peek`. */
  number(): number
}

function createReader({ lines, first }: { lines: string[]; first: number }): Reader {
  let at = 0
  return {
    peek: () => lines[at],
    next: () => lines[at++] ?? '',
    number: () => first + at,
  }
}

function pathAfterHeader(line: string, header: string): string | undefined {
  return line.startsWith(header) ? line.slice(header.length).trim() : undefined
}

function requirePath(path: string, number: number): string {
  if (path === '') throw new Error(`Line ${number} of the patch has no file name.`)
  return path
}

function truncateLine(line: string): string {
  return line.length > 100 ? `${line.slice(0, 100)}…` : line
}
