import { existsSync } from 'node:fs'
import path from 'node:path'
import { loadIgnoreRules } from '../files/list-folder.ts'
import { compileGlob, type GlobPattern } from './glob-pattern.ts'
import { defaultArguments, type RipgrepResult, runRipgrep } from './ripgrep.ts'

export interface SearchQuery {
  pattern: string
  /** Real path of a folder. `target` is `./`, or one file by its name. */
  folder: string
  target: string
  glob?: string | undefined
  type?: string | undefined
  ignoreCase?: boolean | undefined
  multiline?: boolean | undefined
  /** Excludes files from results and from match counts, by their path in the folder. */
  hides?: (path: string) => boolean
}

export interface SearchSummary {
  /** Stopped early, so there may be more. */
  cut: boolean
  unread: string[]
  /** The pattern required look-around or backreferences. */
  pcre2: boolean
}

/** Runs ripgrep for a query. Throws an Error that explains a bad query. `take` receives the raw output. */
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
  // Rejected before any file was opened, so no output has been consumed yet.
  const refused = first.failed && /look-around|backreferences/.test(first.complaints)
  const end = refused ? await run(['--pcre2']) : first
  const unread = unreadablePaths(end.complaints)
  if (end.failed && unread === undefined)
    throw searchError(query, refused ? `${first.complaints}\n${end.complaints}` : end.complaints)
  return { cut: end.cut, unread: unread ?? [], pcre2: refused }
}

/** Filters the files that ripgrep reports. Ripgrep itself only gets options that narrow. See `listFiles`. */
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
  // Ripgrep combines several types with "or", so globs given with a type are applied only to the results.
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

/** Splits `*.ts, *.tsx` into two globs. Commas in braces do not split. */
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

interface FileList {
  /** Relative to the folder, newest first, at most the requested number. */
  files: string[]
  total: number
  unread: string[]
}

/**
 * Lists files below a folder that match a glob and are not ignored, by modification time. Passing the glob to ripgrep
 * directly would bring back ignored files. So it is passed as a file type, which only narrows, and is then applied
 * here. Ripgrep sorts, because it checks each file once anyway.
 */
export async function listFiles(folder: string, glob: string, limit: number, signal: AbortSignal): Promise<FileList> {
  const pattern = compileGlob(glob)
  const list: FileList = { files: [], total: 0, unread: [] }
  const take = (name: string): void => {
    const path = name.startsWith('./') ? name.slice(2) : name
    if (!pattern.matches(path)) return
    if (list.files.length < limit) list.files.push(path)
    list.total++
  }
  let rest = ''
  const end = await runRipgrep({
    args: [
      '--files',
      ...defaultArguments,
      ...(await ignoreOptions(folder)),
      '--sortr=modified',
      ...typeFilter([pattern]),
      '--',
      './',
    ],
    cwd: folder,
    signal,
    onText(text) {
      const names = (rest + text).split('\0')
      rest = names.pop() ?? ''
      for (const name of names) take(name)
      return true
    },
  })
  const unread = unreadablePaths(end.complaints)
  if (end.failed && unread === undefined) throw new Error(`The files could not be listed: ${end.complaints.trim()}`)
  return { ...list, unread: unread ?? [] }
}

/** Returns options that limit the search to such names. They never bring back ignored files. */
function typeFilter(patterns: readonly GlobPattern[]): string[] {
  if (patterns.length === 0 || patterns.some(({ nameGlob }) => nameGlob === undefined)) return []
  return [...patterns.map(({ nameGlob }) => `--type-add=wanted:${nameGlob}`), '--type=wanted']
}

/**
 * True if ignore files above a folder exclude it. A search that names the folder then skips those ignore files. Ignore
 * files above a repository have no effect in it.
 */
export async function isIgnored(folder: string): Promise<boolean> {
  const { root } = path.parse(folder)
  let here = root
  let rules = await loadIgnoreRules(root, root)
  let ignored = false
  for (const name of path.relative(root, folder).split(path.sep).filter(Boolean)) {
    ignored ||= rules.ignores(name, true)
    here = path.join(here, name)
    const isRepository = existsSync(path.join(here, '.git'))
    if (isRepository) ignored = false
    rules = isRepository ? await loadIgnoreRules(here, here) : rules.enter(name)
  }
  return ignored
}

async function ignoreOptions(folder: string): Promise<string[]> {
  return (await isIgnored(folder)) ? ['--no-ignore-parent'] : []
}

/**
 * Returns the lines of ripgrep's stderr if each reports an unreadable file. Returns undefined if one reports a bad
 * query.
 */
export function unreadablePaths(complaints: string): string[] | undefined {
  const lines = complaints.split('\n').filter((line) => line !== '')
  return lines.every((line) => /\(os error \d+\)$/.test(line))
    ? lines.map((line) => line.replace(/^rg: /, ''))
    : undefined
}

export function searchError(query: SearchQuery, complaints: string): Error {
  const said = complaints.replace(/^rg: /gm, '').trim()
  if (/unrecognized file type/.test(said)) {
    return new Error(
      `"${query.type}" is not a ripgrep file type (examples: ts, js, py, rust, go, java, md). Use glob instead, such as "*.${query.type}".`,
    )
  }
  if (/error parsing glob|glob/.test(said) && !/regex/.test(said)) {
    return new Error(`The glob "${query.glob}" is invalid: ${said}`)
  }
  if (/the literal .* is not allowed/.test(said)) {
    return new Error(
      `The pattern contains a line break. Set "multiline": true to match across lines. (${firstLine(said)})`,
    )
  }
  if (/PCRE2 is not available/.test(said)) {
    return new Error(
      'Lookaround and backreferences need ripgrep with PCRE2, which this one does not have. Search for a simpler pattern and filter the matches.',
    )
  }
  if (/regex|PCRE2|pattern/i.test(said)) {
    const literal = escapeRegex(query.pattern)
    const hint =
      literal === query.pattern ? '' : `\nTo search for this exact text, escape it: ${JSON.stringify(literal)}`
    return new Error(
      `The pattern is not a valid regular expression, so nothing was searched.\n${withoutAdvice(said)}${hint}`,
    )
  }
  return new Error(`The search failed, so it is unknown whether there are matches: ${said || 'ripgrep gave no reason'}`)
}

/** Removes ripgrep's advice, which names options that a model does not have. */
function withoutAdvice(said: string): string {
  return said.replace(/\n\n(Consider|When)[^]*$/, '').trimEnd()
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? ''
}

function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
