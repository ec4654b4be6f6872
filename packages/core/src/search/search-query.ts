import { compileGlob } from './glob-pattern.ts'
import { ignoreOptions } from './is-ignored.ts'
import { typeFilter } from './list-files.ts'
import { runRipgrep, defaultArguments, type RipgrepResult } from './ripgrep.ts'
import { searchError, unreadablePaths } from './search-error.ts'

/** What is searched for, and where. */
export interface SearchQuery {
  pattern: string
  /** The real path of a folder, and what in it is searched: `./`, or one file by its name. */
  folder: string
  target: string
  glob?: string | undefined
  type?: string | undefined
  ignoreCase?: boolean | undefined
  multiline?: boolean | undefined
  /** Files that are not shown, nor whether they match; by their path in the folder. */
  hides?: (path: string) => boolean
}

export interface SearchSummary {
  /** Ended early: there may be more. */
  cut: boolean
  /** Lines about files that could not be read. */
  unread: string[]
  /** The pattern needed look-around or backreferences. */
  pcre2: boolean
}

/** Runs ripgrep over a query; throws an Error that says what is wrong with the query. `take` gets the raw output. */
export async function runQuery(
  query: SearchQuery,
  options: readonly string[],
  signal: AbortSignal,
  take: (text: string) => boolean,
): Promise<SearchSummary> {
  const ignore = await ignoreOptions(query.folder)
  const run = (engine: readonly string[]): Promise<RipgrepResult> => {
    const args = ripgrepArguments(query, [...ignore, ...options, ...engine])
    return runRipgrep({ args, cwd: query.folder, signal, onText: take })
  }
  const first = await run([])
  // Refused before any file was opened, so nothing has been taken yet.
  const refused = first.failed && /look-around|backreferences/.test(first.complaints)
  const end = refused ? await run(['--pcre2']) : first
  const unread = unreadablePaths(end.complaints)
  if (end.failed && unread === undefined)
    throw searchError(query, refused ? `${first.complaints}\n${end.complaints}` : end.complaints)
  return { cut: end.cut, unread: unread ?? [], pcre2: refused }
}

/** Which of the files that ripgrep names are meant. Ripgrep was given only what narrows; see `listFiles`. */
export function fileFilter(query: SearchQuery): (path: string) => boolean {
  const globs = splitGlobs(query.glob ?? '')
  const wanted = globs.filter((glob) => !glob.startsWith('!')).map(compileGlob)
  const isAny = wanted.length === 0 || query.target !== './'
  const { hides = () => false } = query
  return (path) => (isAny || wanted.some((glob) => glob.matches(path))) && !hides(path)
}

export function stripDotSlash(path: string): string {
  return path.startsWith('./') ? path.slice(2) : path
}

function ripgrepArguments(query: SearchQuery, options: readonly string[]): string[] {
  const globs = splitGlobs(query.glob ?? '')
  const excluded = globs.filter((glob) => glob.startsWith('!'))
  const wanted = globs.filter((glob) => !glob.startsWith('!')).map(compileGlob)
  // Several types are any of them, so globs beside a type are only tried on what is found.
  const narrow = query.type === undefined ? typeFilter(wanted) : []
  return [
    ...defaultArguments,
    ...options,
    ...narrow,
    ...excluded.map((glob) => `--glob=${glob}`),
    ...(query.type === undefined ? [] : [`--type=${query.type}`]),
    ...(query.ignoreCase === true ? ['--ignore-case'] : []),
    ...(query.multiline === true ? ['--multiline', '--multiline-dotall'] : []),
    `--regexp=${query.pattern}`,
    '--',
    query.target,
  ]
}

/** `*.ts, *.tsx` are two globs; commas in braces part nothing. */
function splitGlobs(globs: string): string[] {
  let depth = 0
  const list = ['']
  for (const char of globs) {
    if (char === '{') depth++
    if (char === '}') depth--
    if (char === ',' && depth <= 0) list.push('')
    else list[list.length - 1] += char
  }
  return list.map((glob) => glob.trim()).filter((glob) => glob !== '')
}
