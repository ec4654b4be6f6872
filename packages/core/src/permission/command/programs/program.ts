import { type OptionSpec, optionSpec, type OptionStyle, parseOptions, type ParsedOptions } from '../options.ts'

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
export type Operands = 'files' | 'trees' | 'text' | 'pattern' | 'pattern-trees' | 'one' | 'none'

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
