/** What a program reads, once it is known to do nothing but look; or why that is not known. */
export type ArgumentCheck = { reads: readonly FileReading[]; why?: undefined } | { why: string }

export interface FileReading {
  path: string
  tree?: true
  names?: true
  /** Of a tree: hidden files are passed over, but for those whose names match one of these patterns. */
  hidden?: readonly string[]
  /** Of a tree: only files are read whose names match one of these patterns. */
  only?: readonly string[]
  /** Of a tree: links in it are followed. */
  links?: true
  /** What git has of a tree: the files that it tracks, now or earlier. */
  tracked?: true
}

/** The rules for the arguments of one program. */
export interface Program {
  /** Judges arguments that are known exactly. `words`: without the program's name. */
  look(words: readonly string[], name: string): ArgumentCheck
  /**
   * Whether the words that more words follow say all that it is told, so that whatever follows is a file, in any order.
   * Without it: never.
   */
  isTold?(words: readonly string[]): boolean
  /** It is part of bash: no file of that name runs. */
  builtin?: true
  /** Its options, for finding its files where it may do more than look. */
  options?: OptionSpec
  readings?(read: ParsedOptions): FileReading[]
  operands?: Operands
}

/**
 * What the words that are no options are: files; folders with all that is in them; text; a pattern and then files; a
 * pattern and then folders; at most one file; or nothing may stand there.
 */
type Operands = 'files' | 'trees' | 'text' | 'pattern' | 'pattern-trees' | 'one' | 'none'

interface Extra {
  /** Only names, sizes and times are shown. */
  names?: true
  builtin?: true
  /** With one of these options the files are folders with all that is in them. */
  recursive?: readonly string[]
  /** With one of these there is no pattern among the operands. */
  patternIn?: readonly string[]
  /** With one of these links are followed; true: always. */
  linksIn?: readonly string[] | true
  /** False: it never takes the folder that it is in for its file. */
  folder?: false
  style?: OptionStyle
  /** Looks further. */
  check?(read: ParsedOptions & { words: readonly string[] }): string | undefined
}

export function program(options: string, operands: Operands, extra: Extra = {}): Program {
  const spec = optionSpec(options)
  return {
    options: spec,
    readings: (read) => readingsOf(read, operands, extra),
    operands,
    ...(extra.builtin && { builtin: true as const }),
    isTold(words) {
      const read = parseOptions(words, spec, { style: extra.style ?? 'gnu' })
      const hasPattern = read.operands.length > 0 || extra.patternIn?.some((option) => read.given.has(option)) === true
      return read.unknown === undefined && (hasPattern || !operands.startsWith('pattern'))
    },
    look(words, name) {
      const read = parseOptions(words, spec, { style: extra.style ?? 'gnu' })
      if (read.unknown !== undefined) return { why: `"${name} ${read.unknown}" may do more than look.` }
      if (operands === 'none' && read.operands.length > 0) return { why: `"${name}" with words may do more than look.` }
      // Where options end at the first operand, an option behind it is the file that is written.
      if (operands === 'one' && read.start < words.length - 1) return { why: `"${name}" writes its second file.` }
      const why = extra.check?.({ ...read, words })
      if (why !== undefined) return { why }
      return { reads: readingsOf(read, operands, extra) }
    },
  }
}

/** The files among the words of a program. */
export function readingsOf(read: ParsedOptions, operands: Operands, extra: Extra = {}): FileReading[] {
  const names = extra.names === true ? { names: true as const } : {}
  const values = read.reads.filter((path) => path !== '-').map((path) => ({ path }))
  if (operands === 'text' || operands === 'none') return values
  const pattern = operands.startsWith('pattern') && !extra.patternIn?.some((option) => read.given.has(option))
  const files = pattern ? read.operands.slice(1) : read.operands
  const tree = operands.endsWith('trees') || extra.recursive?.some((option) => read.given.has(option)) === true
  const listed = read.values.filter(({ option }) => /^--(include|exclude|exclude-from)$/.test(option))
  // Where the first of them leaves files out, all others are read.
  const only = listed[0]?.option === '--include' ? listed.filter(({ option }) => option === '--include') : []
  const links = extra.linksIn === true || extra.linksIn?.some((option) => read.given.has(option)) === true
  const marks = {
    ...names,
    ...(tree && { tree }),
    ...(tree && only.length > 0 && { only: only.map(({ value }) => value) }),
    ...(links && { links }),
  }
  // Whoever searches folders and is told none searches the one it is in.
  const searched = tree && files.length === 0 && extra.folder !== false ? ['.'] : files
  return [...values, ...searched.filter((path) => path !== '-').map((path) => ({ path, ...marks }))]
}

/**
 * The options of a program, written as a line: `-al` flags; `-n=` takes a value, `-n=#` a number, `-f=<` a file that is
 * read, `-o=>` one that is written, `-c=!` a script; `--color[=]` may have one after `=`; `-NUM` is a number by itself.
 */
export interface OptionSpec {
  readonly kinds: ReadonlyMap<string, OptionKind>
}
type OptionKind = 'flag' | 'text' | 'number' | 'read' | 'write' | 'script' | 'optional'

export interface ParsedOptions {
  /** The options that were given, as in the spec, with their values. */
  given: Map<string, string>
  /** Those with a value, each time that they were given. */
  values: { option: string; value: string; apart: boolean }[]
  operands: string[]
  /** Where the first operand stands; the length of the words when there is none. */
  start: number
  reads: string[]
  writes: string[]
  scripts: { value: string; at: number }[]
  /** The first option that is not in the spec, or a value that is not of its kind. */
  unknown?: string
}

const kinds: Record<string, OptionKind> = {
  '': 'text',
  '#': 'number',
  '<': 'read',
  '>': 'write',
  '!': 'script',
}

export function optionSpec(line: string): OptionSpec {
  const found = new Map<string, OptionKind>()
  for (const token of line.split(/\s+/)) {
    const [, name = '', value] = /^(-[^=[]+)(?:\[=\]|=(.?))?$/.exec(token) ?? []
    if (name === '') continue
    const kind = token.endsWith('[=]') ? 'optional' : value === undefined ? 'flag' : kinds[value]
    if (kind === undefined) throw new Error(`The option "${token}" is written in a way that is not known.`)
    if (name.startsWith('--') || name === '-NUM' || kind !== 'flag') found.set(name, kind)
    else for (const letter of name.slice(1)) found.set(`-${letter}`, kind)
  }
  return { kinds: found }
}

/**
 * How a program parses its words. `gnu`: getopt, options anywhere. `stop`: getopt, the first operand ends the options.
 * `clap`: as many programs in Rust, which never take a word with a dash for the value of an option before it.
 */
type OptionStyle = 'gnu' | 'stop' | 'clap'

/**
 * Reads words by a spec, exactly: a long option must be spelled out, every letter of a cluster must be known. With `short`
 * a long option may be cut short, as GNU programs let it: for finding what is dangerous, not for what is plain.
 */
export function parseOptions(
  words: readonly string[],
  spec: OptionSpec,
  { style = 'gnu', short: cut = false }: { style?: OptionStyle; short?: boolean } = {},
): ParsedOptions {
  const read: ParsedOptions = {
    given: new Map(),
    values: [],
    operands: [],
    start: words.length,
    reads: [],
    writes: [],
    scripts: [],
  }
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string
    if (word === '--') {
      operand(at + 1, words.slice(at + 1))
      return read
    }
    if (word === '-' || !word.startsWith('-')) {
      if (style === 'stop') {
        operand(at, words.slice(at))
        return read
      }
      operand(at, [word])
      continue
    }
    at += word.startsWith('--') ? long(word, at) : short(word, at)
  }
  return read

  function operand(at: number, given: readonly string[]): void {
    read.start = Math.min(read.start, at)
    read.operands.push(...given)
  }

  /** Returns how many words beyond its own it took. */
  function long(word: string, at: number): number {
    const next = words[at + 1]
    const equals = word.indexOf('=')
    const written = equals === -1 ? word : word.slice(0, equals)
    const name =
      cut && !spec.kinds.has(written)
        ? ([...spec.kinds.keys()].find((one) => one.startsWith(written)) ?? written)
        : written
    const kind = spec.kinds.get(name)
    read.given.set(name, '')
    if (kind === undefined || (kind === 'flag' && equals !== -1)) return unknown(name)
    if (kind === 'flag' || (kind === 'optional' && equals === -1)) return 0
    if (equals !== -1) return take(name, kind, word.slice(equals + 1), at, false)
    return next === undefined ? unknown(name) : take(name, kind, next, at + 1, true)
  }

  function short(word: string, at: number): number {
    const next = words[at + 1]
    if (/^-\d+$/.test(word) && spec.kinds.has('-NUM')) {
      read.given.set('-NUM', word.slice(1))
      return 0
    }
    for (let i = 1; i < word.length; i++) {
      const name = `-${word[i] as string}`
      const kind = spec.kinds.get(name)
      read.given.set(name, '')
      if (kind === undefined) return unknown(name)
      if (kind === 'flag') continue
      const rest = word.slice(i + 1)
      if (rest !== '') return take(name, kind, rest, at, false)
      if (kind === 'optional') return 0
      return next === undefined ? unknown(name) : take(name, kind, next, at + 1, true)
    }
    return 0
  }

  function take(name: string, kind: OptionKind, value: string, at: number, apart: boolean): number {
    read.given.set(name, value)
    read.values.push({ option: name, value, apart })
    if (kind === 'number' && !/^[+-]?\d+[A-Za-z]{0,3}$/.test(value)) unknown(`${name} ${value}`)
    if (apart && style === 'clap' && value.startsWith('-')) unknown(`${name} ${value}`)
    if (kind === 'read') read.reads.push(value)
    if (kind === 'write') read.writes.push(value)
    if (kind === 'script') read.scripts.push({ value, at })
    // Where options end at the first operand, as on a Mac, this value is a file.
    if (apart && kind === 'text' && read.operands.length > 0) read.reads.push(value)
    return apart ? 1 : 0
  }

  function unknown(name: string): number {
    read.unknown ??= name
    return 0
  }
}
