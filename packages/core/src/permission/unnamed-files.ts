import type { FoundCommand } from './command/command-analysis.ts'

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
