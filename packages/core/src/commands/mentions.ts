import { readdirSync, readFileSync, type Stats } from 'node:fs'
import type { DataParts } from '@troupe/protocol'
import { compareNames } from '../text/natural-order.ts'

const maxFileBytes = 20 * 1024 * 1024
const maxEntries = 300

/** Reads a file or folder that may be read into a message part of at most `most` characters. */
export function readMention(
  { name, from, to }: Mention,
  found: { path: string; stats: Stats },
  most: number,
): DataParts['mention'] {
  if (found.stats.isDirectory()) return { kind: 'folder', name, path: name, content: listing(found.path) }
  const refused = (content: string): DataParts['mention'] => ({ kind: 'refused', name, content })
  if (!found.stats.isFile()) return refused(`${name} is neither a file nor a folder.`)
  if (found.stats.size > maxFileBytes) return refused(`${name} is too large to include. Read the part you need.`)
  const bytes = readFileSync(found.path)
  if (bytes.subarray(0, 8192).includes(0))
    return refused(`${name} is not a text file. Read it with a tool, or attach it.`)
  const lines = bytes.toString('utf8').split('\n')
  const part = from === undefined ? lines : lines.slice(Math.max(0, from - 1), to)
  if (part.length === 0) return refused(`${name} has ${lines.length} lines, so there are no lines ${from} to ${to}.`)
  const whole = part.join('\n')
  const content = truncate(whole, most)
  const isCut = content.length < whole.length
  const note = isCut
    ? `\n[… truncated, ${whole.length - content.length} more characters. Read the rest if you need it.]`
    : ''
  return {
    kind: 'file',
    name,
    path: name,
    lines: from === undefined ? undefined : `${from}-${Math.min(to ?? from, lines.length)}`,
    content: content + note,
  }
}

/** Cuts at a line end where possible. */
function truncate(text: string, most: number): string {
  if (text.length <= most) return text
  const end = text.lastIndexOf('\n', most)
  return text.slice(0, end > most / 2 ? end : most).toWellFormed()
}

function listing(folder: string): string {
  const entries = readdirSync(folder, { withFileTypes: true })
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .filter((name) => name !== '.git/')
    .toSorted()
  const left = entries.length - maxEntries
  return [...entries.slice(0, maxEntries), ...(left > 0 ? [`[… ${left} more]`] : [])].join('\n') || '[empty]'
}

/** A reference with `@` in a text: a file, a line range, a folder, or an agent. */
export interface Mention {
  name: string
  /** 1-based line number. */
  from?: number
  to?: number
}

const mention =
  /(?<![\w@/.\\])@(?:"([^"\n]{1,400})"(:\d+(?:-\d+)?)?|([^\s"'`<>|*?(){}[\],;!@][^\s"'`<>|*?(){}[\],;!]{0,399}))/gu

/**
 * Returns unique mentions in order: `@path`, `@path:10-20`, `@"a path with spaces":3`. Does not check that they exist.
 */
export function mentionsIn(text: string): Mention[] {
  const found = new Map<string, Mention>()
  for (const [, quoted, range = '', plain] of text.matchAll(mention)) {
    const written = quoted === undefined ? (plain ?? '').replace(/[.:]+$/, '') : quoted + range
    const match = /^(.+?)(?::(\d{1,9})(?:-(\d{1,9}))?)?$/.exec(written)
    if (match === null) continue
    const [, name = '', from, to] = match
    found.set(written, from === undefined ? { name } : { name, from: Number(from), to: Number(to ?? from) })
  }
  return [...found.values()]
}

type Ranked = [score: number, path: string]

/** Paths with their folders, prepared for many queries. */
export interface PathIndex {
  /** Folders end in a slash and come first. */
  paths: readonly string[]
  /** The same in lower case, filled by the first ranking. */
  lower: (string | undefined)[]
}

/**
 * Ranks the files and folders that match a few typed letters, best first, ties in natural order, with the total count.
 * A query that ends in a slash matches the contents of that folder, not the folder itself.
 */
export function rankPaths(query: string, files: readonly string[], limit: number): { paths: string[]; total: number } {
  const ranking = startRanking(query, indexPaths(files), limit)
  while (!ranking.next(Infinity)) continue
  return ranking.result()
}

export function indexPaths(files: readonly string[]): PathIndex {
  const paths = [...foldersOf(files), ...files]
  return { paths, lower: [] }
}

/** Ranks in steps, for an index so large that one pass would block. `next` returns true at the end. */
export function startRanking(
  query: string,
  { paths, lower }: PathIndex,
  limit: number,
): { next(count: number): boolean; result(): { paths: string[]; total: number } } {
  const wanted = query.toLowerCase()
  /** Keeps only the best matches in order, which avoids sorting tens of thousands of names. */
  const best: Ranked[] = []
  let total = 0
  let at = 0
  return {
    next(count) {
      for (const end = Math.min(paths.length, at + count); at < end; at++) {
        const score = scoreOf(wanted, (lower[at] ??= (paths[at] as string).toLowerCase()))
        if (score === undefined) continue
        total++
        insert(best, [score, paths[at] as string], limit)
      }
      return at >= paths.length
    },
    result: () => ({ paths: best.map(([, path]) => path), total }),
  }
}

function insert(best: Ranked[], one: Ranked, limit: number): void {
  const last = best.at(-1)
  if (best.length >= limit && (last === undefined || compare(last, one) <= 0)) return
  let [low, high] = [0, best.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (compare(best[middle] as Ranked, one) <= 0) low = middle + 1
    else high = middle
  }
  best.splice(low, 0, one)
  if (best.length > limit) best.pop()
}

function compare([a, one]: Ranked, [b, other]: Ranked): number {
  return a - b || compareNames(one, other)
}

function foldersOf(files: readonly string[]): Set<string> {
  const folders = new Set<string>()
  for (const file of files) {
    for (let end = file.lastIndexOf('/'); end > 0; end = file.lastIndexOf('/', end - 1)) {
      const folder = file.slice(0, end + 1)
      if (folders.has(folder)) break
      folders.add(folder)
    }
  }
  return folders
}

/** Lower is better. Undefined if the path does not contain the letters in order. */
function scoreOf(wanted: string, path: string): number | undefined {
  if (wanted === '') return path.split('/').length
  const base = path.slice(path.lastIndexOf('/', path.length - 2) + 1)
  if (wanted.endsWith('/')) {
    if (path === wanted) return undefined
    if (path.startsWith(wanted)) return path.split('/').length / 1000
  }
  if (path === wanted) return 0
  if (path.startsWith(wanted)) return 1 + path.length / 1000
  if (base.startsWith(wanted)) return 2 + path.length / 1000
  if (base.includes(wanted)) return 3 + path.length / 1000
  if (path.includes(wanted)) return 4 + path.length / 1000
  let at = -1
  for (const letter of wanted) {
    at = path.indexOf(letter, at + 1)
    if (at === -1) return undefined
  }
  return 6 + path.length / 1000
}
