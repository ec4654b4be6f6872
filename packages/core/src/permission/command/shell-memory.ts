import type { Command, ParsedScript, Word } from 'unbash'
import type { PossibleFolders, ScriptContext } from './findings.ts'
import { hole, readWord, type ReadWord } from './read-word.ts'

const maxGuessCharacters = 2000

/** What is known of the variables of a shell while its text is read, from top to bottom. */
export class ShellVariables {
  readonly home: string
  /** `set` gave it arguments. */
  hasArguments = false
  #variables = new Map<string, string>()
  #fetched = new Set<string>()

  constructor(home: string) {
    this.home = home
  }

  set(name: string, guess: string): void {
    this.#variables.set(name, guess.length > maxGuessCharacters ? hole : guess)
  }

  forget(name: string): void {
    this.#variables.delete(name)
  }

  isNumber(name: string): boolean {
    return /^\d+$/.test(this.#variables.get(name) ?? '')
  }

  /** It holds something from the network. */
  taint(name: string): void {
    if (/^\w+$/.test(name)) this.#fetched.add(name)
  }

  isTainted(text: string): boolean {
    return this.#fetched.size > 0 && [...this.#fetched].some((name) => new RegExp(`\\$\\{?${name}\\b`).test(text))
  }

  word(word: Word, { cwds, via }: Pick<ScriptContext, 'cwds' | 'via'>): ReadWord {
    return readWord(word, {
      home: this.home,
      cwd: cwds?.length === 1 ? (cwds[0] ?? null) : null,
      variables: this.#variables,
      bare: !this.hasArguments && via.length === 0,
      output: (script) => this.#output(script, cwds),
    })
  }

  /** What a substitution prints, when it only says what it is told. */
  #output(script: ParsedScript, cwds: PossibleFolders): string | undefined {
    const [only] = script.commands
    if (script.commands.length !== 1 || only?.command.type !== 'Command') return undefined
    return this.printed(only.command, { cwds, via: ['substitution'] })
  }

  /** What a command prints, at best guess. */
  printed(node: Command, spot: Pick<ScriptContext, 'cwds' | 'via'>): string | undefined {
    const name = node.name?.value
    if (name === 'pwd') return spot.cwds?.length === 1 ? spot.cwds[0] : undefined
    if (name === undefined || !/^(echo|printf|which|command|cat)$/.test(name)) return undefined
    const words = node.suffix.flatMap((part) => (part.type === 'Word' ? this.word(part, spot).fields : []))
    const said = words.filter((word) => !/^-[neEvVap]+$/.test(word))
    if (name !== 'cat') return name === 'printf' && said.length > 1 ? said.slice(1).join('\n') : said.join(' ')
    const document = node.redirects.find(({ type }) => type === 'HereDoc')
    return said.length === 0 && document?.type === 'HereDoc' ? document.body.text : undefined
  }
}
