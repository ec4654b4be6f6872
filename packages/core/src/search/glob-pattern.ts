export interface GlobPattern {
  /** `path` is relative to the glob's folder and uses `/` as separator. */
  matches(path: string): boolean
  /** A glob for the file name of every match, if there is one. Lets ripgrep skip most other files. */
  nameGlob: string | undefined
}

/**
 * Compiles a glob with the syntax of ignore files: without a slash it matches a name at any depth, with one a path from
 * the folder. Supports `*` `?` `[a-z]`
 * `{a,b}` `**`, and `\` as escape. `[id]` also matches a folder with that literal name, as used for routes. Matching
 * time is proportional to the path length for any glob.
 */
export function compileGlob(glob: string): GlobPattern {
  const plain = expandBraces(glob).flatMap(bracketReadings)
  const patterns = plain.map((one) => splitSegments(one).map(compileSegment))
  return {
    matches: (path) => {
      const names = path.split('/')
      return patterns.some((pattern) => matchesPath(pattern, names))
    },
    nameGlob: nameGlob(glob),
  }
}

/** Splits a glob at its first wildcard into the folder to search and the remaining glob. */
export function splitGlob(glob: string): { folder: string; glob: string } {
  const segments = glob.split('/')
  const wild = segments.findIndex((segment) => /[*?[\]{}\\]/.test(segment))
  const at = wild === -1 ? segments.length - 1 : wild
  if (at === 0) return { folder: '', glob }
  return { folder: segments.slice(0, at).join('/') || '/', glob: `/${segments.slice(at).join('/')}` }
}

type Segment = '**' | ((name: string) => boolean)

function splitSegments(glob: string): string[] {
  const path = glob.replace(/^(\.\/)+/, '')
  const anchored = path.replace(/\/$/, '').includes('/')
  const segments = path.split('/').filter((segment, index, all) => segment !== '' || index === all.length - 1)
  if (segments.at(-1) === '') segments[segments.length - 1] = '**'
  return anchored ? segments : ['**', ...segments]
}

function matchesPath(pattern: readonly Segment[], names: readonly string[]): boolean {
  return walk(
    pattern.length,
    names.length,
    (at) => pattern[at] === '**',
    (at, name) => (pattern[at] as (name: string) => boolean)(names[name]!),
  )
}

/** Wildcard matching that backtracks only to the last wildcard. That is sufficient and bounds the time. */
function walk(
  patternLength: number,
  textLength: number,
  isWild: (at: number) => boolean,
  fits: (at: number, textAt: number) => boolean,
): boolean {
  let at = 0
  let textAt = 0
  let wild = -1
  let retry = 0
  while (textAt < textLength) {
    if (at < patternLength && isWild(at)) {
      wild = at++
      retry = textAt
    } else if (at < patternLength && fits(at, textAt)) {
      at++
      textAt++
    } else if (wild === -1) {
      return false
    } else {
      at = wild + 1
      textAt = ++retry
    }
  }
  while (at < patternLength && isWild(at)) at++
  return at === patternLength
}

type Token = '*' | ((char: string) => boolean)

function compileSegment(segment: string): Segment {
  if (segment === '**') return '**'
  if (!/[*?[\\]/.test(segment)) return (name) => name === segment
  const ending = /^\*+([^*?[\\]*)$/.exec(segment)?.[1]
  if (ending !== undefined) return (name) => name.endsWith(ending)
  const tokens = tokenize(segment)
  return (name) => {
    const chars = Array.from(name)
    return walk(
      tokens.length,
      chars.length,
      (at) => tokens[at] === '*',
      (at, charAt) => (tokens[at] as (char: string) => boolean)(chars[charAt]!),
    )
  }
}

function tokenize(segment: string): Token[] {
  const chars = Array.from(segment)
  const tokens: Token[] = []
  for (let i = 0; i < chars.length; i++) {
    const char = chars[i]!
    if (char === '*') {
      if (tokens.at(-1) !== '*') tokens.push('*')
    } else if (char === '?') {
      tokens.push(() => true)
    } else if (char === '[') {
      const close = chars.indexOf(']', i + (chars[i + 1] === '!' || chars[i + 1] === '^' ? 3 : 2))
      tokens.push(charClass(chars.slice(i + 1, close)))
      i = close
    } else {
      const literal = char === '\\' && i + 1 < chars.length ? chars[++i]! : char
      tokens.push((given) => given === literal)
    }
  }
  return tokens
}

function charClass(chars: readonly string[]): (char: string) => boolean {
  const negated = chars[0] === '!' || chars[0] === '^'
  const list = negated ? chars.slice(1) : chars
  const ranges: [string, string][] = []
  for (let i = 0; i < list.length; i++) {
    const from = list[i]!
    const isRange = list[i + 1] === '-' && i + 2 < list.length
    ranges.push([from, isRange ? list[i + 2]! : from])
    if (isRange) i += 2
  }
  return (char) => ranges.some(([from, to]) => from <= char && char <= to) !== negated
}

const maxReadings = 1000

/** Expands `a{b,c}` to `ab` and `ac`. Unclosed braces are literal. */
function expandBraces(glob: string): string[] {
  const open = findOpenBrace(glob)
  if (open === undefined) return [glob]
  const rests = expandBraces(glob.slice(open.end + 1))
  const all = open.choices
    .flatMap(expandBraces)
    .flatMap((choice) => rests.map((rest) => glob.slice(0, open.start) + choice + rest))
  if (all.length > maxReadings)
    throw new Error('The glob has too many alternatives in braces. Split it into several searches.')
  return all
}

function findOpenBrace(glob: string): { start: number; end: number; choices: string[] } | undefined {
  for (let start = 0; start < glob.length; start++) {
    if (glob[start] === '\\') start++
    else if (glob[start] === '{') {
      const closed = readBraces(glob, start)
      if (closed !== undefined) return { start, ...closed }
    }
  }
  return undefined
}

function readBraces(glob: string, start: number): { end: number; choices: string[] } | undefined {
  const choices = ['']
  let depth = 0
  for (let i = start + 1; i < glob.length; i++) {
    const char = glob[i]!
    if (char === '}' && depth === 0) return { end: i, choices }
    if (char === ',' && depth === 0) {
      choices.push('')
      continue
    }
    if (char === '{') depth++
    if (char === '}') depth--
    choices[choices.length - 1] += char === '\\' ? char + (glob[++i] ?? '') : char
  }
  return undefined
}

/** Returns `[id]` as a character class and as four literal characters. An unclosed bracket is literal. */
function bracketReadings(glob: string): string[] {
  const literal = glob.replace(/\\.|\[/gs, (found) => (found === '[' ? '\\[' : found))
  if (literal === glob) return [glob]
  const closed = glob.replace(/\\.|\[[!^]?[^/][^\]/]*\]|\[/gs, (found) => (found === '[' ? '\\[' : found))
  return closed === literal ? [literal] : [closed, literal]
}

function nameGlob(glob: string): string | undefined {
  const name = glob.slice(glob.lastIndexOf('/') + 1)
  // Skip braces around a slash, ambiguous brackets, `?` (a byte to ripgrep), and characters that ripgrep types do not
  // allow.
  if (name === '' || name.startsWith('**') || /[[\]:\\?]/.test(name)) return undefined
  const braces = glob.slice(0, glob.length - name.length)
  if (/[{}]/.test(braces) || name.split('{').length !== name.split('}').length) return undefined
  return name
}
