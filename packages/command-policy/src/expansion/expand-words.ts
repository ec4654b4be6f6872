import { realpathSync } from 'node:fs'
import type { ShellContext } from '../command-analysis.ts'
import { type LookLimit, matchFiles } from './match-files.ts'
import { kindOfOutput, type OutputLines } from './output-lines.ts'
import { anyText, placeholder, plainText, quote, someNumber } from './placeholders.ts'
import {
  type InnerScript,
  type RawWord,
  type ScriptStep,
  type SimpleCommand,
  type Trim,
  UnsupportedSyntax,
  type WordPart,
} from './simple-script.ts'

export const mostWords = 2000
/** Limit on directory entries read. */
const mostEntries = 3000

/** Their values have no blanks and patterns. */
const plainVariables = /^(\?|PATH|PWD|SHELL|USER|LOGNAME|HOSTNAME|LANG|TERM)$/

/**
 * How a list of commands runs: certainly as a whole, the same in a shell of its own, in a loop, or perhaps not at all.
 * Only the first two may change the folder.
 */
export type ListMode = 'certain' | 'inside' | 'repeated' | 'possible'

/** Expands words to the texts that bash would pass on. The commands of a substitution are written by `write`. */
export abstract class WordExpander {
  readonly folders = new Set<string>()
  readonly tracked = new Set<string>()
  /** Files that patterns match. */
  readonly matched = new Set<string>()
  usesLists = false
  readonly inner: InnerScript[] = []
  protected readonly place: ShellContext
  protected cwd: string | null
  protected variables = new Map<string, string>()
  protected readonly limit: LookLimit = { looked: 0, most: mostEntries }
  /** What the command before the pipe prints. */
  protected piped: OutputLines | undefined
  /** Commands of substitutions, to be written before the command that uses their output. */
  protected before: string[] = []
  readonly #set: ReadonlySet<string>

  constructor(place: ShellContext) {
    this.place = place
    this.#set = new Set(place.env)
    this.cwd = place.cwd
  }

  protected abstract write(steps: readonly ScriptStep[], how: ListMode): string

  protected expand({ parts }: Pick<RawWord, 'parts'>): string[] {
    const at = parts.findIndex(({ kind }) => kind === 'choice')
    const choice = parts[at]
    if (choice?.kind === 'choice')
      return choice.options.flatMap((option) =>
        this.expand({ parts: [...parts.slice(0, at), ...partsOf(option), ...parts.slice(at + 1)] }),
      )
    const [only] = parts
    if (only?.kind === 'output' && !only.file && !only.quoted && parts.length === 1) return this.#fields(only.steps)
    // A pattern that matches nothing stays as it is, also when it is expanded again.
    const kept =
      only?.kind === 'variable' && !only.quoted && parts.length === 1 ? this.variables.get(only.name) : undefined
    if (
      kept !== undefined &&
      /^[\w./*?-]*[*?][\w./*?-]*$/.test(kept) &&
      !isTrimmed(only) &&
      this.#matches(kept).length === 0
    )
      return [kept]
    let hasPattern = false
    let pattern = ''
    let value = ''
    for (const part of parts) {
      if (part.kind === 'pattern') {
        hasPattern = true
        pattern += part.text
        value += part.text
        continue
      }
      const text = this.#textOf(part)
      value += text
      pattern += text.replaceAll(/[*?[\\]/g, '\\$&')
    }
    if (!hasPattern) return [value]
    if (placeholder.test(value)) throw new UnsupportedSyntax()
    const found = this.#matches(pattern)
    for (const file of found)
      this.matched.add(file.startsWith('/') ? file : `${this.cwd}/${file.replace(/^(\.\/)+/, '')}`)
    return found.length === 0 ? [value] : found
  }

  /** True for a pattern that matches no file and so stays as it is. */
  protected isUnmatched(value: string): boolean {
    return /[*?[]/.test(value) && !this.matched.has(`${this.cwd ?? ''}/${value}`)
  }

  #matches(pattern: string): string[] {
    if (this.cwd === null) throw new UnsupportedSyntax()
    const found = matchFiles(pattern, this.cwd, this.folders, this.limit)
    if (found.length > mostWords) throw new UnsupportedSyntax()
    return found
  }

  #textOf(part: Exclude<WordPart, { kind: 'pattern' }>): string {
    if (part.kind === 'text') return part.text
    if (part.kind === 'variable') return this.#valueOf(part)
    if (part.kind === 'choice') throw new UnsupportedSyntax()
    if (part.kind === 'sum') {
      // Bash evaluates the values of other variables, which can run commands.
      const isNumber = (name: string): boolean =>
        new RegExp(`^(\\d+|${someNumber})$`).test(this.variables.get(name) ?? '')
      if (!part.names.every(isNumber)) throw new UnsupportedSyntax()
      return someNumber
    }
    const { kind } = this.#output(part.steps)
    if (part.file) return '/dev/null'
    if (part.quoted || kind !== anyText) return kind
    // Unquoted, the output would be split, and its words would be patterns.
    throw new UnsupportedSyntax()
  }

  /** The words of an unquoted `$(…)`. */
  #fields(steps: readonly ScriptStep[]): string[] {
    const { kind, lines } = this.#output(steps)
    if (kind !== anyText) return [kind]
    // Names of git, which may be printed.
    if (lines === undefined && isFromGit(steps)) return [anyText]
    if (lines === undefined || lines.nul) throw new UnsupportedSyntax()
    const words = lines.lines.flatMap((line) => line.split(/[ \t\n]+/).filter((word) => word !== ''))
    if (words.length > mostWords || words.some((word) => /[*?[\\]/.test(word))) throw new UnsupportedSyntax()
    // A file whose name has a blank is not the one that the words name.
    if (lines.blanks !== true && words.length > lines.lines.length) throw new UnsupportedSyntax()
    this.usesLists = true
    return words
  }

  /** Writes commands that run in a shell of their own, and goes back to the folder before. */
  protected inside(write: () => string): string {
    const cwd = this.cwd
    const text = write()
    if (this.cwd === cwd) return text
    if (cwd === null) throw new UnsupportedSyntax()
    this.cwd = cwd
    return `${text} ; cd ${quote(cwd)}`
  }

  /** Writes the commands of a substitution, and says what they print. */
  #output(steps: readonly ScriptStep[]): { kind: string; lines: OutputLines | undefined } {
    const piped = this.piped
    const before = this.before.splice(0)
    const known = this.#knownOutput(steps)
    const variables = new Map(this.variables)
    this.piped = undefined
    const text = this.inside(() => this.write(steps, 'inside'))
    const lines = steps.every(({ joint }) => joint === '' || joint === '|') ? this.piped : undefined
    this.before = [...before, ...this.before.splice(0), text]
    this.variables = variables
    this.piped = piped
    if (known !== undefined) return { kind: known, lines: { lines: [known], nul: false } }
    const last = steps.at(-1)
    const isPipe = steps.every(({ joint }) => joint === '' || joint === '|')
    const words = last?.command.kind === 'simple' && isPipe ? literalWords(last.command) : undefined
    return { kind: words === undefined ? anyText : kindOfOutput(words), lines }
  }

  /** The output of `pwd`, `git rev-parse --show-toplevel`, `basename` and `dirname`, if it is a plain path. */
  #knownOutput(steps: readonly ScriptStep[]): string | undefined {
    const [only, more] = steps
    if (only?.command.kind !== 'simple' || more !== undefined || this.cwd === null) return undefined
    const { words, redirections } = only.command
    if (redirections.length > 0 || words.some(({ parts }) => parts.some(({ kind }) => !/^(text|variable)$/.test(kind))))
      return undefined
    const [name = '', first = '', second = '', ...others] = words.flatMap((word) => this.expand(word))
    const known = others.length > 0 ? undefined : this.#printed(name, first, second)
    return known !== undefined && /^[\w./@+-]+$/.test(known) ? known : undefined
  }

  #printed(name: string, first: string, second: string): string | undefined {
    const all = `${name} ${first} ${second}`.trim()
    if (all === 'pwd') return this.cwd ?? undefined
    if (all === 'git rev-parse --show-toplevel') return this.place.trackedFiles?.(this.cwd ?? '')?.top
    if (all === `readlink -f ${second}` || all === `realpath ${first}`) return this.#realPath(second || first)
    if (!/^[\w.][\w./@+-]*$/.test(first)) return undefined
    const [file = ''] = first
      .split('/')
      .filter((part) => part !== '')
      .slice(-1)
    if (name === 'basename')
      return file !== second && second !== '' && file.endsWith(second) ? file.slice(0, -second.length) : file
    if (name !== 'dirname' || second !== '' || first.endsWith('/')) return undefined
    const end = first.lastIndexOf('/')
    return end === -1 ? '.' : first.slice(0, end)
  }

  #realPath(file: string): string | undefined {
    if (!/^[\w.][\w./@+-]*$/.test(file)) return undefined
    try {
      return realpathSync.native(`${this.cwd ?? ''}/${file}`)
    } catch {
      return undefined
    }
  }

  #valueOf({ name, quoted, trim, fallback }: Extract<WordPart, { kind: 'variable' }>): string {
    const value = this.variables.get(name) ?? this.#ownVariable(name)
    // Unknown text is only printed or compared.
    if (value === undefined && quoted) return anyText
    if (value === undefined && plainVariables.test(name) && !this.#set.has(name)) return plainText
    if (value === undefined || fallback === true) return split()
    if (placeholder.test(value)) {
      if (trim !== undefined) return quoted ? anyText : split()
      return value !== anyText || quoted ? value : split()
    }
    const text = trim === undefined ? value : trimmed(value, trim)
    return quoted || /^[A-Za-z0-9_@%+=:,./^-]+$/.test(text) ? text : split()

    function split(): never {
      throw new UnsupportedSyntax()
    }
  }

  #ownVariable(name: string): string | undefined {
    if (name === 'HOME') return this.place.home
    // Any process number means the same to a program that only reads.
    if (name === '$') return '1'
    const { cwd } = this.place
    return name === 'PWD' && !this.#set.has(name) && this.cwd === cwd ? cwd : undefined
  }

  protected isProgram(name: string): boolean {
    return this.place.isProgram?.(name) !== false
  }
}

function isTrimmed(part: WordPart | undefined): boolean {
  return part?.kind === 'variable' && (part.trim !== undefined || part.fallback === true)
}

function isFromGit(steps: readonly ScriptStep[]): boolean {
  const [only, more] = steps
  return more === undefined && only?.command.kind === 'simple' && only.command.words[0]?.bare === 'git'
}

/** The words of a command without expansions. */
function literalWords({ words }: SimpleCommand): string[] | undefined {
  const isLiteral = words.every(({ parts }) => parts.every(({ kind }) => kind === 'text'))
  return isLiteral
    ? words.map(({ parts }) => parts.map((part) => (part.kind === 'text' ? part.text : '')).join(''))
    : undefined
}

export function asQuoted(part: WordPart): WordPart {
  return part.kind === 'variable' || part.kind === 'output' ? { ...part, quoted: true } : part
}

function trimmed(value: string, { operator, pattern }: Trim): string {
  const source = pattern.replaceAll(/[.+^$()|{}[\]]/g, '\\$&').replaceAll('*', operator.length === 2 ? '.*' : '.*?')
  if (operator.startsWith('#')) return value.replace(new RegExp(`^${source}`, 's'), '')
  // The shortest or longest end that matches.
  const matches = new RegExp(`^${pattern.replaceAll(/[.+^$()|{}[\]]/g, '\\$&').replaceAll('*', '.*')}$`, 's')
  const ends = Array.from({ length: value.length + 1 }, (_, at) => at).filter((at) => matches.test(value.slice(at)))
  const [longestEnd] = ends
  const end = operator === '%%' ? longestEnd : ends.at(-1)
  return end === undefined ? value : value.slice(0, end)
}

function partsOf(option: string): WordPart[] {
  return option.split(/(\*)/).map((text) => (text === '*' ? { kind: 'pattern', text } : { kind: 'text', text }))
}
