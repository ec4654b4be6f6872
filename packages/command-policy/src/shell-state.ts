import type { Command, ParsedScript, Word } from 'unbash'
import type { FoundAssignment } from './command-analysis.ts'
import { type ExpandedWord, fieldsOf, hole, isWhole, readWord, type ReadWord } from './read-word.ts'

const maxGuessCharacters = 2000

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

  /** Returns the output of a substitution that only prints its arguments. */
  #output(script: ParsedScript, cwds: PossibleFolders): string | undefined {
    const [only] = script.commands
    if (script.commands.length !== 1 || only?.command.type !== 'Command') return undefined
    return this.printed(only.command, { cwds, via: ['substitution'] })
  }

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

export interface CommandFinding {
  /** Best guess of the program and its arguments. */
  pieces: readonly ExpandedWord[]
  /** Program name without its folder, lowercased. Null if unknown. */
  name: string | null
  adds: boolean
  assignments: readonly FoundAssignment[]
  redirections: readonly { operator: string; target: ReadWord }[]
  via: readonly string[]
  cwds: PossibleFolders
  transparent: boolean
  remote: boolean
  file: boolean
  /** It runs code from its input that only computes and prints. */
  prints?: true
}

export interface ScriptFindings {
  commands: CommandFinding[]
  /** Every top-level word the parser saw, to compare with the lexer. */
  words: { at: number; value: string; text: string }[]
  /** Variables set by other means than an assignment (`for`, `read`). */
  set: Set<string>
  /** Reason it is more than simple commands, lists and pipes. */
  odd?: string
  /** Reason later command names may change meaning: functions, aliases, options. */
  altered?: string
  unseen?: string
  opaque?: string
  floor?: string
  overLimit?: string
}

export type PossibleFolders = readonly string[] | null

export interface FolderChange {
  ok: PossibleFolders
  fail: PossibleFolders
}

export interface ScriptContext {
  cwds: PossibleFolders
  via: readonly string[]
  remote: boolean
  input: CommandInput
  source: string
  /** The text is built from guesses, so nothing in it is certain. */
  guessed?: true
}

/** Standard input of a command: from the network, or known text. */
export interface CommandInput {
  network: boolean
  text: string | null
  certain: boolean
}
/** Why a script is not seen as a whole: words are put into it, as by `xargs -I{} sh -c`. */
export const isFilledIn = 'Part of it is only known at run time.'

export const noInput: CommandInput = { network: false, text: null, certain: false }

export const stayIn = (folders: PossibleFolders): FolderChange => ({ ok: folders, fail: folders })
export const unknownFolder: FolderChange = { ok: null, fail: null }

export function unionFolders(one: PossibleFolders, other: PossibleFolders): PossibleFolders {
  if (one === null || other === null) return null
  if (one === other) return one
  const all = [...new Set([...one, ...other])]
  return all.length > 8 ? null : all
}

export function changeFolder(words: readonly ExpandedWord[], cwds: PossibleFolders, home: string): FolderChange {
  const [folder = home, more] = fieldsOf(words).filter((word) => word !== '--')
  if (cwds === null || more !== undefined || !isWhole(folder) || folder.startsWith('-')) return unknownFolder
  const entered = cwds.map((cwd) => enterFolder(cwd, folder))
  return { ok: entered.some((cwd) => cwd.length > 4096) ? null : entered, fail: cwds }
}

/** `cd` resolves paths textually: `a/..` is the current folder even if `a` is a link. */
function enterFolder(cwd: string, folder: string): string {
  const parts = folder.startsWith('/') ? [] : cwd.split('/').filter((part) => part !== '')
  for (const part of folder.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}

export function mayChangeFolder(text: string): boolean {
  return /\b(cd|pushd|popd|source|eval)\b|(^|[\s;&|])\.\s/.test(text)
}
