import { existsSync } from 'node:fs'
import path from 'node:path'
import { analyzeCommand } from './analyze-command.ts'
import type { FileUse, FoundCommand, ShellContext } from './command-analysis.ts'

export interface CommandWrites {
  /** Absolute: files and folders that it names to be written, made or removed. */
  paths: string[]
  /** It may have changed others as well. */
  mayBeMore: boolean
}

/** Programs that change nothing, and those that change nothing but what they are told by name. */
const printers = new Set(['cat', 'echo', 'printf'])
const fileWriters = new Set('chmod chown cp ln mkdir mv rm rmdir sed sort tee touch truncate unlink'.split(' '))

/** What a command that ran has changed, as far as its text tells: for a person to look at, not for a decision. */
export function commandWrites(command: string, place: ShellContext): CommandWrites {
  const { harmless, unseen, writes, commands } = analyzeCommand(command, place)
  if (harmless) return { paths: [], mayBeMore: false }
  const paths = new Set(writes.filter(isLikely).map((use) => path.normalize(use.path)))
  // A word that turned out empty.
  paths.delete(place.cwd)
  const mayBeMore = unseen !== undefined || paths.size === 0 || commands.some((found) => !isKnown(found))
  return { paths: [...paths], mayBeMore }
}

/** Words are taken for files where that is the safe side: what lies in no folder is none. */
function isLikely({ path: file, redirected }: FileUse): boolean {
  if (file.startsWith('/dev/') && !file.startsWith('/dev/shm/')) return false
  return redirected === true || existsSync(path.dirname(path.normalize(file).replace(/\/$/, '')))
}

/** Everything that it changes is named, in words that were known before it ran. */
function isKnown({ harmless, transparent, name, argv, redirections }: FoundCommand): boolean {
  if (redirections.some(({ operator, target }) => operator.includes('>') && /[$`*?]/.test(target))) return false
  if (harmless || transparent === true || name === null) return harmless || transparent === true
  return printers.has(name) || (fileWriters.has(name) && argv !== null)
}

/** Words of the shell itself: what they open stands in their words or is redirected. */
const shellBuiltins = new Set(
  ': [ alias break builtin cd command continue declare echo eval exec exit export false getopts jobs kill let local popd printf pushd pwd read readonly return set shift shopt test times trap true type typeset ulimit umask unalias unset wait'.split(
    ' ',
  ),
)

/** Programs that use nothing but what they are told by name, with what is in it. */
const namedFileWriters = new Set(
  'chgrp chmod chown cp install ln mkdir mkfifo mknod mv rm rmdir shred tee touch truncate unlink'.split(' '),
)

/** Whether a command may use files that none of its words names. */
export function mayUseUnnamed(found: FoundCommand): boolean {
  const { name, harmless, transparent, opaque, late, argv } = found
  if (late === true) return true
  if (name === 'git') return opaque !== undefined && !isQuietGit(found)
  if (harmless || transparent === true || (name === null && argv === null && found.guess.words.length === 0))
    return false
  if (name !== null && (shellBuiltins.has(name) || namedFileWriters.has(name))) return false
  return opaque !== undefined || !found.known
}

/** Whether git may print what is in files as they are or were: what it has kept is in no file that can be hidden. */
export function mayShowGitHistory(found: FoundCommand): boolean {
  if (found.name !== 'git') return false
  // Then its words are known, and what it shows is among what it reads.
  return found.opaque !== undefined && !isQuietGit(found)
}

/** Commands of git that print names and messages, and change files only where these lie. */
const quietGitCommands = new Set(
  'add branch checkout cherry cherry-pick clean commit count-objects describe fetch for-each-ref gc help init ls-files ls-remote ls-tree maintenance merge merge-base mv name-rev prune pull push rebase remote reset restore rev-list rev-parse revert rm show-ref status switch symbolic-ref tag update-index update-ref var version'.split(
    ' ',
  ),
)

/** Options with which they show a difference, also cut short or put together, and those with a file right behind them. */
const contentOptions = /^-[a-zA-Z]*[pvie]|^--(p|v|i|e)|^-[^-].*[./]/

/** It names folders to keep what is in them, not to show it. */
export function isQuietGit({ argv, guess }: FoundCommand): boolean {
  const words = (argv ?? (guess.complete ? guess.words : [])).slice(1)
  const at = words.findIndex((word, index) => !word.startsWith('-') && !/^(-C|-c)$/.test(words[index - 1] ?? ''))
  if (at === -1 || words.slice(0, at).some((word) => /^(-c|--config-env|--exec-path|--git-dir|--work-tree)/.test(word)))
    return false
  return quietGitCommands.has(words[at]!) && !words.slice(at + 1).some((word) => contentOptions.test(word))
}
