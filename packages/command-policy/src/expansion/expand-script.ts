import type { ShellContext } from '../command-analysis.ts'
import { isDangerousName, isKeptByShell, isSafeAssignment } from '../environment-variables.ts'
import { asQuoted, type ListMode, mostWords } from './expand-words.ts'
import { isFolder } from './match-files.ts'
import { parseSimpleScript } from './parse-simple-script.ts'
import { anyText, placeholder, quote, someNumber, someProgram } from './placeholders.ts'
import { CommandExpander, mostCommands, takesFiles } from './run-commands.ts'
import {
  type DoubleTest,
  type Group,
  type InnerScript,
  type Loop,
  type RawWord,
  type ScriptRedirection,
  type ScriptStep,
  type SimpleCommand,
  UnsupportedSyntax,
  type WordList,
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

const longest = 64 * 1024

/**
 * Expands globs of existing files, `$HOME`, variables that were just set, and loops over such words. Returns undefined
 * for syntax that `parseSimpleScript` does not support or if the result is not certain.
 */
export function expandScript(text: string, place: ShellContext): ExpandedScript | undefined {
  if (!/[*?$~{([!<]|\\\n|\b(xargs|if|for|case|while|time|bash|sh)\b/.test(text)) return undefined
  try {
    const { steps, words, inner } = parseSimpleScript(text)
    const expander = new ScriptExpander(place)
    const expanded = expander.script(steps)
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

/** Changes the shell in ways that are not followed here. */
const changesShell = /^(pushd|popd|source|\.|eval|exec|set|shopt|unset|export|declare|read|alias|command|builtin)$/

class ScriptExpander extends CommandExpander {
  script(steps: readonly ScriptStep[]): string {
    return this.write(steps, 'certain')
  }

  protected write(steps: readonly ScriptStep[], how: ListMode): string {
    let text = ''
    let moved: 'surely' | 'maybe' | undefined
    for (const [index, { joint, not, command }] of steps.entries()) {
      text += joint === '' ? '' : ` ${joint} `
      // After a `cd`, only commands that depend on its success are certain to run in that folder.
      if (moved === 'maybe' && joint !== '&&' && joint !== '|') this.cwd = null
      const join = joint === '&&' ? ' && ' : ' ; '
      if (joint !== '|') this.piped = undefined
      const next = steps[index + 1]?.joint
      // The parts of a pipe run in shells of their own.
      const isCertain = how !== 'possible' && (joint === '' || joint === ';') && next !== '|'
      if (command.kind === 'simple') {
        text += this.#simple(command, joint === '|', isCertain).join(join)
        if (++this.commands > mostCommands) throw new UnsupportedSyntax()
        if (command.words[0]?.bare === 'cd')
          moved = this.#enter(command, /^(certain|inside)$/.test(how) && index === 0 && !not && next !== '|')
        else if (changesShell.test(command.words[0]?.bare ?? '') && !isLookup(command)) throw new UnsupportedSyntax()
        continue
      }
      const written = this.#compound(command, isCertain)
      this.piped = undefined
      text += [...this.before.splice(0), ...written].join(join)
    }
    return text
  }

  #compound(command: Loop | Group | DoubleTest, isCertain: boolean): string[] {
    if (command.kind === 'test') return command.tests.map((words) => this.#test(words))
    const given = this.piped
    const opened = command.redirections.map((one) => this.#redirection(one)).filter((one) => one !== '')
    // The redirection is checked on a command that does nothing.
    const extra = opened.length === 0 ? [] : [`: ${opened.join(' ')}`]
    if (command.kind === 'loop') {
      const values = command.values.flatMap((word) => this.#loopValues(word))
      return [...this.#rounds(command.name, values, command.body, isCertain), ...extra]
    }
    const { names, lists, nul = false } = command
    if (command.compared !== undefined) this.expand({ parts: command.compared.parts.map(asQuoted) })
    const [name] = names
    const isLine = names.length === 1 && command.splits !== true && opened.length === 0
    if (isLine && name !== undefined && given !== undefined && given.nul === nul) {
      if (given.lines.some((line) => line === '' || /^\s|\s$|[\\\n]/.test(line))) throw new UnsupportedSyntax()
      this.usesLists = true
      return this.#rounds(name, given.lines.length === 0 ? ['/dev/null'] : given.lines, lists[0] ?? [], false)
    }
    for (const one of names) this.variables.set(one, anyText)
    this.piped = undefined
    const before = command.subshell === true ? new Map(this.variables) : undefined
    const isOwn = command.subshell === true
    const written = lists.map((list) => this.inside(() => this.write(list, isOwn ? 'inside' : 'possible')))
    // What a subshell sets is gone after it.
    if (before !== undefined) this.variables = before
    return [...written, ...extra]
  }

  /** Writes the body once per value. */
  #rounds(name: string, values: readonly string[], body: readonly ScriptStep[], isCertain: boolean): string[] {
    const rounds = values.map((value) => {
      this.variables.set(name, value)
      this.piped = undefined
      return this.write(body, isCertain ? 'repeated' : 'possible')
    })
    this.variables.set(name, anyText)
    // A loop body that never runs would not be checked.
    if (rounds.length === 0) throw new UnsupportedSyntax()
    return rounds
  }

  #loopValues(word: RawWord): string[] {
    const values = this.expand(word)
    if (values.some((value) => value.includes(someProgram))) throw new UnsupportedSyntax()
    return values
  }

  #simple(command: SimpleCommand, piped: boolean, isCertain: boolean): string[] {
    const assigned = this.#assignments(command, isCertain)
    if (assigned !== undefined) return [...this.before.splice(0), ...assigned]
    const words = this.#commandWords(command)
    const isOwnInput = command.redirections.some(({ operator }) => /^0?<(?!&)/.test(operator))
    const redirections = command.redirections.map((one) => this.#redirection(one)).filter((one) => one !== '')
    const given = piped && !isOwnInput ? this.piped : undefined
    // Any other redirection of its output would take the lines away.
    const isOpen = redirections.every((one) => /^(2> \/dev\/null|< .*)$/.test(one))
    const commands = this.run(words, given, isOpen)
    const written = commands.map((one) => [...one, ...redirections].join(' '))
    return [...this.before.splice(0), ...written]
  }

  /** Notes the folder after a `cd`. */
  #enter({ words, redirections }: SimpleCommand, isFirst: boolean): 'surely' | 'maybe' {
    // Expanded, a `cd` in a loop or branch would look unconditional.
    if (!isFirst) throw new UnsupportedSyntax()
    const target = words[1]?.bare
    const isAlone = words.length === 2 && redirections.every(({ operator }) => operator === '2>')
    if (!isAlone || target === undefined || target.split('/').includes('..') || target.startsWith('-')) {
      this.cwd = null
      return 'maybe'
    }
    this.cwd = target.startsWith('/') ? target : `${this.cwd ?? ''}/${target}`
    return isFolder(this.cwd) ? 'surely' : 'maybe'
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
      const [whole = ''] = this.expand({ parts: word.parts.map(asQuoted) })
      const value = whole.slice(name.length + 1)
      // Bash expands a tilde after the `=`.
      if (value.includes('~')) throw new UnsupportedSyntax()
      const isKnown = !placeholder.test(value)
      if (!isKnown && !isSafeAssignment(name, null)) throw new UnsupportedSyntax()
      // A command that may not have run leaves the old value.
      if (!isCertain) this.variables.set(name, anyText)
      else this.variables.set(name, isKnown || value.length === 1 ? value : anyText)
      return `${name}=${quote(value)}`
    })
  }

  #commandWords({ words }: SimpleCommand): string[] {
    const given: string[] = []
    for (const [index, word] of words.entries()) {
      const values = this.expand(word)
      if (index === 0 && (values.length !== 1 || word.bare === undefined)) throw new UnsupportedSyntax()
      const hasPattern = word.parts.some(({ kind }) => kind === 'pattern')
      // `--include=*.{ts,tsx}`
      const isPattern = word.raw.startsWith('-') && hasPattern && values.every((value) => this.isUnmatched(value))
      const isChosen = !hasPattern && word.parts.every(({ kind }) => kind === 'text' || kind === 'choice')
      // File order depends on the locale. Give up if the order matters.
      if (values.length !== 1 && !isChosen && !isPattern && !takesFiles(given)) throw new UnsupportedSyntax()
      const isList = word.parts.some(({ kind }) => kind !== 'text' && kind !== 'variable')
      // A file that looks like an option. An option that looks like a pattern matches no file and stays as it is.
      const isOption = word.raw.startsWith('-') && (isChosen || isPattern)
      if (isList && !isOption && values.some((value) => value.startsWith('-'))) throw new UnsupportedSyntax()
      given.push(...values)
    }
    this.count += given.length
    if (this.count > mostWords) throw new UnsupportedSyntax()
    return given
  }

  /** Writes a test as a command of the table, or as one that does nothing if it only compares texts. */
  #test(words: readonly RawWord[]): string {
    const [first, second] = words
    if (words.length === 2 && first !== undefined && second !== undefined && !/^-[nz]$/.test(first.bare ?? '')) {
      const [path = '', ...more] = this.expand({ parts: second.parts.map(asQuoted) })
      if (more.length > 0 || placeholder.test(path) || second.parts.some(({ kind }) => kind === 'pattern'))
        throw new UnsupportedSyntax()
      return `test ${first.bare ?? ''} ${quote(path)}`
    }
    const computes = /^-[a-z]{2}$/.test(second?.bare ?? '')
    for (const { parts, bare } of words) {
      const [text = ''] = this.expand({ parts: parts.filter(({ kind }) => kind !== 'pattern').map(asQuoted) })
      // Bash evaluates other text as arithmetic, which can run commands.
      if (computes && bare !== second?.bare && text !== someNumber && !/^\d+$/.test(text)) throw new UnsupportedSyntax()
    }
    return ':'
  }

  #redirection({ operator, target }: ScriptRedirection): string {
    if (operator === '<<<') {
      this.expand({ parts: target.parts.map(asQuoted) })
      return ''
    }
    const values = this.expand(target)
    if (values.length !== 1 || placeholder.test(values[0] ?? '')) throw new UnsupportedSyntax()
    return `${operator}${operator.endsWith('&') ? (values[0] as string) : ` ${quote(values[0] as string)}`}`
  }
}

function isLookup({ words }: SimpleCommand): boolean {
  return words[0]?.bare === 'command' && /^-[vV]$/.test(words[1]?.bare ?? '')
}
