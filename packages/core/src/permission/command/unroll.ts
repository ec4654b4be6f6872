import { lstatSync, readdirSync } from 'node:fs'
import type { CommandPlace } from './command-analysis.ts'
import { isDangerousName } from './environment.ts'
import { filesOfFind } from './find-files.ts'
import { programs } from './programs/programs.ts'

/** A text that runs the same commands with the same words, each written out; or nothing where that is not certain. */
export interface Unrolled {
  text: string
  /** Every word of the given text, as it stands there, for comparison with what the parser saw. */
  words: readonly { at: number; text: string }[]
  /** Folders whose names were put in. */
  folders: readonly string[]
}

const mostWords = 2000
const mostCommands = 300
/** Names of files that are looked at altogether: each costs time in which nothing else happens. */
const mostEntries = 3000
const longest = 64 * 1024

/**
 * Writes out what a shell would put in: patterns of files that are there, `$HOME`, variables that were just set, and
 * loops over such words, once for each. It reads a small language by itself, apart from the parser: lists, pipes,
 * redirections, `for`. What is beyond that language is not unrolled.
 */
export function unroll(text: string, place: CommandPlace): Unrolled | undefined {
  if (!/[*?$~{]|\b(xargs|if|for|while)\b/.test(text)) return undefined
  try {
    const reader = new Reader(text, place)
    const unrolled = reader.script()
    return unrolled.length > longest ? undefined : { text: unrolled, words: reader.words, folders: [...reader.folders] }
  } catch (error) {
    if (error instanceof Beyond) return undefined
    throw error
  }
}

/** The text is beyond the small language. */
class Beyond extends Error {}

/** Stands for a text that is not known: only `echo` may get it, which does nothing but say it. */
const unknown = '\0'
/** Set for every shell; what they hold is no file name. */
const surroundings = /^(PATH|USER|LOGNAME|SHELL|LANG|TERM|HOSTNAME|PWD|NODE_ENV|CI|EDITOR|TZ)$/

/** A piece of a word: text, where nothing means anything; a pattern; or a variable, which is split unless quoted. */
type Part =
  | { kind: 'text'; text: string }
  | { kind: 'pattern'; text: '*' | '?' }
  | { kind: 'variable'; name: string; quoted: boolean }

interface RawWord {
  parts: Part[]
  /** It is one plain word without quotes, so it can be a word of the language. */
  bare?: string
}

interface Simple {
  kind: 'simple'
  words: RawWord[]
  redirections: { operator: string; target: RawWord }[]
}
interface Loop {
  kind: 'loop'
  name: string
  values: RawWord[]
  body: Step[]
}
/** `if` and `while read`: lists that run or do not. */
interface Group {
  kind: 'group'
  lists: Step[][]
  /** Variables that get what is read. */
  names: readonly string[]
}
/** A command and how it is joined to the one before. */
interface Step {
  joint: string
  command: Simple | Loop | Group
}

const reserved = new Set(
  'if then else elif fi while until do done case esac for in select function time coproc { } ! [[ ]]'.split(' '),
)

class Reader {
  readonly words: { at: number; text: string }[] = []
  readonly folders = new Set<string>()
  #text: string
  #at = 0
  #home: string
  #cwd: string | null
  #variables = new Map<string, string>()
  #commands = 0
  #looked = 0
  #count = 0

  /** What the command before a pipe names, where that is known. */
  #piped: { files: string[]; print0: boolean } | undefined
  #isProgram: (name: string) => boolean
  /** What earlier commands have set. */
  #set: ReadonlySet<string>
  /** Commands in substitutions of the command at hand. */
  #inner: string[] = []

  constructor(text: string, { cwd, home, isProgram, env = [] }: CommandPlace) {
    this.#set = new Set(env)
    this.#text = text
    this.#home = home
    this.#cwd = cwd
    this.#isProgram = (name) => isProgram?.(name) !== false
  }

  script(): string {
    const steps = this.#list()
    if (this.#at < this.#text.length) throw new Beyond()
    return this.#write(steps, true)
  }

  // Reading.

  /** Commands up to the end, or up to one of the words that end them, which is left to be taken. */
  #list(...ends: string[]): Step[] {
    const steps: Step[] = []
    let joint = ''
    for (;;) {
      this.#blanks(true)
      if (this.#at >= this.#text.length) {
        if (ends.length > 0 || /^[|&]/.test(joint)) throw new Beyond()
        return steps
      }
      if (ends.some((end) => this.#isNext(end))) {
        if (/^[|&]/.test(joint) || steps.length === 0) throw new Beyond()
        return steps
      }
      steps.push({ joint, command: this.#command() })
      this.#blanks(false)
      const [found] = /^(&&|\|\||;|\n|\|(?![&|])|$)/.exec(this.#text.slice(this.#at)) ?? []
      if (found === undefined) throw new Beyond()
      this.#at += found.length
      joint = found === '\n' ? ';' : found
    }
  }

  #command(): Step['command'] {
    if (this.#keyword('for')) return this.#loop()
    if (this.#keyword('if')) return this.#branches()
    return this.#keyword('while') ? this.#reading() : this.#simple()
  }

  #branches(): Group {
    const lists: Step[][] = []
    do {
      lists.push(this.#list('then'))
      this.#keyword('then')
      lists.push(this.#list('elif', 'else', 'fi'))
    } while (this.#keyword('elif'))
    if (this.#keyword('else')) lists.push(this.#list('fi'))
    if (!this.#keyword('fi')) throw new Beyond()
    return { kind: 'group', lists, names: [] }
  }

  /** `while read -r name; do …; done` */
  #reading(): Group {
    this.#blanks(false)
    const [head, options = '', listed = ''] =
      /^read((?: -r)?)((?: [a-z_][a-z0-9_]*)+)[ \t]*(?=[;\n])/.exec(this.#text.slice(this.#at)) ?? []
    if (head === undefined) throw new Beyond()
    const end = this.#at + head.length
    for (const _ of `read${options}${listed}`.split(' ')) this.#word()
    this.#at = end + 1
    this.#blanks(true)
    if (!this.#keyword('do')) throw new Beyond()
    const body = this.#list('done')
    this.#keyword('done')
    return { kind: 'group', lists: [body], names: listed.trim().split(' ') }
  }

  #loop(): Loop {
    const name = this.#word()
    if (
      name?.bare === undefined ||
      !/^[a-z_][a-z0-9_]*$/i.test(name.bare) ||
      isDangerousName(name.bare) ||
      name.bare === '_'
    )
      throw new Beyond()
    // The parser does not count the words of the language among its own.
    this.words.pop()
    if (!this.#keyword('in')) throw new Beyond()
    const values: RawWord[] = []
    for (let word = this.#word(); word !== undefined; word = this.#word()) values.push(word)
    this.#blanks(false)
    if (!/[;\n]/.test(this.#text[this.#at] ?? '')) throw new Beyond()
    this.#at++
    this.#blanks(true)
    if (!this.#keyword('do')) throw new Beyond()
    const body = this.#list('done')
    this.#keyword('done')
    return { kind: 'loop', name: name.bare, values, body }
  }

  #simple(): Simple {
    const simple: Simple = { kind: 'simple', words: [], redirections: [] }
    for (;;) {
      this.#blanks(false)
      const rest = this.#text.slice(this.#at)
      const [redirection, operator = ''] = /^(?:\d(?=[<>]))?(&>>?|>>|>\||>&|<&|[<>])(?![<>&(])/.exec(rest) ?? []
      if (redirection !== undefined) {
        this.#at += redirection.length
        const target = this.#word()
        if (target === undefined) throw new Beyond()
        simple.redirections.push({ operator: redirection, target })
        if (operator.endsWith('&') && !/^\d$/.test(target.bare ?? '')) throw new Beyond()
        continue
      }
      const word = this.#word()
      if (word === undefined) break
      if (simple.words.length === 0 && reserved.has(word.bare ?? '')) throw new Beyond()
      simple.words.push(word)
    }
    if (simple.words.length === 0) throw new Beyond()
    return simple
  }

  #blanks(lines: boolean): void {
    for (;;) {
      const [blanks = ''] = (lines ? /^[ \t\n]+/ : /^[ \t]+/).exec(this.#text.slice(this.#at)) ?? []
      this.#at += blanks.length
      if (this.#text[this.#at] !== '#') return
      const end = this.#text.indexOf('\n', this.#at)
      this.#at = end === -1 ? this.#text.length : end
    }
  }

  /** Takes a word of the language where it stands next. */
  #keyword(word: string): boolean {
    if (!this.#isNext(word)) return false
    this.#at += word.length
    return true
  }

  #isNext(word: string): boolean {
    this.#blanks(false)
    return new RegExp(`^${word}(?=[ \\t\\n;|&<>]|$)`).test(this.#text.slice(this.#at))
  }

  #word(): RawWord | undefined {
    this.#blanks(false)
    const start = this.#at
    const parts: Part[] = []
    let bare: string | undefined = ''
    for (; this.#at < this.#text.length; this.#at++) {
      const character = this.#text[this.#at] as string
      const next = this.#text[this.#at + 1] ?? ''
      if (/[\s;|&<>]/.test(character)) break
      if (character === "'") {
        const close = this.#text.indexOf("'", this.#at + 1)
        if (close === -1) throw new Beyond()
        parts.push({ kind: 'text', text: this.#text.slice(this.#at + 1, close) })
        this.#at = close
        bare = undefined
      } else if (character === '"') {
        this.#quoted(parts)
        bare = undefined
      } else if (character === '\\') {
        if (!/[ -~]/.test(next)) throw new Beyond()
        parts.push({ kind: 'text', text: next })
        this.#at++
        bare = undefined
      } else if (character === '*' || character === '?') {
        parts.push({ kind: 'pattern', text: character })
        bare = undefined
      } else if (character === '$') {
        parts.push({ kind: 'variable', name: this.#variable(), quoted: false })
        bare = undefined
      } else if (character === '{' && next === '}') {
        parts.push({ kind: 'text', text: '{}' })
        this.#at++
        bare = undefined
      } else if (character === '~' && this.#at === start && /^[\s/;|&<>]?$/.test(next)) {
        parts.push({ kind: 'variable', name: 'HOME', quoted: true })
        bare = undefined
      } else if (
        /[[\]]/.test(character)
          ? this.#at === start && /^[\s;|&]?$/.test(next)
          : /[A-Za-z0-9_@%+=:,./^-]/.test(character)
      ) {
        parts.push({ kind: 'text', text: character })
        if (bare !== undefined) bare += character
      } else {
        throw new Beyond()
      }
    }
    if (this.#at === start) return undefined
    this.words.push({ at: start, text: this.#text.slice(start, this.#at) })
    return { parts, ...(bare !== undefined && { bare }) }
  }

  /** Up to the closing quote, on which it stops. */
  #quoted(parts: Part[]): void {
    // Also where it is empty it makes a word.
    parts.push({ kind: 'text', text: '' })
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      const character = this.#text[this.#at] as string
      const next = this.#text[this.#at + 1] ?? ''
      if (character === '"') return
      if (character === '`') throw new Beyond()
      if (character === '\\') {
        if (!/[ -~]/.test(next) || (this.#text[this.#at - 1] ?? '') > '~') throw new Beyond()
        parts.push({ kind: 'text', text: '$`"\\'.includes(next) ? next : `\\${next}` })
        this.#at++
      } else if (character === '$' && !/["\s|)]/.test(next)) {
        parts.push({ kind: 'variable', name: this.#variable(), quoted: true })
      } else {
        parts.push({ kind: 'text', text: character })
      }
    }
    throw new Beyond()
  }

  /** `$name` or `${name}`: stops on its last character. */
  #variable(): string {
    if (this.#text[this.#at + 1] === '?') {
      this.#at++
      return '?'
    }
    if (this.#text[this.#at + 1] === '(') return this.#substitution()
    const [whole = '', plain, braced] =
      /^\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\})/.exec(this.#text.slice(this.#at)) ?? []
    const name = plain ?? braced
    if (name === undefined) throw new Beyond()
    this.#at += whole.length - 1
    return name
  }

  /** `$(command)` of plain words: what it prints is not known. It is written out before the command that it is in. */
  #substitution(): string {
    const [whole, inner = ''] = /^\$\(([\w ./:,=@%+|'-]+)\)/.exec(this.#text.slice(this.#at)) ?? []
    if (whole === undefined) throw new Beyond()
    this.#at += whole.length - 1
    return `(${inner}`
  }

  // Writing.

  #write(steps: readonly Step[], top: boolean): string {
    let text = ''
    let moved = false
    for (const [index, { joint, command }] of steps.entries()) {
      text += joint === '' ? '' : ` ${joint} `
      // Where a folder was entered, only what follows on its success is certain to run there.
      if (moved && joint !== '&&' && joint !== '|') this.#cwd = null
      if (command.kind === 'loop') {
        const rounds = command.values
          .flatMap((word) => this.#expand(word))
          .map((value) => {
            this.#variables.set(command.name, value)
            return this.#write(command.body, false)
          })
        // Whether it has run, and how often, is known; what follows may still set it anew.
        this.#variables.delete(command.name)
        // What would not run at all is not looked at either.
        if (rounds.length === 0) throw new Beyond()
        text += rounds.join(joint === '&&' ? ' && ' : ' ; ')
        continue
      }
      if (command.kind === 'group') {
        for (const name of command.names) this.#variables.set(name, unknown)
        text += command.lists.map((list) => this.#write(list, false)).join(' ; ')
        for (const name of command.names) this.#variables.delete(name)
        continue
      }
      const assigned = this.#assignment(
        command,
        top && (joint === '' || joint === ';') && steps[index + 1]?.joint !== '|',
      )
      const redirections = command.redirections.map((one) => this.#redirection(one))
      const commands =
        assigned === undefined ? this.#commandsOf(this.#commandWords(command), joint === '|') : [assigned]
      const written = commands.map((words) => [...words, ...redirections].join(' '))
      text += [...this.#inner.splice(0), ...written].join(joint === '&&' ? ' && ' : ' ; ')
      if (++this.#commands > mostCommands) throw new Beyond()
      const [name] = command.words
      if (
        /^(pushd|popd|source|\.|eval|exec|set|shopt|unset|export|declare|read|alias|command|builtin)$/.test(
          name?.bare ?? '',
        )
      )
        throw new Beyond()
      if (name?.bare === 'cd') {
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

  /** `name=value` by itself, on the way that is always gone. */
  #assignment({ words, redirections }: Simple, certain: boolean): string[] | undefined {
    const [first] = words
    const start = first?.parts.map((part) => (part.kind === 'text' ? part.text : ' ')).join('') ?? ''
    const name = /^([A-Za-z_][A-Za-z0-9_]*)=/.exec(start)?.[1]
    if (name === undefined || first === undefined) return undefined
    if (
      words.length > 1 ||
      redirections.length > 0 ||
      !certain ||
      isDangerousName(name) ||
      first.parts.some(({ kind }) => kind === 'pattern')
    )
      throw new Beyond()
    const [value = ''] = this.#expand({
      parts: first.parts.map((part) => (part.kind === 'variable' ? { ...part, quoted: true } : part)),
    })
    // A tilde behind the sign is expanded.
    if (/[~\0]/.test(value.slice(name.length + 1))) throw new Beyond()
    this.#variables.set(name, value.slice(name.length + 1))
    return [`${name}=${quote(value.slice(name.length + 1))}`]
  }

  #commandWords({ words }: Simple): string[] {
    const given: string[] = []
    for (const [index, word] of words.entries()) {
      const values = this.#expand(word)
      if (index === 0 && (values.length !== 1 || word.bare === undefined)) throw new Beyond()
      // The order of files is that of a language: where it matters which of them comes first, nothing is certain.
      if (values.length > 1 && programs.get(given[0] ?? '')?.isTold?.(given.slice(1)) !== true) throw new Beyond()
      const hasPattern = word.parts.some(({ kind }) => kind === 'pattern')
      if (hasPattern && values.some((value) => value.startsWith('-'))) throw new Beyond()
      given.push(...values)
    }
    if (given.some((word) => word.includes(unknown)) && given[0] !== 'echo') throw new Beyond()
    this.#count += given.length
    if (this.#count > mostWords) throw new Beyond()
    return given
  }

  /** What a command runs by itself and in turn: `xargs` and `find -exec` are written out for the files at hand. */
  #commandsOf(words: readonly string[], piped: boolean): string[][] {
    const files = piped ? this.#piped : undefined
    const [name, ...rest] = words
    this.#piped = undefined
    if (name === 'xargs') return this.#xargs(rest, files)
    if (name === 'find') {
      const exec = rest.indexOf('-exec')
      if (exec !== -1) return this.#exec(rest, exec)
      this.#piped = this.#cwd === null ? undefined : filesOfFind(rest, this.#cwd)
    } else if (files !== undefined && isFilter(words)) {
      this.#piped = files
    }
    return [words.map(quote)]
  }

  #xargs(words: readonly string[], files: { files: string[]; print0: boolean } | undefined): string[][] {
    if (files === undefined || !this.#isProgram('xargs')) throw new Beyond()
    let at = 0
    let nul = false
    let placed: string | undefined
    for (; words[at]?.startsWith('-') === true; at++) {
      const word = words[at] as string
      if (word === '-0' || word === '--null') nul = true
      else if (/^-[nPL]$/.test(word) && /^\d+$/.test(words[at + 1] ?? '')) at++
      else if (word === '-I' && /^[{}%@]+$/.test(words[at + 1] ?? '')) placed = words[++at]
      else if (/^-I[{}%@]+$/.test(word)) placed = word.slice(2)
      else if (!/^(-r|--no-run-if-empty|-[nPL]\d+)$/.test(word)) throw new Beyond()
    }
    // Otherwise blanks and quotes in names make other words of them.
    if (nul !== files.print0 || (!nul && files.files.some((file) => /[\s'"\\]/.test(file)))) throw new Beyond()
    const command = at < words.length ? words.slice(at) : ['echo']
    return this.#forFiles(command, files.files, placed, placed === undefined)
  }

  #exec(words: readonly string[], exec: number): string[][] {
    const [end] = words.slice(-1)
    const command = words.slice(exec + 1, -1)
    const found = this.#cwd === null ? undefined : filesOfFind(words.slice(0, exec), this.#cwd)
    if (found === undefined || !(end === ';' || (end === '+' && command.at(-1) === '{}'))) throw new Beyond()
    if (command.some((word) => word === ';' || word === '-exec')) throw new Beyond()
    const looks = ['find', ...words.slice(0, exec)].map(quote)
    return [looks, ...this.#forFiles(end === '+' ? command.slice(0, -1) : command, found.files, '{}', end === '+')]
  }

  /** A command with files at its end, or with each of them where `placed` stands. */
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
      throw new Beyond()
    this.#count += files.length * (together ? 1 : command.length)
    this.#commands += together ? 1 : files.length
    if (this.#count > mostWords || this.#commands > mostCommands) throw new Beyond()
    if (!together)
      return files.map((file) =>
        command.map((word) => quote(placed === undefined ? word : word.replaceAll(placed, file))),
      )
    if (programs.get(name)?.isTold?.(command.slice(1)) !== true || (placed !== undefined && command.includes(placed)))
      throw new Beyond()
    return [[...command, ...files].map(quote)]
  }

  #redirection({ operator, target }: Simple['redirections'][number]): string {
    const values = this.#expand(target)
    if (values.length !== 1 || values[0]?.includes(unknown) === true) throw new Beyond()
    return `${operator}${/&$/.test(operator) ? (values[0] as string) : ` ${quote(values[0] as string)}`}`
  }

  /** The words that a word becomes. */
  #expand({ parts }: RawWord): string[] {
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
      const text = part.kind === 'text' ? part.text : this.#valueOf(part)
      value += text
      pattern += text.replaceAll(/[*?\\]/g, '\\$&')
    }
    if (value.includes(unknown) && hasPattern) throw new Beyond()
    if (!hasPattern) return [value]
    const found = this.#files(pattern)
    return found.length === 0 ? [value] : found
  }

  #valueOf({ name, quoted }: { name: string; quoted: boolean }): string {
    const value = this.#variables.get(name) ?? (name === 'HOME' ? this.#home : undefined)
    if (name.startsWith('(')) {
      // Outside quotes it would be taken for a pattern.
      if (!quoted) throw new Beyond()
      this.#inner.push(name.slice(1))
      return unknown
    }
    if (value === undefined && (name === '?' || (surroundings.test(name) && !this.#set.has(name)))) return unknown
    if (value === unknown && quoted) return unknown
    if (value === undefined || (!quoted && !/^[A-Za-z0-9_@%+=:,./^-]+$/.test(value))) throw new Beyond()
    return value
  }

  /** The files that match, as bash names them. */
  #files(pattern: string): string[] {
    if (this.#cwd === null || pattern.includes('\\')) throw new Beyond()
    let found = [pattern.startsWith('/') ? '/' : '']
    const segments = pattern.split('/').filter((segment, index) => segment !== '' || index > 0)
    for (const [index, segment] of segments.entries()) {
      const last = index === segments.length - 1
      const next: string[] = []
      for (const before of found) {
        const folder = before.startsWith('/') ? before : `${this.#cwd}/${before}`
        if (!/[*?]/.test(segment)) {
          // Also whether it is there is learned.
          this.folders.add(`${folder}${segment}`)
          if (++this.#looked > mostEntries) throw new Beyond()
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
        // Before version 5.2 bash counts `.` and `..` among the names that begin with a dot.
        for (const name of ['.', '..', ...entries(folder)]) {
          // Which characters a name is made of depends on the language.
          if (++this.#looked > mostEntries || (segment.includes('?') && /[^ -~]/.test(name)) || name.includes('\uFFFD'))
            throw new Beyond()
          if ((name.startsWith('.') && !segment.startsWith('.')) || !matches.test(name)) continue
          if (last) next.push(`${before}${name}`)
          else if (isFolder(`${folder}${name}`)) next.push(`${before}${name}/`)
        }
      }
      if (next.length > mostWords) throw new Beyond()
      found = next
    }
    return found.toSorted()
  }
}

/** It hands on some of the lines that it gets, as they are. */
function isFilter([name, ...words]: readonly string[]): boolean {
  if (name === 'head' || name === 'tail') return words.every((word) => /^(-\d+|-n\d*|\d+)$/.test(word))
  if (name === 'sort') return words.every((word) => /^-[ruV]+$/.test(word))
  return name === 'grep' && words.length <= 2 && words.slice(0, -1).every((word) => /^-[vEiFw]+$/.test(word))
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
