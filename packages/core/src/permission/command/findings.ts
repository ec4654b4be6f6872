import type { FoundAssignment } from './command-analysis.ts'
import type { ExpandedWord } from './piece.ts'
import type { ReadWord } from './read-word.ts'

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
