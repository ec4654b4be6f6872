import { existsSync } from 'node:fs'
import path from 'node:path'
import { loadIgnoreRules } from '../files/list-folder.ts'
import { compileGlob, type GlobPattern } from './glob-pattern.ts'
import { defaultArguments, type RipgrepResult, runRipgrep } from './ripgrep.ts'

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

interface FileList {
  /** Relative to the folder, newest first, at most as many as were asked for. */
  files: string[]
  total: number
  /** Lines about folders that could not be looked into. */
  unread: string[]
}

/**
 * The files below a folder that a glob and the ignore rules leave, by the time of their last change. The glob is not
 * given to ripgrep as one: there it would bring back files that are ignored. As the definition of a file type it only
 * narrows, and the glob itself is tried here. Sorting is left to ripgrep, which looks at each file once anyway.
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

/** Options by which only files of such names are looked at. They never bring back what ignore files leave out. */
function typeFilter(patterns: readonly GlobPattern[]): string[] {
  if (patterns.length === 0 || patterns.some(({ nameGlob }) => nameGlob === undefined)) return []
  return [...patterns.map(({ nameGlob }) => `--type-add=wanted:${nameGlob}`), '--type=wanted']
}

/**
 * Whether ignore files above a folder leave it out, with all that is in it. Whoever searches there has named it, so
 * those files do not count then. A repository knows nothing of what lies above it.
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

/** Options for a search in a folder. */
async function ignoreOptions(folder: string): Promise<string[]> {
  return (await isIgnored(folder)) ? ['--no-ignore-parent'] : []
}

/** The lines of ripgrep's complaints when each is about a file that cannot be read; undefined when one is about the query. */
export function unreadablePaths(complaints: string): string[] | undefined {
  const lines = complaints.split('\n').filter((line) => line !== '')
  return lines.every((line) => /\(os error \d+\)$/.test(line))
    ? lines.map((line) => line.replace(/^rg: /, ''))
    : undefined
}

/** What ripgrep refuses, with what to do instead. */
export function searchError(query: SearchQuery, complaints: string): Error {
  const said = complaints.replace(/^rg: /gm, '').trim()
  if (/unrecognized file type/.test(said)) {
    return new Error(
      `"${query.type}" is not a file type that ripgrep knows (ts, js, py, rust, go, java, md … are). Use glob instead, such as "*.${query.type}".`,
    )
  }
  if (/error parsing glob|glob/.test(said) && !/regex/.test(said)) {
    return new Error(`The glob "${query.glob}" cannot be used: ${said}`)
  }
  if (/the literal .* is not allowed/.test(said)) {
    return new Error(
      `The pattern has a line break in it. Set "multiline": true to match across lines. (${firstLine(said)})`,
    )
  }
  if (/PCRE2 is not available/.test(said)) {
    return new Error(
      'Look-around and backreferences need a ripgrep with PCRE2, and this one has none. Search for a simpler pattern and look through its matches.',
    )
  }
  if (/regex|PCRE2|pattern/i.test(said)) {
    const literal = escapeRegex(query.pattern)
    const hint =
      literal === query.pattern ? '' : `\nTo search for this very text, escape it: ${JSON.stringify(literal)}`
    return new Error(
      `The pattern is not a valid regular expression, nothing was searched.\n${withoutAdvice(said)}${hint}`,
    )
  }
  return new Error(`The search failed, nothing can be said about matches: ${said || 'ripgrep gave no reason'}`)
}

/** Ripgrep's own advice is about options that a model does not have. */
function withoutAdvice(said: string): string {
  return said.replace(/\n\n(Consider|When)[^]*$/, '').trimEnd()
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? ''
}

function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
