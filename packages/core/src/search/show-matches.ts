import path from 'node:path'
import { shownPath } from '../files/resolve-path.ts'
import type { FoundCounts, FoundFiles } from './search-files.ts'
import type { FileLines, FoundLines } from './search-lines.ts'
import type { SearchSummary } from './search-query.ts'
import { formatCount, printablePath, formatNumber, printablePlace } from '../files/show-name.ts'

/** One page of what a search found; paths as they are named to the model. */
export type GrepOutput = (FilesPage | CountsPage | LinesPage) & {
  /** Where it was searched. */
  place: string
  offset: number
  /** What else the model should know: files that could not be read, binary files. */
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
  /** Matching lines in all files. */
  lines: number
}

interface LinesPage {
  mode: 'content'
  files: FileLines[]
  /** There are lines after these. */
  more: boolean
  /** Files that match and are not text. */
  binary: string[]
}

export interface PageOptions {
  folder: string
  /** The folder or file as the model knows it. */
  shown: string
  cwd: string
  offset: number
  limit: number
}

/** From all that was found to the page that was asked for. */
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
  if (pcre2) notes.push('Searched with PCRE2, since the pattern has look-around or backreferences.')
  return { place: page.shown, offset: page.offset, notes }
}

/** What the model reads. */
export function grepText(
  output: GrepOutput,
  given: { pattern: string; glob?: string | undefined; type?: string | undefined; '-n'?: boolean | undefined },
): string {
  const body = bodyLines(output, given['-n'] !== false)
  const notes = output.notes.map((note) => `(${note})`)
  if (body.length > 0) return [...body, ...notes].join('\n')
  if (output.offset > 0)
    return [`There is nothing after offset ${output.offset}${totalText(output)}.`, ...notes].join('\n')
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
  return output.mode === 'content' ? '' : `: ${formatCount(output.total, 'file')} in all`
}
