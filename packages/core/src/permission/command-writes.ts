import { existsSync } from 'node:fs'
import path from 'node:path'
import { analyzeCommand } from './command/analyze-command.ts'
import type { ShellContext, FileUse, FoundCommand } from './command/command-analysis.ts'

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
