import { programs } from '../programs/programs.ts'
import { mayChangeFolder } from '../shell-state.ts'
import { mostWords, WordExpander } from './expand-words.ts'
import { isSymlink } from './match-files.ts'
import { linesOf, type OutputLines } from './output-lines.ts'
import { parseSimpleScript } from './parse-simple-script.ts'
import { anyText, checkPlaceholders, placeholder, quote } from './placeholders.ts'
import { UnsupportedSyntax } from './simple-script.ts'

export const mostCommands = 300

/** Expands commands that run others: `xargs`, `find -exec` and `bash -c`. */
export abstract class CommandExpander extends WordExpander {
  protected commands = 0
  protected count = 0

  /** Returns the command with those it runs: `xargs`, `find -exec` and `bash -c` are expanded. */
  protected run(words: readonly string[], given: OutputLines | undefined, isOpen: boolean): string[][] {
    const [name, ...rest] = words
    this.piped = undefined
    if (name === 'xargs') return this.#xargs(rest, given)
    if ((name === 'bash' || name === 'sh') && rest[0] === '-c') return this.#shell(name, rest.slice(1))
    if (
      name === 'timeout' &&
      /^\d+[sm]?$/.test(rest[0] ?? '') &&
      /^(ba)?sh$/.test(rest[1] ?? '') &&
      this.isProgram(name)
    )
      return this.run(rest.slice(1), undefined, isOpen)
    const exec = name === 'find' ? rest.indexOf('-exec') : -1
    if (exec !== -1) return this.#exec(rest, exec)
    checkPlaceholders(words)
    if (isOpen && words.every((word) => !placeholder.test(word))) this.piped = this.#lines(words, given)
    return [words.map((word) => quote(word, name))]
  }

  #lines(words: readonly string[], given: OutputLines | undefined): OutputLines | undefined {
    return linesOf(words, given, { cwd: this.cwd, hasPlainNames: () => this.#hasPlainNames() })
  }

  /** On disk, a tracked file might be a link by now. */
  #hasPlainNames(): boolean {
    const found = this.cwd === null ? undefined : this.place.trackedFiles?.(this.cwd)
    if (this.cwd === null || found?.names === undefined) return false
    const folders = new Set(found.names.flatMap(foldersOf))
    this.limit.looked += found.names.length + folders.size
    if (this.limit.looked > this.limit.most) return false
    const isLink = (name: string): boolean => isSymlink(`${found.top}/${name}`)
    if (found.names.some(isLink) || [...folders].some(isLink)) return false
    this.tracked.add(this.cwd)
    return true
  }

  /** `bash -c 'script' name argument…` */
  #shell(name: string, [script = '', , ...others]: readonly string[]): string[][] {
    if ([script, ...others].some((word) => placeholder.test(word)) || mayChangeFolder(script) || !this.isProgram(name))
      throw new UnsupportedSyntax()
    if (name === 'sh' && !isPosix(script)) throw new UnsupportedSyntax()
    const { steps, words, inner } = parseSimpleScript(script)
    this.inner.push({ text: script, words }, ...inner)
    const variables = this.variables
    // Another process does not see them.
    this.variables = new Map(others.map((word, index) => [String(index + 1), word]))
    const before = this.before.splice(0)
    const text = this.write(steps, 'repeated')
    this.before.unshift(...before)
    this.variables = variables
    return [[text]]
  }

  #xargs(words: readonly string[], given: OutputLines | undefined): string[][] {
    if (!this.isProgram('xargs')) throw new UnsupportedSyntax()
    let at = 0
    let nul = false
    let placed: string | undefined
    let one = false
    let lines = false
    for (; words[at]?.startsWith('-') === true; at++) {
      const word = words[at] as string
      const [, option = '', joined = ''] = /^(-[nPLI])(.*)$/s.exec(word) ?? []
      if (word === '-0' || word === '--null') nul = true
      else if (word === '-d' && words[at + 1] === '\\n') {
        at++
        lines = true
      } else if (option !== '') {
        const value = joined === '' ? (words[++at] ?? '') : joined
        if (!(option === '-I' ? /^[{}%@]+$/ : /^\d+$/).test(value)) throw new UnsupportedSyntax()
        if (option === '-I') placed = value
        one ||= option === '-n' && value === '1'
      } else if (!/^(-r|-t|--no-run-if-empty|--verbose)$/.test(word)) throw new UnsupportedSyntax()
    }
    const command = at < words.length ? words.slice(at) : ['echo']
    // Whatever it gets, it prints.
    if (given === undefined && /^(echo|basename|dirname)$/.test(command[0] ?? ''))
      return this.#forFiles(command, [anyText], placed, placed === undefined, true)
    // Without NUL separators, xargs splits lines at blanks and quotes.
    if (given === undefined || nul !== given.nul) throw new UnsupportedSyntax()
    if (!nul && given.lines.some((line) => (lines ? line.includes('\n') : isSplitOtherwise(line, given))))
      throw new UnsupportedSyntax()
    if (placed !== undefined && given.lines.some((line) => /^\s|\s$/.test(line))) throw new UnsupportedSyntax()
    const isSplit = placed === undefined && !nul && !lines
    const values = isSplit ? given.lines.flatMap((line) => line.split(' ').filter((word) => word !== '')) : given.lines
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

  /** `find -exec sh -c 'script' _ {} \;`, `xargs -I{} sh -c 'script with {}'`, `xargs -n1 sh -c 'script' _` */
  #shellForFiles(
    command: readonly string[],
    files: readonly string[],
    placed: string | undefined,
    together: boolean,
  ): string[][] {
    const [name = '', option, ...words] = command
    // In the script, a name must not be more than text.
    const isPlain = !words[0]?.includes(placed ?? '{}') || files.every((file) => /^[\w./@+:,-]+$/.test(file))
    if (option !== '-c' || together || words.length === 0 || !isPlain) throw new UnsupportedSyntax()
    return files.flatMap((file) =>
      this.#shell(name, placed === undefined ? [...words, file] : words.map((word) => word.replaceAll(placed, file))),
    )
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
      !this.isProgram(name) ||
      files.some((file) => file.startsWith('-')) ||
      name === '' ||
      /^(xargs|cd)$/.test(name) ||
      // It would read such a name as a part of an expression.
      (name === 'find' && files.some((file) => !/^[\w./]/.test(file)))
    )
      throw new UnsupportedSyntax()
    this.count += files.length * (together ? 1 : command.length)
    this.commands += together ? 1 : files.length
    if (this.count > mostWords || this.commands > mostCommands) throw new UnsupportedSyntax()
    const commands = together
      ? [[...command, ...files]]
      : files.map((file) => command.map((word) => (placed === undefined ? word : word.replaceAll(placed, file))))
    if (/^(ba)?sh$/.test(name)) return this.#shellForFiles(command, files, placed, together && !one)
    const isOneFile = one && (name === 'basename' || name === 'dirname')
    if (together && ((!takesFiles(command) && !isOneFile) || (placed !== undefined && command.includes(placed))))
      throw new UnsupportedSyntax()
    for (const words of commands) checkPlaceholders(words)
    return commands.map((words) => words.map((word) => quote(word, name)))
  }
}

/**
 * True if every shell reads the script like bash: no patterns, no syntax that only bash has, and no backslashes, which
 * `echo` may expand.
 */
function isPosix(script: string): boolean {
  return !/[\\*?]|\[(?! )|[<>]\(|<<|\$['"]|&>|>&(?!\d)|\(\(|\{[^}]*(,|\.\.)|\b(time|function|select|echo -)/.test(
    script,
  )
}

/** Xargs splits lines at blanks and quotes. */
function isSplitOtherwise(line: string, { blanks }: OutputLines): boolean {
  return /['"\\\n\t]/.test(line) || (blanks !== true && line.includes(' '))
}

function foldersOf(name: string): string[] {
  const parts = name.split('/').slice(0, -1)
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}

/** True if all words after these are files, in any order. Looks through `timeout 5`. */
export function takesFiles(words: readonly string[]): boolean {
  const start = words[0] === 'timeout' && /^\d+[sm]?$/.test(words[1] ?? '') ? 2 : 0
  const [name = '', ...rest] = words.slice(start)
  return programs.get(name)?.isTold?.(rest) === true
}
