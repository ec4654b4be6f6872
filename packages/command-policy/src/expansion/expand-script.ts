import type { ShellContext } from '../command-analysis.ts'
import { isDangerousName, isKeptByShell, isSafeAssignment } from '../environment-variables.ts'
import { lexLiteral } from '../literal-lexer.ts'
import { isFolder, isSymlink, type LookLimit, matchFiles } from './match-files.ts'
import {
  anyText,
  kindOfOutput,
  linesOf,
  type OutputLines,
  plainText,
  someCommit,
  someNumber,
  someProgram,
  trackedFile,
} from './output-lines.ts'
import { parseSimpleScript } from './parse-simple-script.ts'
import { programs } from '../programs/programs.ts'
import { mayChangeFolder } from '../shell-state.ts'
import {
  type DoubleTest,
  type Group,
  type InnerScript,
  type Loop,
  type RawWord,
  type ScriptRedirection,
  type ScriptStep,
  type SimpleCommand,
  type Trim,
  UnsupportedSyntax,
  type WordList,
  type WordPart,
} from './simple-script.ts'

export interface ExpandedScript {
  text: string
  /** Every word of the input as written, to compare with the parser's words. */
  words: WordList
  /** The same for scripts in it. */
  inner: readonly InnerScript[]
  /** Folders whose names were read during expansion. */
  folders: readonly string[]
  /** Folders of repositories whose tracked files it uses. */
  tracked: readonly string[]
  /** True if another command lists the file, such as `find`. */
  isFound(file: string): boolean
}

const mostWords = 2000
const mostCommands = 300
/** Limit on directory entries read. */
const mostEntries = 3000
const longest = 64 * 1024

/**
 * Expands globs of existing files, `$HOME`, variables that were just set, and loops over such words. Returns undefined
 * for syntax that `parseSimpleScript` does not support or if the result is not certain.
 */
export function expandScript(text: string, place: ShellContext): ExpandedScript | undefined {
  if (!/[*?$~{([!<]|\\\n|\b(xargs|if|for|while|time|bash|sh)\b/.test(text)) return undefined
  try {
    const { steps, words, inner } = parseSimpleScript(text)
    const expander = new ScriptExpander(place)
    const expanded = expander.expand(steps)
    if (expanded.length > longest) return undefined
    return {
      text: expanded,
      words,
      inner: [...inner, ...expander.inner],
      folders: [...expander.folders],
      tracked: [...expander.tracked],
      isFound: (file) => expander.usesLists && !expander.matched.has(file),
    }
  } catch (error) {
    if (error instanceof UnsupportedSyntax) return undefined
    throw error
  }
}

const placeholder = new RegExp(`[${anyText}${someCommit}${plainText}${someNumber}${someProgram}${trackedFile}]`)
/** Their values have no blanks and patterns. */
const plainVariables = /^(\?|PATH|PWD|SHELL|USER|LOGNAME|HOSTNAME|LANG|TERM)$/
/** Changes the shell in ways that are not followed here. */
const changesShell = /^(pushd|popd|source|\.|eval|exec|set|shopt|unset|export|declare|read|alias|command|builtin)$/
/** Programs that show an installed program without reading its content, or only its kind. */
const showsProgram = /^(ls|readlink|realpath|stat|file|dirname|basename|echo|printf)$/

class ScriptExpander {
  readonly folders = new Set<string>()
  readonly tracked = new Set<string>()
  /** Files that patterns match. */
  readonly matched = new Set<string>()
  usesLists = false
  readonly inner: InnerScript[] = []
  #place: ShellContext
  #cwd: string | null
  #variables = new Map<string, string>()
  #commands = 0
  #count = 0
  #limit: LookLimit = { looked: 0, most: mostEntries }
  /** What the command before the pipe prints. */
  #piped: OutputLines | undefined
  #set: ReadonlySet<string>
  /** Commands of substitutions, to be written before the command that uses their output. */
  #before: string[] = []

  constructor(place: ShellContext) {
    this.#place = place
    this.#set = new Set(place.env)
    this.#cwd = place.cwd
  }

  expand(steps: readonly ScriptStep[]): string {
    return this.#write(steps, 'certain')
  }

  /**
   * `how`: the list certainly runs as a whole, does so in a shell of its own, runs in a loop, or may not run. Only the
   * first two may change the folder.
   */
  #write(steps: readonly ScriptStep[], how: 'certain' | 'inside' | 'repeated' | 'possible'): string {
    let text = ''
    let moved: 'surely' | 'maybe' | undefined
    for (const [index, { joint, not, command }] of steps.entries()) {
      text += joint === '' ? '' : ` ${joint} `
      // After a `cd`, only commands that depend on its success are certain to run in that folder.
      if (moved === 'maybe' && joint !== '&&' && joint !== '|') this.#cwd = null
      const join = joint === '&&' ? ' && ' : ' ; '
      if (joint !== '|') this.#piped = undefined
      const next = steps[index + 1]?.joint
      // The parts of a pipe run in shells of their own.
      const isCertain = how !== 'possible' && (joint === '' || joint === ';') && next !== '|'
      if (command.kind === 'simple') {
        text += this.#simple(command, joint === '|', isCertain).join(join)
        if (++this.#commands > mostCommands) throw new UnsupportedSyntax()
        if (command.words[0]?.bare === 'cd')
          moved = this.#enter(command, /^(certain|inside)$/.test(how) && index === 0 && !not && next !== '|')
        else if (changesShell.test(command.words[0]?.bare ?? '') && !isLookup(command)) throw new UnsupportedSyntax()
        continue
      }
      const written = this.#compound(command, isCertain)
      this.#piped = undefined
      text += [...this.#before.splice(0), ...written].join(join)
    }
    return text
  }

  #compound(command: Loop | Group | DoubleTest, isCertain: boolean): string[] {
    if (command.kind === 'test') return command.tests.map((words) => this.#test(words))
    const given = this.#piped
    const opened = command.redirections.map((one) => this.#redirection(one)).filter((one) => one !== '')
    // The redirection is checked on a command that does nothing.
    const extra = opened.length === 0 ? [] : [`: ${opened.join(' ')}`]
    if (command.kind === 'loop') {
      const values = command.values.flatMap((word) => this.#loopValues(word))
      return [...this.#rounds(command.name, values, command.body, isCertain), ...extra]
    }
    const { names, lists, nul = false } = command
    const [name] = names
    const isLine = names.length === 1 && command.splits !== true && opened.length === 0
    if (isLine && name !== undefined && given !== undefined && given.nul === nul) {
      if (given.lines.some((line) => line === '' || /^\s|\s$|[\\\n]/.test(line))) throw new UnsupportedSyntax()
      this.usesLists = true
      return this.#rounds(name, given.lines.length === 0 ? ['/dev/null'] : given.lines, lists[0] ?? [], false)
    }
    for (const one of names) this.#variables.set(one, anyText)
    this.#piped = undefined
    const before = command.subshell === true ? new Map(this.#variables) : undefined
    const isOwn = command.subshell === true
    const written = lists.map((list) => this.#inside(() => this.#write(list, isOwn ? 'inside' : 'possible')))
    // What a subshell sets is gone after it.
    if (before !== undefined) this.#variables = before
    return [...written, ...extra]
  }

  /** Writes the body once per value. */
  #rounds(name: string, values: readonly string[], body: readonly ScriptStep[], isCertain: boolean): string[] {
    const rounds = values.map((value) => {
      this.#variables.set(name, value)
      this.#piped = undefined
      return this.#write(body, isCertain ? 'repeated' : 'possible')
    })
    this.#variables.set(name, anyText)
    // A loop body that never runs would not be checked.
    if (rounds.length === 0) throw new UnsupportedSyntax()
    return rounds
  }

  #loopValues(word: RawWord): string[] {
    const values = this.#expand(word)
    if (values.some((value) => value.includes(someProgram))) throw new UnsupportedSyntax()
    return values
  }

  #simple(command: SimpleCommand, piped: boolean, isCertain: boolean): string[] {
    const assigned = this.#assignments(command, isCertain)
    if (assigned !== undefined) return [...this.#before.splice(0), ...assigned]
    const words = this.#commandWords(command)
    const isOwnInput = command.redirections.some(({ operator }) => /^0?<(?!&)/.test(operator))
    const redirections = command.redirections.map((one) => this.#redirection(one)).filter((one) => one !== '')
    const given = piped && !isOwnInput ? this.#piped : undefined
    // Any other redirection of its output would take the lines away.
    const isOpen = redirections.every((one) => /^(2> \/dev\/null|< .*)$/.test(one))
    const commands = this.#run(words, given, isOpen)
    const written = commands.map((one) => [...one, ...redirections].join(' '))
    return [...this.#before.splice(0), ...written]
  }

  /** Notes the folder after a `cd`. */
  #enter({ words, redirections }: SimpleCommand, isFirst: boolean): 'surely' | 'maybe' {
    // Expanded, a `cd` in a loop or branch would look unconditional.
    if (!isFirst) throw new UnsupportedSyntax()
    const target = words[1]?.bare
    const isAlone = words.length === 2 && redirections.every(({ operator }) => operator === '2>')
    if (!isAlone || target === undefined || target.split('/').includes('..') || target.startsWith('-')) {
      this.#cwd = null
      return 'maybe'
    }
    this.#cwd = target.startsWith('/') ? target : `${this.#cwd ?? ''}/${target}`
    return isFolder(this.#cwd) ? 'surely' : 'maybe'
  }

  /** Handles `name=value` without a command. */
  #assignments({ words, redirections }: SimpleCommand, isCertain: boolean): string[] | undefined {
    const names = words.map(({ raw }) => /^([A-Za-z_][A-Za-z0-9_]*)=/.exec(raw)?.[1])
    if (names[0] === undefined) return undefined
    return words.map((word, index) => {
      const name = names[index]
      if (
        name === undefined ||
        redirections.length > 0 ||
        isDangerousName(name) ||
        isKeptByShell(name) ||
        word.parts.some(({ kind }) => kind === 'pattern' || kind === 'choice')
      )
        throw new UnsupportedSyntax()
      const [whole = ''] = this.#expand({ parts: word.parts.map(asQuoted) })
      const value = whole.slice(name.length + 1)
      // Bash expands a tilde after the `=`.
      if (value.includes('~')) throw new UnsupportedSyntax()
      const isKnown = !placeholder.test(value)
      if (!isKnown && !isSafeAssignment(name, null)) throw new UnsupportedSyntax()
      // A command that may not have run leaves the old value.
      if (!isCertain) this.#variables.set(name, anyText)
      else this.#variables.set(name, isKnown || value.length === 1 ? value : anyText)
      return `${name}=${quote(value)}`
    })
  }

  #commandWords({ words }: SimpleCommand): string[] {
    const given: string[] = []
    for (const [index, word] of words.entries()) {
      const values = this.#expand(word)
      if (index === 0 && (values.length !== 1 || word.bare === undefined)) throw new UnsupportedSyntax()
      const hasPattern = word.parts.some(({ kind }) => kind === 'pattern')
      const isChosen = !hasPattern && word.parts.every(({ kind }) => kind === 'text' || kind === 'choice')
      // File order depends on the locale. Give up if the order matters.
      if (values.length !== 1 && !isChosen && !takesFiles(given)) throw new UnsupportedSyntax()
      const isList = word.parts.some(({ kind }) => kind !== 'text' && kind !== 'variable')
      // A file that looks like an option. An option that looks like a pattern matches no file and stays as it is.
      const isOption = word.raw.startsWith('-') && (isChosen || (values.length === 1 && values[0] === word.raw))
      if (isList && !isOption && values.some((value) => value.startsWith('-'))) throw new UnsupportedSyntax()
      given.push(...values)
    }
    this.#count += given.length
    if (this.#count > mostWords) throw new UnsupportedSyntax()
    return given
  }

  /** Returns the command with those it runs: `xargs`, `find -exec` and `bash -c` are expanded. */
  #run(words: readonly string[], given: OutputLines | undefined, isOpen: boolean): string[][] {
    const [name, ...rest] = words
    this.#piped = undefined
    if (name === 'xargs') return this.#xargs(rest, given)
    if ((name === 'bash' || name === 'sh') && rest[0] === '-c') return this.#shell(name, rest.slice(1))
    if (
      name === 'timeout' &&
      /^\d+[sm]?$/.test(rest[0] ?? '') &&
      /^(ba)?sh$/.test(rest[1] ?? '') &&
      this.#isProgram(name)
    )
      return this.#run(rest.slice(1), undefined, isOpen)
    const exec = name === 'find' ? rest.indexOf('-exec') : -1
    if (exec !== -1) return this.#exec(rest, exec)
    checkPlaceholders(words)
    if (isOpen && words.every((word) => !placeholder.test(word))) this.#piped = this.#lines(words, given)
    return [words.map((word) => quote(word, name))]
  }

  #lines(words: readonly string[], given: OutputLines | undefined): OutputLines | undefined {
    return linesOf(words, given, { cwd: this.#cwd, hasPlainNames: () => this.#hasPlainNames() })
  }

  /** On disk, a tracked file might be a link by now. */
  #hasPlainNames(): boolean {
    const found = this.#cwd === null ? undefined : this.#place.trackedFiles?.(this.#cwd)
    if (this.#cwd === null || found?.names === undefined) return false
    const folders = new Set(found.names.flatMap(foldersOf))
    this.#limit.looked += found.names.length + folders.size
    if (this.#limit.looked > this.#limit.most) return false
    const isLink = (name: string): boolean => isSymlink(`${found.top}/${name}`)
    if (found.names.some(isLink) || [...folders].some(isLink)) return false
    this.tracked.add(this.#cwd)
    return true
  }

  /** `bash -c 'script'`. Another shell must not expand anything, since it would do so in its own way. */
  #shell(name: string, [script = '', ...others]: readonly string[]): string[][] {
    if (others.length > 0 || placeholder.test(script) || mayChangeFolder(script) || !this.#isProgram(name))
      throw new UnsupportedSyntax()
    if (name === 'sh' && lexLiteral(script).why !== undefined) throw new UnsupportedSyntax()
    const { steps, words, inner } = parseSimpleScript(script)
    this.inner.push({ text: script, words }, ...inner)
    const variables = this.#variables
    // Another process does not see them.
    this.#variables = new Map()
    const before = this.#before.splice(0)
    const text = this.#write(steps, 'repeated')
    this.#before.unshift(...before)
    this.#variables = variables
    return [[text]]
  }

  #xargs(words: readonly string[], given: OutputLines | undefined): string[][] {
    if (given === undefined || !this.#isProgram('xargs')) throw new UnsupportedSyntax()
    let at = 0
    let nul = false
    let placed: string | undefined
    let one = false
    for (; words[at]?.startsWith('-') === true; at++) {
      const word = words[at] as string
      const [, option = '', joined = ''] = /^(-[nPLI])(.*)$/s.exec(word) ?? []
      if (word === '-0' || word === '--null') nul = true
      else if (option !== '') {
        const value = joined === '' ? (words[++at] ?? '') : joined
        if (!(option === '-I' ? /^[{}%@]+$/ : /^\d+$/).test(value)) throw new UnsupportedSyntax()
        if (option === '-I') placed = value
        one ||= option === '-n' && value === '1'
      } else if (!/^(-r|--no-run-if-empty)$/.test(word)) throw new UnsupportedSyntax()
    }
    // Without NUL separators, xargs splits lines at blanks and quotes.
    if (nul !== given.nul || (!nul && given.lines.some((line) => isSplitOtherwise(line, given))))
      throw new UnsupportedSyntax()
    if (placed !== undefined && given.lines.some((line) => /^\s|\s$/.test(line))) throw new UnsupportedSyntax()
    const isSplit = placed === undefined && !nul
    const values = isSplit ? given.lines.flatMap((line) => line.split(' ').filter((word) => word !== '')) : given.lines
    const command = at < words.length ? words.slice(at) : ['echo']
    return this.#forFiles(command, values, placed, placed === undefined, one)
  }

  #exec(words: readonly string[], exec: number): string[][] {
    const [end] = words.slice(-1)
    const command = words.slice(exec + 1, -1)
    const found = this.#lines(['find', ...words.slice(0, exec)], undefined)
    if (found === undefined || !(end === ';' || (end === '+' && command.at(-1) === '{}'))) throw new UnsupportedSyntax()
    // The `-exec` command may end at one of these words, and the rest would be more `find` expressions.
    if (command.some((word) => word === ';' || word === '+' || word === '-exec')) throw new UnsupportedSyntax()
    const looks = ['find', ...words.slice(0, exec)].map((word) => quote(word))
    const together = end === '+'
    return [looks, ...this.#forFiles(together ? command.slice(0, -1) : command, found.lines, '{}', together)]
  }

  /** Builds the command with the files appended, or once per file with `placed` replaced. */
  #forFiles(
    command: readonly string[],
    listed: readonly string[],
    placed: string | undefined,
    together: boolean,
    one = false,
  ): string[][] {
    const [name = ''] = command
    this.usesLists = true
    // Without files, the command is still checked.
    const files = listed.length === 0 ? ['/dev/null'] : listed
    if (
      !this.#isProgram(name) ||
      files.some((file) => file.startsWith('-')) ||
      name === '' ||
      /^(xargs|cd|bash|sh)$/.test(name) ||
      // It would read such a name as a part of an expression.
      (name === 'find' && files.some((file) => !/^[\w./]/.test(file)))
    )
      throw new UnsupportedSyntax()
    this.#count += files.length * (together ? 1 : command.length)
    this.#commands += together ? 1 : files.length
    if (this.#count > mostWords || this.#commands > mostCommands) throw new UnsupportedSyntax()
    const commands = together
      ? [[...command, ...files]]
      : files.map((file) => command.map((word) => (placed === undefined ? word : word.replaceAll(placed, file))))
    const isOneFile = one && (name === 'basename' || name === 'dirname')
    if (together && ((!takesFiles(command) && !isOneFile) || (placed !== undefined && command.includes(placed))))
      throw new UnsupportedSyntax()
    for (const words of commands) checkPlaceholders(words)
    return commands.map((words) => words.map((word) => quote(word, name)))
  }

  /** Writes a test as a command of the table, or as one that does nothing if it only compares texts. */
  #test(words: readonly RawWord[]): string {
    const [first, second] = words
    if (words.length === 2 && first !== undefined && second !== undefined && !/^-[nz]$/.test(first.bare ?? '')) {
      const [path = '', ...more] = this.#expand({ parts: second.parts.map(asQuoted) })
      if (more.length > 0 || placeholder.test(path) || second.parts.some(({ kind }) => kind === 'pattern'))
        throw new UnsupportedSyntax()
      return `test ${first.bare ?? ''} ${quote(path)}`
    }
    const computes = /^-[a-z]{2}$/.test(second?.bare ?? '')
    for (const { parts, bare } of words) {
      const [text = ''] = this.#expand({ parts: parts.filter(({ kind }) => kind !== 'pattern').map(asQuoted) })
      // Bash evaluates other text as arithmetic, which can run commands.
      if (computes && bare !== second?.bare && text !== someNumber && !/^\d+$/.test(text)) throw new UnsupportedSyntax()
    }
    return ':'
  }

  #redirection({ operator, target }: ScriptRedirection): string {
    if (operator === '<<<') {
      this.#expand({ parts: target.parts.map(asQuoted) })
      return ''
    }
    const values = this.#expand(target)
    if (values.length !== 1 || placeholder.test(values[0] ?? '')) throw new UnsupportedSyntax()
    return `${operator}${operator.endsWith('&') ? (values[0] as string) : ` ${quote(values[0] as string)}`}`
  }

  #expand({ parts }: Pick<RawWord, 'parts'>): string[] {
    const at = parts.findIndex(({ kind }) => kind === 'choice')
    const choice = parts[at]
    if (choice?.kind === 'choice')
      return choice.options.flatMap((option) =>
        this.#expand({ parts: [...parts.slice(0, at), ...partsOf(option), ...parts.slice(at + 1)] }),
      )
    const [only] = parts
    if (only?.kind === 'output' && !only.file && !only.quoted && parts.length === 1) return this.#fields(only.steps)
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
    if (placeholder.test(value) || this.#cwd === null) throw new UnsupportedSyntax()
    const found = matchFiles(pattern, this.#cwd, this.folders, this.#limit)
    if (found.length > mostWords) throw new UnsupportedSyntax()
    for (const file of found)
      this.matched.add(file.startsWith('/') ? file : `${this.#cwd}/${file.replace(/^(\.\/)+/, '')}`)
    return found.length === 0 ? [value] : found
  }

  #textOf(part: Exclude<WordPart, { kind: 'pattern' }>): string {
    if (part.kind === 'text') return part.text
    if (part.kind === 'variable') return this.#valueOf(part)
    if (part.kind === 'choice') throw new UnsupportedSyntax()
    if (part.kind === 'sum') {
      // Bash evaluates the values of other variables, which can run commands.
      const isNumber = (name: string): boolean =>
        new RegExp(`^(\\d+|${someNumber})$`).test(this.#variables.get(name) ?? '')
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
  #inside(write: () => string): string {
    const cwd = this.#cwd
    const text = write()
    if (this.#cwd === cwd) return text
    if (cwd === null) throw new UnsupportedSyntax()
    this.#cwd = cwd
    return `${text} ; cd ${quote(cwd)}`
  }

  /** Writes the commands of a substitution, and says what they print. */
  #output(steps: readonly ScriptStep[]): { kind: string; lines: OutputLines | undefined } {
    const piped = this.#piped
    const before = this.#before.splice(0)
    const known = this.#knownOutput(steps)
    const variables = new Map(this.#variables)
    this.#piped = undefined
    const text = this.#inside(() => this.#write(steps, 'inside'))
    const lines = steps.every(({ joint }) => joint === '' || joint === '|') ? this.#piped : undefined
    this.#before = [...before, ...this.#before.splice(0), text]
    this.#variables = variables
    this.#piped = piped
    if (known !== undefined) return { kind: known, lines: { lines: [known], nul: false } }
    const last = steps.at(-1)
    const isPipe = steps.every(({ joint }) => joint === '' || joint === '|')
    const words = last?.command.kind === 'simple' && isPipe ? literalWords(last.command) : undefined
    return { kind: words === undefined ? anyText : kindOfOutput(words), lines }
  }

  /** The output of `pwd`, `git rev-parse --show-toplevel`, `basename` and `dirname`, if it is a plain path. */
  #knownOutput(steps: readonly ScriptStep[]): string | undefined {
    const [only, more] = steps
    if (only?.command.kind !== 'simple' || more !== undefined || this.#cwd === null) return undefined
    const { words, redirections } = only.command
    if (redirections.length > 0 || words.some(({ parts }) => parts.some(({ kind }) => !/^(text|variable)$/.test(kind))))
      return undefined
    const [name = '', first = '', second = '', ...others] = words.flatMap((word) => this.#expand(word))
    const known = others.length > 0 ? undefined : this.#printed(name, first, second)
    return known !== undefined && /^[\w./@+-]+$/.test(known) ? known : undefined
  }

  #printed(name: string, first: string, second: string): string | undefined {
    const all = `${name} ${first} ${second}`.trim()
    if (all === 'pwd') return this.#cwd ?? undefined
    if (all === 'git rev-parse --show-toplevel') return this.#place.trackedFiles?.(this.#cwd ?? '')?.top
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

  #valueOf({ name, quoted, trim, fallback }: Extract<WordPart, { kind: 'variable' }>): string {
    const value = this.#variables.get(name) ?? this.#ownVariable(name)
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
    if (name === 'HOME') return this.#place.home
    // Any process number means the same to a program that only reads.
    if (name === '$') return '1'
    const { cwd } = this.#place
    return name === 'PWD' && !this.#set.has(name) && this.#cwd === cwd ? cwd : undefined
  }

  #isProgram(name: string): boolean {
    return this.#place.isProgram?.(name) !== false
  }
}

/** Xargs splits lines at blanks and quotes. */
function isSplitOtherwise(line: string, { blanks }: OutputLines): boolean {
  return /['"\\\n\t]/.test(line) || (blanks !== true && line.includes(' '))
}

function isFromGit(steps: readonly ScriptStep[]): boolean {
  const [only, more] = steps
  return more === undefined && only?.command.kind === 'simple' && only.command.words[0]?.bare === 'git'
}

function foldersOf(name: string): string[] {
  const parts = name.split('/').slice(0, -1)
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}

function isLookup({ words }: SimpleCommand): boolean {
  return words[0]?.bare === 'command' && /^-[vV]$/.test(words[1]?.bare ?? '')
}

/** The words of a command without expansions. */
function literalWords({ words }: SimpleCommand): string[] | undefined {
  const isLiteral = words.every(({ parts }) => parts.every(({ kind }) => kind === 'text'))
  return isLiteral
    ? words.map(({ parts }) => parts.map((part) => (part.kind === 'text' ? part.text : '')).join(''))
    : undefined
}

function asQuoted(part: WordPart): WordPart {
  return part.kind === 'variable' || part.kind === 'output' ? { ...part, quoted: true } : part
}

/** True if all words after these are files, in any order. Looks through `timeout 5`. */
function takesFiles(words: readonly string[]): boolean {
  const start = words[0] === 'timeout' && /^\d+[sm]?$/.test(words[1] ?? '') ? 2 : 0
  const [name = '', ...rest] = words.slice(start)
  return programs.get(name)?.isTold?.(rest) === true
}

/** Throws if a word has text that is only known at run time, and its program could do more with it than print. */
function checkPlaceholders(words: readonly string[]): void {
  const [name = '', first = ''] = words
  for (const [index, word] of words.entries()) {
    if (!placeholder.test(word)) continue
    const isText =
      name === 'echo' ||
      name === ':' ||
      name === 'expr' ||
      ((name === 'basename' || name === 'dirname') && !word.includes(trackedFile)) ||
      (name === 'printf' && index > 1 && !first.startsWith('-')) ||
      (/^(test|\[)$/.test(name) && isTextTest(words, index))
    const isCommit =
      name === 'git' &&
      index > 1 &&
      words[index - 1] !== '-C' &&
      /^[\w.:/^~-]*$/.test(word.replaceAll(someCommit, 'x')) &&
      !word.startsWith('-')
    const isWhole = word.length === 1
    if (isText && !word.includes(trackedFile)) continue
    if (word.includes(someCommit) && isCommit) continue
    if (word === someProgram && isWhole && showsProgram.test(name)) continue
    if (word === trackedFile && isWhole && index > 0) continue
    throw new UnsupportedSyntax()
  }
}

/** `[ -n text ]`, `[ text = text ]`. Other tests would take the text as a file. */
function isTextTest(words: readonly string[], index: number): boolean {
  const [, first = '', second = ''] = words
  const count = words.length - (words[0] === '[' ? 2 : 1)
  if (count === 2) return /^-[nz]$/.test(first) && index === 2
  return count === 3 && /^(=|==|!=|-eq|-ne|-lt|-le|-gt|-ge)$/.test(second) && index !== 2
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

/** Writes a word for the strict analysis. Placeholders become text of their kind. */
function quote(word: string, program = ''): string {
  const text = word
    .replaceAll(someCommit, program === 'git' ? 'HEAD' : 'x')
    .replaceAll(someProgram, '/usr/bin/env')
    .replaceAll(trackedFile, '/dev/null')
    .replaceAll(anyText, 'x')
    .replaceAll(plainText, '1')
    .replaceAll(someNumber, '1')
  return /^[A-Za-z0-9_@%+=:,./^-]+$/.test(text) || /^(\[|\])$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
