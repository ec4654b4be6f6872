import path from 'node:path'
import type { ListDisplay, MatchesDisplay } from '@troupe/protocol'
import { resolvePath, shownPath } from '../files/resolve-path.ts'
import { formatCount, formatNumber, printablePath, printablePlace } from '../text/format.ts'
import type { ToolContext } from '../tool/tool.ts'
import type { FileLines, FoundCounts, FoundFiles, FoundLines } from './grep.ts'
import type { SearchSummary } from './search-query.ts'

/** One page of search results, with paths as shown to the model. */
export type GrepOutput = (FilesPage | CountsPage | LinesPage) & {
  place: string
  offset: number
  notes: string[]
}

interface FilesPage {
  mode: 'files_with_matches'
  files: string[]
  total: number
  order: 'newest first' | 'by path'
}

interface CountsPage {
  mode: 'count'
  counts: { path: string; lines: number }[]
  total: number
  lines: number
}

interface LinesPage {
  mode: 'content'
  files: FileLines[]
  more: boolean
  /** Matching files that are not text. */
  binary: string[]
}

interface PageOptions {
  folder: string
  shown: string
  cwd: string
  offset: number
  limit: number
}

export const grepPage = {
  files({ files, order, ...end }: FoundFiles, page: PageOptions): GrepOutput {
    const shown = files.slice(page.offset, page.offset + page.limit).map((file) => displayPath(file, page))
    return { mode: 'files_with_matches', files: shown, total: files.length, order, ...pageContext(end, page) }
  },
  counts({ counts, ...end }: FoundCounts, page: PageOptions): GrepOutput {
    const shown = counts.slice(page.offset, page.offset + page.limit)
    const lines = counts.reduce((sum, one) => sum + one.lines, 0)
    const total = counts.length
    return {
      mode: 'count',
      counts: shown.map((one) => ({ ...one, path: displayPath(one.path, page) })),
      total,
      lines,
      ...pageContext(end, page),
    }
  },
  lines({ files, binary, ...end }: FoundLines, page: PageOptions): GrepOutput {
    let at = 0
    const shown = files.flatMap((file) => {
      const from = at
      at += file.lines.length
      const lines = file.lines.slice(Math.max(0, page.offset - from), Math.max(0, page.offset + page.limit - from))
      return lines.length === 0 ? [] : [{ path: displayPath(file.path, page), lines }]
    })
    const unshown = binary.map((file) => displayPath(file, page))
    const output: GrepOutput = {
      mode: 'content',
      files: shown,
      more: at > page.offset + page.limit,
      binary: unshown,
      ...pageContext(end, page),
    }
    const names = unshown.slice(0, 10).map(printablePath).join(', ')
    if (unshown.length > 0) output.notes.push(`Binary files that match, not shown: ${names}`)
    return output
  },
}

function displayPath(file: string, page: PageOptions): string {
  return shownPath(path.join(page.folder, file), page.cwd)
}

function pageContext(
  { unread, pcre2 }: SearchSummary,
  page: PageOptions,
): Pick<GrepOutput, 'place' | 'offset' | 'notes'> {
  const notes: string[] = []
  if (unread.length > 0)
    notes.push(
      `${formatCount(unread.length, 'file or folder', 'files or folders')} could not be read: ${unread.slice(0, 3).join('; ')}`,
    )
  if (pcre2) notes.push('Searched with PCRE2, because the pattern uses lookaround or backreferences.')
  return { place: page.shown, offset: page.offset, notes }
}

export function grepText(
  output: GrepOutput,
  given: { pattern: string; glob?: string | undefined; type?: string | undefined; '-n'?: boolean | undefined },
): string {
  const body = bodyLines(output, given['-n'] !== false)
  const notes = output.notes.map((note) => `(${note})`)
  if (body.length > 0) return [...body, ...notes].join('\n')
  if (output.offset > 0) return [`No results after offset ${output.offset}${totalText(output)}.`, ...notes].join('\n')
  if (output.mode === 'content' && output.binary.length > 0) return ['No lines of text match.', ...notes].join('\n')
  const filters = [given.glob && `glob ${given.glob}`, given.type && `type ${given.type}`].filter(Boolean).join(', ')
  const none = `No matches for ${JSON.stringify(given.pattern)} in ${printablePlace(output.place)}${filters ? ` (${filters})` : ''}.`
  return [none, ...notes].join('\n')
}

function bodyLines(output: GrepOutput, numbers: boolean): string[] {
  if (output.mode === 'content') return linesBody(output, numbers)
  if (output.mode === 'count') {
    if (output.counts.length === 0) return []
    const total = `${formatCount(output.lines, 'matching line')} in ${formatCount(output.total, 'file')}`
    const left = output.total - output.offset - output.counts.length
    return [
      `${total}:`,
      ...output.counts.map((one) => `${printablePath(one.path)}:${one.lines}`),
      ...moreFiles(left, output.offset + output.counts.length),
    ]
  }
  if (output.files.length === 0) return []
  const left = output.total - output.offset - output.files.length
  return [
    `${formatCount(output.total, 'file')} with matches, ${output.order}:`,
    ...output.files.map(printablePath),
    ...moreFiles(left, output.offset + output.files.length),
  ]
}

function moreFiles(left: number, next: number): string[] {
  return left > 0 ? [`(${formatNumber(left)} more; continue with "offset": ${next}, or narrow the search)`] : []
}

function linesBody(output: GrepOutput & LinesPage, numbers: boolean): string[] {
  if (output.files.length === 0) return []
  const blocks = output.files.map((file) => [printablePath(file.path), ...fileLines(file, numbers)].join('\n'))
  const shown = output.files.reduce((sum, file) => sum + file.lines.length, 0)
  const next = output.offset + shown
  const end = output.more
    ? `(Lines ${output.offset + 1} to ${next}; there are more: continue with "offset": ${next}, or narrow the search)`
    : output.offset > 0
      ? `(Lines ${output.offset + 1} to ${next}, the last)`
      : `(${formatCount(shown, 'line')} in ${formatCount(output.files.length, 'file')})`
  return [blocks.join('\n\n'), '', end]
}

function fileLines(file: FileLines, numbers: boolean): string[] {
  const hasContext = file.lines.some((line) => !line.match)
  return file.lines.flatMap((line, index) => {
    const previous = file.lines[index - 1]
    const gap = hasContext && previous !== undefined && line.number > previous.number + 1 ? ['--'] : []
    return [...gap, numbers ? `${line.number}${line.match ? ':' : '-'}${line.text}` : line.text]
  })
}

function totalText(output: GrepOutput): string {
  return output.mode === 'content' ? '' : `: ${formatCount(output.total, 'file')} in total`
}

const cardLines = 200

/** Limits the results stored with the call to a readable amount. The model's text is stored separately. */
export function truncateForCard(output: GrepOutput): GrepOutput {
  if (output.mode === 'count') return { ...output, counts: output.counts.slice(0, cardLines) }
  if (output.mode === 'files_with_matches') return { ...output, files: output.files.slice(0, cardLines) }
  let left = cardLines
  const files = output.files.flatMap((file) => {
    const lines = file.lines.slice(0, left)
    left -= lines.length
    return lines.length === 0 ? [] : [{ path: file.path, lines }]
  })
  return { ...output, files, more: output.more || files.length < output.files.length || left === 0 }
}

export function matchesDisplay(output: GrepOutput, pattern: string): MatchesDisplay | ListDisplay {
  if (output.mode === 'content') return { kind: 'matches', pattern, files: output.files, more: output.more }
  const names = output.mode === 'count' ? output.counts.map((one) => `${one.path}: ${one.lines}`) : output.files
  const entries = names.map((name) => ({ name, kind: 'file' as const, depth: 0 }))
  return { kind: 'list', path: output.place, entries, left: output.total - entries.length }
}

interface SearchTarget {
  /** Real path. */
  folder: string
  /** Search target in the folder: `./`, or one file. */
  target: string
  shown: string
}

/** Resolves the search location. Throws if it does not exist. */
export function resolveSearchTarget(ctx: Pick<ToolContext, 'state'>, given: string | undefined): SearchTarget {
  const { path: real, shown, stats } = resolvePath(ctx, given ?? '.', { for: 'read' })
  if (stats === undefined)
    throw new Error(`"${given}" does not exist, so nothing was searched. Use Glob to find files and folders by name.`)
  if (stats.isDirectory()) return { folder: real, target: './', shown }
  return { folder: path.dirname(real), target: `./${path.basename(real)}`, shown }
}
