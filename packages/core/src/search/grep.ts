import { Buffer, isUtf8 } from 'node:buffer'
import { constants, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import path from 'node:path'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { fileFilter, runQuery, type SearchQuery, type SearchSummary, stripDotSlash } from './search-query.ts'

export interface FileLines {
  path: string
  lines: FoundLine[]
}

export interface FoundLines extends SearchSummary {
  /** Sorted by path. */
  files: FileLines[]
  binary: string[]
}

interface LineOptions {
  before?: number | undefined
  after?: number | undefined
  /** Number of lines, including context, after which ripgrep is stopped. */
  limit: number
}

const parallelAfterMs = 150

/**
 * Returns matching lines with context, sorted by path so that a later call can continue. Sorting makes ripgrep search
 * file by file. That is fast enough for common patterns. For a rare pattern that takes longer, a second ripgrep
 * searches on all cores in parallel, and its results are sorted here.
 */
export async function searchLines(query: SearchQuery, options: LineOptions, signal: AbortSignal): Promise<FoundLines> {
  const losers = new AbortController()
  const either = AbortSignal.any([signal, losers.signal])
  const inOrder = collectLines(query, options, ['--sort=path'], either)
  const atOnce = setTimeout(parallelAfterMs, undefined, { signal: either }).then(async () => {
    const found = await collectLines(query, options, [], either)
    if (found.cut) return inOrder
    return { ...found, files: sortByPath(found.files, (file) => file.path) }
  })
  try {
    return await Promise.race([inOrder, atOnce])
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    losers.abort()
    await Promise.allSettled([inOrder, atOnce])
  }
}

async function collectLines(
  query: SearchQuery,
  { before = 0, after = 0, limit }: LineOptions,
  order: readonly string[],
  signal: AbortSignal,
): Promise<FoundLines> {
  const isWanted = fileFilter(query)
  const files: FileLines[] = []
  const binary: string[] = []
  let seen = 0
  const read = parseRipgrepLines({
    onLine(file, line) {
      if (!isWanted(file) || seen > limit) return
      seen++
      const last = files.at(-1)
      if (last?.path === file) last.lines.push(line)
      else files.push({ path: file, lines: [line] })
    },
    onBinary: (file) => void (isWanted(file) && binary.push(file)),
  })
  const options = [
    ...order,
    '--line-number',
    '--column',
    '--byte-offset',
    '--with-filename',
    '--no-heading',
    '--no-context-separator',
    // Ripgrep itself cuts longer lines, so no line can fill the memory.
    '--max-columns=20000',
    '--max-columns-preview',
    ...(before > 0 ? [`--before-context=${before}`] : []),
    ...(after > 0 ? [`--after-context=${after}`] : []),
  ]
  const end = await runQuery(query, options, signal, (text) => {
    read(text)
    return seen <= limit
  })
  await loadDistantMatches(query.folder, files)
  return { ...end, files, binary }
}

async function loadDistantMatches(folder: string, files: readonly FileLines[]): Promise<void> {
  for (const { path: file, lines } of files) {
    for (const line of lines) {
      const { far } = line
      if (far === undefined) continue
      delete line.far
      line.text = (await readAroundMatch(path.join(folder, file), far)) ?? line.text
    }
  }
}

/** Maximum number of files sorted by time. Checking more would cost more than the search. */
const maxSortedByTime = 2000

export interface FoundFiles extends SearchSummary {
  files: string[]
  order: 'newest first' | 'by path'
}

export async function searchFiles(query: SearchQuery, signal: AbortSignal): Promise<FoundFiles> {
  const isWanted = fileFilter(query)
  const found: string[] = []
  let rest = ''
  const end = await runQuery(query, ['--files-with-matches'], signal, (text) => {
    const names = (rest + text).split('\0')
    rest = names.pop() ?? ''
    for (const name of names) {
      const path = stripDotSlash(name)
      if (isWanted(path)) found.push(path)
    }
    return true
  })
  const dated = found.length <= maxSortedByTime
  const files = dated ? await sortNewestFirst(query.folder, found, signal) : sortByPath(found, (file) => file)
  return { ...end, files, order: dated ? 'newest first' : 'by path' }
}

export interface FoundCounts extends SearchSummary {
  counts: { path: string; lines: number }[]
}

export async function searchCounts(query: SearchQuery, signal: AbortSignal): Promise<FoundCounts> {
  const isWanted = fileFilter(query)
  const counts: { path: string; lines: number }[] = []
  let rest = ''
  const end = await runQuery(query, ['--count', '--with-filename'], signal, (text) => {
    rest += text
    let read = 0
    for (const found of rest.matchAll(/([^\0]*)\0(\d+)\n/gy)) {
      read = found.index + found[0].length
      const path = stripDotSlash(found[1]!)
      if (isWanted(path)) counts.push({ path, lines: Number(found[2]) })
    }
    rest = rest.slice(read)
    return true
  })
  return { ...end, counts: sortByPath(counts, (one) => one.path) }
}

interface FoundLine {
  number: number
  /** At most 500 characters, with marks at the cuts. */
  text: string
  /** False for a context line. */
  match: boolean
  /** Set if the match is outside of the text: its offset in the file, and the bytes of the line before it. */
  far?: { at: number; before: number }
}

interface LineHandler {
  onLine(path: string, line: FoundLine): void
  onBinary(path: string): void
}

/**
 * Parses ripgrep's output as it arrives: `path NUL number:column:offset:text` for a match, `path NUL
 * number-offset-text` for context.
 */
function parseRipgrepLines({ onLine, onBinary }: LineHandler): (text: string) => void {
  let rest = ''
  return (text) => {
    rest += text
    let at = 0
    for (;;) {
      const end = rest.indexOf('\n', at)
      if (end === -1) break
      const note = /^([^]*): (?:binary file matches|WARNING: stopped searching binary file) .*offset \d+\)$/.exec(
        rest.slice(at, end),
      )
      const nul = rest.indexOf('\0', at)
      if (note !== null && (nul === -1 || nul > end)) {
        onBinary(stripDotSlash(note[1]!))
        at = end + 1
        continue
      }
      // A newline before the NUL belongs to the file name.
      const close = nul === -1 ? -1 : rest.indexOf('\n', nul)
      if (close === -1) break
      parseRipgrepLine(stripDotSlash(rest.slice(at, nul)), rest.slice(nul + 1, close), onLine)
      at = close + 1
    }
    rest = rest.slice(at)
  }
}

function parseRipgrepLine(path: string, text: string, onLine: LineHandler['onLine']): void {
  const found = /^(\d+)(?::(\d+):(\d+):|-\d+-)/.exec(text)
  if (found === null) throw new Error(`The search returned an invalid line: ${text.slice(0, 200)}`)
  const [, number, column, lineStart] = found
  const line = text.slice(found[0].length).replace(/\r$/, '')
  if (column === undefined) return onLine(path, { number: Number(number), text: cutLine(line, 0), match: false })
  const before = Number(column) - 1
  const printed = line.replace(ripgrepCut, '')
  const isFar = printed.length < line.length && before > Buffer.byteLength(printed) - shownBefore
  onLine(path, {
    number: Number(number),
    text: cutLine(line, charactersIn(printed, before)),
    match: true,
    far: isFar ? { at: Number(lineStart) + before, before } : undefined,
  })
}

const maxLineLength = 500
const shownBefore = 100
const ripgrepCut = / \[\.\.\. (?:\d+ more match(?:es)?|omitted end of long line)\]$/

/** Ripgrep counts bytes. */
function charactersIn(line: string, bytes: number): number {
  return bytes < maxLineLength - shownBefore ? bytes : Buffer.from(line).toString('utf8', 0, bytes).length
}

function cutLine(line: string, matchAt: number): string {
  const whole = line.replace(ripgrepCut, '')
  const isCut = whole.length < line.length && whole.length > maxLineLength
  if (whole.length <= maxLineLength) return line
  const from =
    matchAt < maxLineLength - shownBefore || matchAt >= whole.length
      ? 0
      : Math.min(matchAt - shownBefore, whole.length - maxLineLength)
  const left = whole.length - from - maxLineLength
  const before = from > 0 ? `[${from} characters] … ` : ''
  const after = left > 0 || isCut ? ` … [${isCut ? 'more than ' : ''}${left} more characters]` : ''
  return before + whole.slice(from, from + maxLineLength).toWellFormed() + after
}

/** Reads the part of a line around a match that ripgrep did not print. Returns undefined on failure. */
async function readAroundMatch(
  file: string,
  { at, before }: NonNullable<FoundLine['far']>,
): Promise<string | undefined> {
  try {
    await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK)
    const lead = Math.min(before, shownBefore)
    const bytes = Buffer.alloc(maxLineLength)
    const { bytesRead } = await handle.read(bytes, 0, maxLineLength, at - lead)
    const window = bytes.subarray(0, bytesRead)
    // If ripgrep transcoded the file, its offsets do not apply to the original bytes.
    if (!isUtf8(trimPartialCharacters(window))) return undefined
    const [line = '', ...rest] = trimPartialCharacters(window).toString().split('\n')
    return `[${before - lead} bytes] … ${line.replace(/\r$/, '')}${rest.length > 0 ? '' : ' … [more]'}`
  } catch {
    return undefined
  }
}

/** Drops characters split at either end. */
function trimPartialCharacters(bytes: Buffer): Buffer {
  let [start, end] = [0, bytes.length]
  while (start < Math.min(3, end) && (bytes[start]! & 0xc0) === 0x80) start++
  let lead = end - 1
  while (lead > start && end - lead < 4 && (bytes[lead]! & 0xc0) === 0x80) lead--
  const length = bytes[lead]! >= 0xf0 ? 4 : bytes[lead]! >= 0xe0 ? 3 : bytes[lead]! >= 0xc0 ? 2 : 1
  if (lead + length > end) end = lead
  return bytes.subarray(start, end)
}

const sliceMs = 8

/**
 * Sorts by modification time. Sequential `stat` calls take a tenth of the time of the thread pool. They run in slices,
 * so the event loop is never blocked for long.
 */
async function sortNewestFirst(folder: string, files: readonly string[], signal: AbortSignal): Promise<string[]> {
  const dated: { file: string; changed: number }[] = []
  let begun = performance.now()
  for (const file of files) {
    const changed = statSync(path.join(folder, file), { throwIfNoEntry: false })?.mtimeMs ?? 0
    dated.push({ file, changed })
    if (performance.now() - begun < sliceMs) continue
    await setImmediate()
    signal.throwIfAborted()
    begun = performance.now()
  }
  return dated.toSorted((one, other) => other.changed - one.changed).map(({ file }) => file)
}

/** Sorts like ripgrep's `--sort=path`: names within a folder by character, folder contents in place. */
function sortByPath<T>(items: readonly T[], pathOf: (item: T) => string): T[] {
  return items
    .map((item) => ({ item, key: pathOf(item).replaceAll('/', '\0') }))
    .toSorted((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0))
    .map(({ item }) => item)
}
