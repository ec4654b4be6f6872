/** A glob that was compiled once, to be tried on many paths. */
export interface GlobPattern {
  /** The path is relative to the folder that the glob is meant for, with `/` between names. */
  matches(path: string): boolean
  /** A glob that the last name of every match fits, where there is one: lets ripgrep leave out most of the rest. */
  nameGlob: string | undefined
}

/**
 * Globs as in ignore files: without a slash a name at any depth, with one a path from the folder. `*` `?` `[a-z]`
 * `{a,b}` `**` and `\` for what they would mean otherwise. `[id]` also matches a folder of that very name, since
 * routes are named so. Matching takes time in proportion to the path, whatever the glob.
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

/** Parts a glob at its first wildcard: the folder that is looked in, and what is looked for there. */
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

/** Wildcard matching that goes back to the last wildcard only, which is enough, and keeps the time bounded. */
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

/** `a{b,c}` is `ab` and `ac`. Braces that are not closed are characters. */
function expandBraces(glob: string): string[] {
  const open = findOpenBrace(glob)
  if (open === undefined) return [glob]
  const rests = expandBraces(glob.slice(open.end + 1))
  const all = open.choices
    .flatMap(expandBraces)
    .flatMap((choice) => rests.map((rest) => glob.slice(0, open.start) + choice + rest))
  if (all.length > maxReadings) throw new Error('The glob has too many alternatives in braces. Use several searches.')
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

/** `[id]` as a class of characters, and as the four characters. A bracket that is not closed is a character. */
function bracketReadings(glob: string): string[] {
  const literal = glob.replace(/\\.|\[/gs, (found) => (found === '[' ? '\\[' : found))
  if (literal === glob) return [glob]
  const closed = glob.replace(/\\.|\[[!^]?[^/][^\]/]*\]|\[/gs, (found) => (found === '[' ? '\\[' : found))
  return closed === literal ? [literal] : [closed, literal]
}

function nameGlob(glob: string): string | undefined {
  const name = glob.slice(glob.lastIndexOf('/') + 1)
  // Braces around a slash, brackets with two readings, a `?` that is a byte to ripgrep, what its types cannot hold.
  if (name === '' || name.startsWith('**') || /[[\]:\\?]/.test(name)) return undefined
  const braces = glob.slice(0, glob.length - name.length)
  if (/[{}]/.test(braces) || name.split('{').length !== name.split('}').length) return undefined
  return name
}
