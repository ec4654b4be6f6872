import { sortNewestFirst } from './newest-first.ts'
import { runQuery, fileFilter, stripDotSlash, type SearchSummary, type SearchQuery } from './search-query.ts'
import { sortByPath } from './sort-by-path.ts'

/** Up to so many files are sorted by time; looking at more of them would cost more than the search. */
export const maxSortedByTime = 2000

export interface FoundFiles extends SearchSummary {
  files: string[]
  order: 'newest first' | 'by path'
}

/** Every file with a match, relative to the folder. */
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

/** How many lines match in each file, by path. */
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
