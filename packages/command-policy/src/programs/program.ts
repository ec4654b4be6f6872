/** The files a read-only program reads, or the reason it is not known to be read-only. */
export type ArgumentCheck = { reads: readonly FileReading[]; why?: undefined } | { why: string }

export interface FileReading {
  path: string
  tree?: true
  names?: true
  /** For a tree: hidden files are skipped unless their names match one of these patterns. */
  hidden?: readonly string[]
  /** For a tree: only files whose names match one of these patterns are read. */
  only?: readonly string[]
  links?: true
  /** A file of its own settings. The sandbox has another one there. */
  own?: true
  /** For a tree: only files that git tracks or tracked earlier. */
  tracked?: true
}

export interface Program {
  /** Checks exactly known arguments. `words` excludes the program name. */
  look(words: readonly string[], name: string): ArgumentCheck
  /** True if every word appended to these words is a file, in any order. Without it, never. */
  isTold?(words: readonly string[]): boolean
  /** Its rules cover some uses. In all others it counts as an unknown program, which may write. */
  partial?: true
  /** The paths it reads must be files: it would run what it finds in a folder or behind a link. */
  isFile?: true
  /** The same program on every system. */
  everywhere?: true
  /** In a terminal, it starts a pager. */
  paged?: true
  /** Programs that it starts, found by name like itself. */
  runs?: readonly string[]
  /** A bash builtin: no file of this name runs. */
  builtin?: true
  /** Used to find its files even if it may do more than read. */
  options?: OptionSpec
  readings?(read: ParsedOptions): FileReading[]
  operands?: Operands
}

/**
 * Meaning of the operands: files; folders with all contents; text; a pattern, then files; a pattern, then folders; at
 * most one file; or none allowed.
 */
type Operands = 'files' | 'trees' | 'text' | 'pattern' | 'pattern-trees' | 'one' | 'none'

interface Extra {
  names?: true
  builtin?: true
  partial?: true
  runs?: readonly string[]
  /** With one of these options the operands are folders, read recursively. */
  recursive?: readonly string[]
  /** With one of these options the operands contain no pattern. */
  patternIn?: readonly string[]
  /** With one of these options links in folders are followed; true means always. */
  linksIn?: readonly string[] | true
  /** False if it never defaults to the working directory. */
  folder?: false
  style?: OptionStyle
  check?(read: ParsedOptions & { words: readonly string[] }): string | undefined
}

export function program(options: string, operands: Operands, extra: Extra = {}): Program {
  const spec = optionSpec(options)
  return {
    options: spec,
    readings: (read) => readingsOf(read, operands, extra),
    operands,
    builtin: extra.builtin,
    partial: extra.partial,
    runs: extra.runs,
    isTold(words) {
      const read = parseOptions(words, spec, { style: extra.style ?? 'gnu' })
      const hasPattern =
        read.operands.length > 0 || extra.patternIn?.some((option) => read.options.has(option)) === true
      return read.unknown === undefined && (hasPattern || !operands.startsWith('pattern'))
    },
    look(words, name) {
      const read = parseOptions(words, spec, { style: extra.style ?? 'gnu' })
      if (read.unknown !== undefined) return { why: `"${name} ${read.unknown}" may do more than read.` }
      if (operands === 'none' && read.operands.length > 0)
        return { why: `"${name}" with arguments may do more than read.` }
      // For programs whose options end at the first operand, an option after it is the output file.
      if (operands === 'one' && read.start < words.length - 1) return { why: `"${name}" writes to its second file.` }
      const why = extra.check?.({ ...read, words })
      if (why !== undefined) return { why }
      return { reads: readingsOf(read, operands, extra) }
    },
  }
}

export function readingsOf(read: ParsedOptions, operands: Operands, extra: Extra = {}): FileReading[] {
  const names = extra.names === true ? { names: true as const } : {}
  const values = read.reads.filter((path) => path !== '-').map((path) => ({ path }))
  if (operands === 'text' || operands === 'none') return values
  const pattern = operands.startsWith('pattern') && !extra.patternIn?.some((option) => read.options.has(option))
  const files = pattern ? read.operands.slice(1) : read.operands
  const tree = operands.endsWith('trees') || extra.recursive?.some((option) => read.options.has(option)) === true
  const listed = read.values.filter(({ option }) => /^--(include|exclude|exclude-from)$/.test(option))
  // If the first one excludes files, all others are read.
  const only = listed[0]?.option === '--include' ? listed.filter(({ option }) => option === '--include') : []
  const links = extra.linksIn === true || extra.linksIn?.some((option) => read.options.has(option)) === true
  const marks = {
    ...names,
    tree: tree || undefined,
    only: tree && only.length > 0 ? only.map(({ value }) => value) : undefined,
    links: (tree && links) || undefined,
  }
  // A recursive search without operands searches the working directory.
  const searched = tree && files.length === 0 && extra.folder !== false ? ['.'] : files
  return [...values, ...searched.filter((path) => path !== '-').map((path) => ({ path, ...marks }))]
}

/**
 * A program's options, written as one line: `-al` flags; `-n=` takes a value, `-n=#` a number, `-f=<` a file that is
 * read, `-o=>` one that is written, `-c=!` a script; `--color[=]` may have one after `=`; `-NUM` is a number by itself.
 */
export interface OptionSpec {
  readonly kinds: ReadonlyMap<string, OptionKind>
}
type OptionKind = 'flag' | 'text' | 'number' | 'read' | 'write' | 'script' | 'optional'

export interface ParsedOptions {
  options: Map<string, string>
  /** Options with a value, once per occurrence. */
  values: { option: string; value: string; apart: boolean }[]
  operands: string[]
  /** Index of the first operand, or the number of words if there is none. */
  start: number
  reads: string[]
  writes: string[]
  scripts: { value: string; at: number }[]
  /** The first option missing from the spec, or a value of the wrong kind. */
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
    if (kind === undefined) throw new Error(`The option "${token}" has an unknown form.`)
    if (name.startsWith('--') || name === '-NUM' || kind !== 'flag') found.set(name, kind)
    else for (const letter of name.slice(1)) found.set(`-${letter}`, kind)
  }
  return { kinds: found }
}

/**
 * Argument parsing style. `gnu`: getopt, options anywhere. `stop`: getopt, the first operand ends the options. `clap`:
 * like many Rust programs, an option never takes a word with a dash as its value.
 */
type OptionStyle = 'gnu' | 'stop' | 'clap'

/**
 * Parses words strictly: long options must be spelled out, and every letter of a cluster must be known. `short` accepts
 * abbreviated long options, as GNU programs do. Use it to find dangerous options, never to prove a command plain.
 */
export function parseOptions(
  words: readonly string[],
  spec: OptionSpec,
  { style = 'gnu', short: cut = false }: { style?: OptionStyle; short?: boolean } = {},
): ParsedOptions {
  const read: ParsedOptions = {
    options: new Map(),
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

  /** Returns the number of extra words consumed. */
  function long(word: string, at: number): number {
    const next = words[at + 1]
    const equals = word.indexOf('=')
    const written = equals === -1 ? word : word.slice(0, equals)
    const name =
      cut && !spec.kinds.has(written)
        ? ([...spec.kinds.keys()].find((one) => one.startsWith(written)) ?? written)
        : written
    const kind = spec.kinds.get(name)
    read.options.set(name, '')
    if (kind === undefined || (kind === 'flag' && equals !== -1)) return unknown(name)
    if (kind === 'flag' || (kind === 'optional' && equals === -1)) return 0
    if (equals !== -1) return take(name, kind, word.slice(equals + 1), at, false)
    return next === undefined ? unknown(name) : take(name, kind, next, at + 1, true)
  }

  function short(word: string, at: number): number {
    const next = words[at + 1]
    if (/^-\d+$/.test(word) && spec.kinds.has('-NUM')) {
      read.options.set('-NUM', word.slice(1))
      return 0
    }
    for (let i = 1; i < word.length; i++) {
      const name = `-${word[i] as string}`
      const kind = spec.kinds.get(name)
      read.options.set(name, '')
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
    read.options.set(name, value)
    read.values.push({ option: name, value, apart })
    if (kind === 'number' && !/^[+-]?\d+[A-Za-z]{0,3}$/.test(value)) unknown(`${name} ${value}`)
    if (apart && style === 'clap' && value.startsWith('-')) unknown(`${name} ${value}`)
    if (kind === 'read') read.reads.push(value)
    if (kind === 'write') read.writes.push(value)
    if (kind === 'script') read.scripts.push({ value, at })
    // If options end at the first operand, as on a Mac, this value is a file.
    if (apart && kind === 'text' && read.operands.length > 0) read.reads.push(value)
    return apart ? 1 : 0
  }

  function unknown(name: string): number {
    read.unknown ??= name
    return 0
  }
}
