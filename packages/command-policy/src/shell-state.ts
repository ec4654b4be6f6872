import type { Command, ParsedScript, Word } from 'unbash'
import type { FoundAssignment } from './command-analysis.ts'
import { type ExpandedWord, fieldsOf, hole, isWhole, readWord, type ReadWord } from './read-word.ts'

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

/** A simple command with everything that judging it takes. */
export interface CommandFinding {
  /** The program and its words, at best guess. */
  pieces: readonly ExpandedWord[]
  /** The program without its folder, in small letters; null when it is not known. */
  name: string | null
  /** Words may be added to it. */
  adds: boolean
  assignments: readonly FoundAssignment[]
  redirections: readonly { operator: string; target: ReadWord }[]
  via: readonly string[]
  /** Where it may run; null when that cannot be told. */
  cwds: PossibleFolders
  transparent: boolean
  remote: boolean
  /** It runs a file that it is named. */
  file: boolean
}

export interface ScriptFindings {
  commands: CommandFinding[]
  /** Every word that the parser saw at the top, for comparison with what the gate saw. */
  words: { at: number; value: string; text: string }[]
  /** Names that are set by other means than an assignment (`for`, `read`). */
  set: Set<string>
  /** Why it is more than simple commands, lists and pipes. */
  odd?: string
  /** Something in it changes what the names of commands mean from then on: functions, aliases, options. */
  altered?: string
  unseen?: string
  opaque?: string
  floor?: string
  overLimit?: string
}

/** Where a shell may be; null when that cannot be told. */
export type PossibleFolders = readonly string[] | null

/** Where the shell is after a command that succeeded, and after one that failed. */
export interface FolderChange {
  ok: PossibleFolders
  fail: PossibleFolders
}

/** Where in a text something stands, and what surrounds it there. */
export interface ScriptContext {
  cwds: PossibleFolders
  via: readonly string[]
  remote: boolean
  input: CommandInput
  source: string
  /** The text is put together from guesses: nothing in it is certain. */
  guessed?: true
}

/** What a command gets to read: from the network, or text that is known. */
export interface CommandInput {
  network: boolean
  text: string | null
  /** The text is exactly that. */
  certain: boolean
}
export const noInput: CommandInput = { network: false, text: null, certain: false }

export const stayIn = (folders: PossibleFolders): FolderChange => ({ ok: folders, fail: folders })
/** Where it goes cannot be told. */
export const unknownFolder: FolderChange = { ok: null, fail: null }

export function unionFolders(one: PossibleFolders, other: PossibleFolders): PossibleFolders {
  if (one === null || other === null) return null
  if (one === other) return one
  const all = [...new Set([...one, ...other])]
  return all.length > 8 ? null : all
}

/** Where `cd` leads. `words`: behind its name. */
export function changeFolder(words: readonly ExpandedWord[], cwds: PossibleFolders, home: string): FolderChange {
  const [folder = home, more] = fieldsOf(words).filter((word) => word !== '--')
  if (cwds === null || more !== undefined || !isWhole(folder) || folder.startsWith('-')) return unknownFolder
  const entered = cwds.map((cwd) => enterFolder(cwd, folder))
  return { ok: entered.some((cwd) => cwd.length > 4096) ? null : entered, fail: cwds }
}

/** `cd` goes by what is written: `a/..` is where one was, also when `a` is a link. */
function enterFolder(cwd: string, folder: string): string {
  const parts = folder.startsWith('/') ? [] : cwd.split('/').filter((part) => part !== '')
  for (const part of folder.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}

/** Whether something in a text may move the shell that runs it. */
export function mayChangeFolder(text: string): boolean {
  return /\b(cd|pushd|popd|source|eval)\b|(^|[\s;&|])\.\s/.test(text)
}
