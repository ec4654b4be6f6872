import { existsSync } from 'node:fs'
import path from 'node:path'
import { analyzeCommand } from './analyze-command.ts'
import type { FileUse, FoundCommand, ShellContext } from './command-analysis.ts'

export interface CommandWrites {
  /** Absolute paths of files and folders it names to be written, created or removed. */
  paths: string[]
  mayBeMore: boolean
}

/** Programs that change nothing. `fileWriters` change only the files named in their arguments. */
const printers = new Set(['cat', 'echo', 'printf'])
const fileWriters = new Set('chmod chown cp ln mkdir mv rm rmdir sed sort tee touch truncate unlink'.split(' '))

/** Estimates from its text which files a command changed. For display only, not for decisions. */
export function commandWrites(command: string, place: ShellContext): CommandWrites {
  const { harmless, unseen, writes, commands } = analyzeCommand(command, place)
  if (harmless) return { paths: [], mayBeMore: false }
  const paths = new Set(writes.filter(isLikely).map((use) => path.normalize(use.path)))
  // An argument that expanded to nothing resolves to the working directory.
  paths.delete(place.cwd)
  const mayBeMore = unseen !== undefined || paths.size === 0 || commands.some((found) => !isKnown(found))
  return { paths: [...paths], mayBeMore }
}

/** Analysis treats ambiguous words as files to be safe. Drop those whose parent folder does not exist. */
function isLikely({ path: file, redirected }: FileUse): boolean {
  if (file.startsWith('/dev/') && !file.startsWith('/dev/shm/')) return false
  return redirected === true || existsSync(path.dirname(path.normalize(file).replace(/\/$/, '')))
}

/** True if every file it changes is named in words known before it ran. */
function isKnown({ harmless, transparent, name, argv, redirections }: FoundCommand): boolean {
  if (redirections.some(({ operator, target }) => operator.includes('>') && /[$`*?]/.test(target))) return false
  if (harmless || transparent === true || name === null) return harmless || transparent === true
  return printers.has(name) || (fileWriters.has(name) && argv !== null)
}

/** Builtins. The files they open appear in their words or redirections. */
const shellBuiltins = new Set(
  ': [ alias break builtin cd command continue declare echo eval exec exit export false getopts jobs kill let local popd printf pushd pwd read readonly return set shift shopt test times trap true type typeset ulimit umask unalias unset wait'.split(
    ' ',
  ),
)

/** Programs that use only the files named in their arguments, and what those contain. */
const namedFileWriters = new Set(
  'chgrp chmod chown cp install ln mkdir mkfifo mknod mv rm rmdir shred tee touch truncate unlink'.split(' '),
)

export function mayUseUnnamed(found: FoundCommand): boolean {
  const { name, harmless, transparent, opaque, late, argv } = found
  if (late === true) return true
  if (name === 'git') return opaque !== undefined && !isQuietGit(found)
  if (harmless || transparent === true || (name === null && argv === null && found.guess.words.length === 0))
    return false
  if (name !== null && (shellBuiltins.has(name) || namedFileWriters.has(name))) return false
  return opaque !== undefined || !found.known
}

/** True if git may print current or past file contents. Hiding files does not hide git's object store. */
export function mayShowGitHistory(found: FoundCommand): boolean {
  if (found.name !== 'git') return false
  // Then its words are known and `reads` covers everything it shows.
  return found.opaque !== undefined && !isQuietGit(found)
}

/** Git subcommands that print only names and messages, and change only the files in which they store these. */
const quietGitCommands = new Set(
  'add branch checkout cherry cherry-pick clean commit count-objects describe fetch for-each-ref gc help init ls-files ls-remote ls-tree maintenance merge merge-base mv name-rev prune pull push rebase remote reset restore rev-list rev-parse revert rm show-ref status switch symbolic-ref tag update-index update-ref var version'.split(
    ' ',
  ),
)

/** Options that show a diff, also abbreviated or combined, and options with an attached file name. */
const contentOptions = /^-[a-zA-Z]*[pvie]|^--(p|v|i|e)|^-[^-].*[./]/

export function isQuietGit({ argv, guess }: FoundCommand): boolean {
  const words = (argv ?? (guess.complete ? guess.words : [])).slice(1)
  const at = words.findIndex((word, index) => !word.startsWith('-') && !/^(-C|-c)$/.test(words[index - 1] ?? ''))
  if (at === -1 || words.slice(0, at).some((word) => /^(-c|--config-env|--exec-path|--git-dir|--work-tree)/.test(word)))
    return false
  return quietGitCommands.has(words[at]!) && !words.slice(at + 1).some((word) => contentOptions.test(word))
}
