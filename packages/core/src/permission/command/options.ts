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
export type OptionStyle = 'gnu' | 'stop' | 'clap'

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
