import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { readAroundMatch, parseRipgrepLines, type FoundLine } from './read-lines.ts'
import { runQuery, fileFilter, type SearchSummary, type SearchQuery } from './search-query.ts'
import { sortByPath } from './sort-by-path.ts'

export interface FileLines {
  path: string
  lines: FoundLine[]
}

export interface FoundLines extends SearchSummary {
  /** By path. */
  files: FileLines[]
  /** Files that match and are not text. */
  binary: string[]
}

export interface LineOptions {
  before?: number | undefined
  after?: number | undefined
  /** Lines seen before ripgrep is ended, context included. */
  limit: number
}

const parallelAfterMs = 150

/**
 * Matching lines with their context, by path: an order in which a later call can go on. That order makes ripgrep
 * search file by file. Common patterns are through at once; for a rare one that takes longer than a moment, a second
 * ripgrep searches on all cores at the same time, and what it finds is sorted here.
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
    // Longer lines are cut by ripgrep already, so that no line can fill the memory.
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

/** A match far behind the start of its line is read from the file. */
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
