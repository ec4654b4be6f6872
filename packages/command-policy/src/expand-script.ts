import { lstatSync, readdirSync } from 'node:fs'
import type { ShellContext } from './command-analysis.ts'
import { isDangerousName, isKeptByShell } from './environment-variables.ts'
import { filesOfFind } from './find-files.ts'
import {
  parseSimpleScript,
  type RawWord,
  type ScriptStep,
  type SimpleCommand,
  UnsupportedSyntax,
  type WordList,
  type WordPart,
} from './parse-simple-script.ts'
import { programs } from './programs/programs.ts'
import { mayChangeFolder } from './shell-state.ts'

export interface ExpandedScript {
  text: string
  /** Every word of the input as written, to compare with the parser's words. */
  words: WordList
  /** Folders whose names were read during expansion. */
  folders: readonly string[]
}

const mostWords = 2000
const mostCommands = 300
/** Limit on directory entries read. Reading is synchronous and blocks the event loop. */
const mostEntries = 3000
const longest = 64 * 1024

/**
 * Expands globs of existing files, `$HOME`, variables that were just set, and loops over such words. Returns undefined
 * for syntax that `parseSimpleScript` does not support or if the result is not certain.
 */
export function expandScript(text: string, place: ShellContext): ExpandedScript | undefined {
  if (!/[*?$~{(]|\b(xargs|if|for|while)\b/.test(text)) return undefined
  try {
    const { steps, words } = parseSimpleScript(text)
    const unroller = new ScriptExpander(place)
    const unrolled = unroller.unroll(steps)
    return unrolled.length > longest ? undefined : { text: unrolled, words, folders: [...unroller.folders] }
  } catch (error) {
    if (error instanceof UnsupportedSyntax) return undefined
    throw error
  }
}

/** Placeholder for an unknown value. Only `echo` may receive it, since it only prints. */
const unknown = '\0'
/** Set in every shell. Their values are never used as file names. */
const inheritedVariables = /^(PATH|USER|LOGNAME|SHELL|LANG|TERM|HOSTNAME|PWD|NODE_ENV|CI|EDITOR|TZ)$/

class ScriptExpander {
  readonly folders = new Set<string>()
  #home: string
  #start: string
  #cwd: string | null
  #variables = new Map<string, string>()
  #commands = 0
  #looked = 0
  #count = 0

  #piped: { files: string[]; print0: boolean } | undefined
  #isProgram: (name: string) => boolean
  #set: ReadonlySet<string>
  #inner: string[] = []

  constructor({ cwd, home, isProgram, env = [] }: ShellContext) {
    this.#set = new Set(env)
    this.#home = home
    this.#start = cwd
    this.#cwd = cwd
    this.#isProgram = (name) => isProgram?.(name) !== false
  }

  unroll(steps: readonly ScriptStep[]): string {
    return this.#write(steps, true)
  }

  #write(steps: readonly ScriptStep[], top: boolean): string {
    let text = ''
    let moved = false
    for (const [index, { joint, command }] of steps.entries()) {
      text += joint === '' ? '' : ` ${joint} `
      // After a `cd`, only commands that depend on its success are certain to run in that folder.
      if (moved && joint !== '&&' && joint !== '|') this.#cwd = null
      if (command.kind === 'loop') {
        const rounds = command.values
          .flatMap((word) => numbersOf(word) ?? this.#expand(word))
          .map((value) => {
            this.#variables.set(command.name, value)
            return this.#write(command.body, false)
          })
        this.#variables.delete(command.name)
        // A loop body that never runs would not be checked.
        if (rounds.length === 0) throw new UnsupportedSyntax()
        this.#piped = undefined
        text += rounds.join(joint === '&&' ? ' && ' : ' ; ')
        continue
      }
      if (command.kind === 'group') {
        for (const name of command.names) this.#variables.set(name, unknown)
        text += command.lists.map((list) => this.#write(list, false)).join(' ; ')
        for (const name of command.names) this.#variables.delete(name)
        this.#piped = undefined
        continue
      }
      const assigned = this.#assignment(
        command,
        top && (joint === '' || joint === ';') && steps[index + 1]?.joint !== '|',
      )
      const redirections = command.redirections.map((one) => this.#redirection(one))
      const commands =
        assigned === undefined ? this.#commandsOf(this.#commandWords(command), joint === '|', redirections) : [assigned]
      const written = commands.map((words) => [...words, ...redirections].join(' '))
      text += [...this.#inner.splice(0), ...written].join(joint === '&&' ? ' && ' : ' ; ')
      if (++this.#commands > mostCommands) throw new UnsupportedSyntax()
      const [name] = command.words
      if (
        /^(pushd|popd|source|\.|eval|exec|set|shopt|unset|export|declare|read|alias|command|builtin)$/.test(
          name?.bare ?? '',
        )
      )
        throw new UnsupportedSyntax()
      if (name?.bare === 'cd') {
        // Expanded, a `cd` in a loop or branch would look unconditional.
        if (!top) throw new UnsupportedSyntax()
        const target = command.words[1]?.bare
        const alone = top && index === 0 && command.words.length === 2 && command.redirections.length === 0
        if (
          !alone ||
          target === undefined ||
          target.split('/').includes('..') ||
          target.startsWith('-') ||
          steps[1]?.joint === '|'
        )
          this.#cwd = null
        else this.#cwd = target.startsWith('/') ? target : `${this.#cwd ?? ''}/${target}`
        moved = true
      }
    }
    return text
  }

  /** Handles a lone `name=value` that always executes. */
  #assignment({ words, redirections }: SimpleCommand, certain: boolean): string[] | undefined {
    const [first] = words
    const name = /^([A-Za-z_][A-Za-z0-9_]*)=/.exec(first?.raw ?? '')?.[1]
    if (name === undefined || first === undefined) return undefined
    if (
      words.length > 1 ||
      redirections.length > 0 ||
      !certain ||
      isDangerousName(name) ||
      isKeptByShell(name) ||
      first.parts.some(({ kind }) => kind === 'pattern' || kind === 'choice')
    )
      throw new UnsupportedSyntax()
    const [value = ''] = this.#expand({
      parts: first.parts.map((part) => (part.kind === 'variable' ? { ...part, quoted: true } : part)),
    })
    // Bash expands a tilde after the `=`.
    if (/[~\0]/.test(value.slice(name.length + 1))) throw new UnsupportedSyntax()
    this.#variables.set(name, value.slice(name.length + 1))
    return [`${name}=${quote(value.slice(name.length + 1))}`]
  }

  #commandWords({ words }: SimpleCommand): string[] {
    const given: string[] = []
    for (const [index, word] of words.entries()) {
      const values = this.#expand(word)
      if (index === 0 && (values.length !== 1 || word.bare === undefined)) throw new UnsupportedSyntax()
      // File order depends on the locale. Give up if the order matters.
      if (values.length > 1 && programs.get(given[0] ?? '')?.isTold?.(given.slice(1)) !== true)
        throw new UnsupportedSyntax()
      const hasPattern = word.parts.some(({ kind }) => kind === 'pattern' || kind === 'choice')
      // A file that looks like an option. An option that looks like a pattern matches no file and stays as it is.
      const isOption = word.raw.startsWith('-') && values.length === 1 && values[0] === word.raw
      if (hasPattern && !isOption && values.some((value) => value.startsWith('-'))) throw new UnsupportedSyntax()
      given.push(...values)
    }
    if (given.some((word) => word.includes(unknown)) && given[0] !== 'echo') throw new UnsupportedSyntax()
    this.#count += given.length
    if (this.#count > mostWords) throw new UnsupportedSyntax()
    return given
  }

  /** Returns the command with those it runs: `xargs` and `find -exec` are expanded for the matching files. */
  #commandsOf(words: readonly string[], piped: boolean, redirections: readonly string[]): string[][] {
    // Any other redirection changes its input or output.
    const isPlain = redirections.every((one) => one === '2> /dev/null')
    const files = piped && isPlain ? this.#piped : undefined
    const [name, ...rest] = words
    this.#piped = undefined
    if (name === 'xargs') return this.#xargs(rest, files)
    if (name === 'find') {
      const exec = rest.indexOf('-exec')
      if (exec !== -1) return this.#exec(rest, exec)
      this.#piped = this.#cwd === null || !isPlain ? undefined : filesOfFind(rest, this.#cwd)
    } else if (files?.print0 === false && isFilter(words)) {
      this.#piped = files
    }
    return [words.map(quote)]
  }

  #xargs(words: readonly string[], files: { files: string[]; print0: boolean } | undefined): string[][] {
    if (files === undefined || !this.#isProgram('xargs')) throw new UnsupportedSyntax()
    let at = 0
    let nul = false
    let placed: string | undefined
    for (; words[at]?.startsWith('-') === true; at++) {
      const word = words[at] as string
      if (word === '-0' || word === '--null') nul = true
      else if (/^-[nPL]$/.test(word) && /^\d+$/.test(words[at + 1] ?? '')) at++
      else if (word === '-I' && /^[{}%@]+$/.test(words[at + 1] ?? '')) placed = words[++at]
      else if (/^-I[{}%@]+$/.test(word)) placed = word.slice(2)
      else if (!/^(-r|--no-run-if-empty|-[nPL]\d+)$/.test(word)) throw new UnsupportedSyntax()
    }
    // Without NUL separators, xargs splits names at blanks and quotes.
    if (nul !== files.print0 || (!nul && files.files.some((file) => /[\s'"\\]/.test(file))))
      throw new UnsupportedSyntax()
    const command = at < words.length ? words.slice(at) : ['echo']
    return this.#forFiles(command, files.files, placed, placed === undefined)
  }

  #exec(words: readonly string[], exec: number): string[][] {
    const [end] = words.slice(-1)
    const command = words.slice(exec + 1, -1)
    const found = this.#cwd === null ? undefined : filesOfFind(words.slice(0, exec), this.#cwd)
    if (found === undefined || !(end === ';' || (end === '+' && command.at(-1) === '{}'))) throw new UnsupportedSyntax()
    // The `-exec` command may end at one of these words, and the rest would be more `find` expressions.
    if (command.some((word) => word === ';' || word === '+' || word === '-exec')) throw new UnsupportedSyntax()
    const looks = ['find', ...words.slice(0, exec)].map(quote)
    return [looks, ...this.#forFiles(end === '+' ? command.slice(0, -1) : command, found.files, '{}', end === '+')]
  }

  /** Builds the command with the files appended, or once per file with `placed` replaced. */
  #forFiles(
    command: readonly string[],
    files: readonly string[],
    placed: string | undefined,
    together: boolean,
  ): string[][] {
    const [name = ''] = command
    if (
      files.length === 0 ||
      !this.#isProgram(name) ||
      files.some((file) => file.startsWith('-')) ||
      name === '' ||
      /^(xargs|find|cd)$/.test(name)
    )
      throw new UnsupportedSyntax()
    this.#count += files.length * (together ? 1 : command.length)
    this.#commands += together ? 1 : files.length
    if (this.#count > mostWords || this.#commands > mostCommands) throw new UnsupportedSyntax()
    if (!together)
      return files.map((file) =>
        command.map((word) => quote(placed === undefined ? word : word.replaceAll(placed, file))),
      )
    if (programs.get(name)?.isTold?.(command.slice(1)) !== true || (placed !== undefined && command.includes(placed)))
      throw new UnsupportedSyntax()
    return [[...command, ...files].map(quote)]
  }

  #redirection({ operator, target }: SimpleCommand['redirections'][number]): string {
    const values = this.#expand(target)
    if (values.length !== 1 || values[0]?.includes(unknown) === true) throw new UnsupportedSyntax()
    return `${operator}${operator.endsWith('&') ? (values[0] as string) : ` ${quote(values[0] as string)}`}`
  }

  #expand({ parts }: Pick<RawWord, 'parts'>): string[] {
    const at = parts.findIndex(({ kind }) => kind === 'choice')
    const choice = parts[at]
    if (choice?.kind === 'choice')
      return choice.options.flatMap((option) =>
        this.#expand({ parts: [...parts.slice(0, at), ...partsOf(option), ...parts.slice(at + 1)] }),
      )
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
      const text = part.kind === 'variable' ? this.#valueOf(part) : part.kind === 'text' ? part.text : ''
      value += text
      pattern += text.replaceAll(/[*?\\]/g, '\\$&')
    }
    if (value.includes(unknown) && hasPattern) throw new UnsupportedSyntax()
    if (!hasPattern) return [value]
    const found = this.#files(pattern)
    return found.length === 0 ? [value] : found
  }

  #valueOf({ name, quoted }: { name: string; quoted: boolean }): string {
    const value = this.#variables.get(name) ?? this.#ownVariable(name)
    if (name.startsWith('<(')) {
      if (mayChangeFolder(name)) throw new UnsupportedSyntax()
      this.#inner.push(name.slice(2))
      return '/dev/null'
    }
    if (name.startsWith('(')) {
      // Unquoted, the output would be split and globbed. A `cd` inside a substitution has no effect outside it.
      if (!quoted || mayChangeFolder(name)) throw new UnsupportedSyntax()
      this.#inner.push(name.slice(1))
      return unknown
    }
    if (value === undefined && (name === '?' || (inheritedVariables.test(name) && !this.#set.has(name)))) return unknown
    if (value === unknown && quoted) return unknown
    if (value === undefined || (!quoted && !/^[A-Za-z0-9_@%+=:,./^-]+$/.test(value))) throw new UnsupportedSyntax()
    return value
  }

  #ownVariable(name: string): string | undefined {
    if (name === 'HOME') return this.#home
    // Any process number means the same to a program that only reads.
    if (name === '$') return '1'
    return name === 'PWD' && !this.#set.has(name) && this.#cwd === this.#start ? this.#start : undefined
  }

  #files(pattern: string): string[] {
    if (this.#cwd === null || pattern.includes('\\')) throw new UnsupportedSyntax()
    let found = [pattern.startsWith('/') ? '/' : '']
    const segments = pattern.split('/').filter((segment, index) => segment !== '' || index > 0)
    for (const [index, segment] of segments.entries()) {
      const last = index === segments.length - 1
      const next: string[] = []
      for (const before of found) {
        const folder = before.startsWith('/') ? before : `${this.#cwd}/${before}`
        if (!/[*?]/.test(segment)) {
          // Even testing existence reveals something, so record it.
          this.folders.add(`${folder}${segment}`)
          if (++this.#looked > mostEntries) throw new UnsupportedSyntax()
          if (last ? exists(`${folder}${segment}`) : isFolder(`${folder}${segment}`))
            next.push(`${before}${segment}${last ? '' : '/'}`)
          continue
        }
        const matches = new RegExp(
          `^${segment
            .replaceAll(/[.+^$()|{}[\]]/g, '\\$&')
            .replaceAll('*', '.*')
            .replaceAll('?', '.')}$`,
          'su',
        )
        this.folders.add(folder === '' ? '/' : folder)
        // Before version 5.2, bash includes `.` and `..` in names that start with a dot.
        for (const name of ['.', '..', ...entries(folder)]) {
          // Character boundaries in a name depend on the locale.
          if (++this.#looked > mostEntries || (segment.includes('?') && /[^ -~]/.test(name)) || name.includes('\uFFFD'))
            throw new UnsupportedSyntax()
          if ((name.startsWith('.') && !segment.startsWith('.')) || !matches.test(name)) continue
          if (last) next.push(`${before}${name}`)
          else if (isFolder(`${folder}${name}`)) next.push(`${before}${name}/`)
        }
      }
      if (next.length > mostWords) throw new UnsupportedSyntax()
      found = next
    }
    return found.toSorted()
  }
}

function partsOf(option: string): WordPart[] {
  return option.split(/(\*)/).map((text) => (text === '*' ? { kind: 'pattern', text } : { kind: 'text', text }))
}

const mostNumbers = 100

/** The numbers of `$(seq 3)` or `$(seq 2 5)`. */
function numbersOf({ raw }: RawWord): string[] | undefined {
  const [, first = '', second] = /^\$\(seq (\d{1,4})(?: (\d{1,4}))?\)$/.exec(raw) ?? []
  if (first === '') return undefined
  const [from, to] = second === undefined ? [1, Number(first)] : [Number(first), Number(second)]
  const count = to - from + 1
  return count < 1 || count > mostNumbers ? undefined : Array.from({ length: count }, (_, at) => String(from + at))
}

/** True if the command passes some of its input lines through unchanged. */
function isFilter([name, ...words]: readonly string[]): boolean {
  if (name === 'head' || name === 'tail') return /^(-\d+|-n ?\d+)?$/.test(words.join(' '))
  if (name === 'sort') return words.every((word) => /^-[ruV]+$/.test(word))
  const [pattern = '-', ...options] = words.toReversed()
  return name === 'grep' && !pattern.startsWith('-') && options.every((word) => /^-[vEiFw]+$/.test(word))
}

const quote = (word: string): string =>
  /^[A-Za-z0-9_@%+=:,./^-]+$/.test(word) || /^(\[|\])$/.test(word)
    ? word
    : `'${word.replaceAll(unknown, 'x').replaceAll("'", `'\\''`)}'`

function entries(folder: string): string[] {
  try {
    return readdirSync(folder === '' ? '/' : folder)
  } catch {
    return []
  }
}

function exists(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined
}

function isFolder(file: string): boolean {
  try {
    return lstatSync(`${file}/.`, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}
