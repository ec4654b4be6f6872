import { lstatSync } from 'node:fs'
import path from 'node:path'
import type { ShellContext } from './command-analysis.ts'
import { gitFolders, isDuplicate } from './file-uses.ts'
import { gitCommand } from './programs/git.ts'
import type { ArgumentCheck } from './programs/program.ts'
import { asksVersion, isChosenByFolder, programs } from './programs/programs.ts'
import type { CommandFinding } from './shell-state.ts'
import { wrappers } from './wrappers.ts'

/** Folders whose programs can be trusted by name. */
const systemFolder = /^\/(usr\/)?(local\/)?s?bin$|^\/opt\/homebrew\/bin$/

/** Applies the program's rules to its exact arguments. Returns undefined if the program has none. */
export function examineArguments(argv: readonly string[] | null): ArgumentCheck | undefined {
  if (argv === null) return undefined
  const [program = '', ...words] = argv
  const name = program.slice(program.lastIndexOf('/') + 1)
  return programs.get(name)?.look(words, name)
}

/**
 * Returns why a command may do more than read, or undefined if it is harmless. `look` is the result of
 * `examineArguments(argv)`.
 */
export function whyNotHarmless(
  found: CommandFinding,
  argv: readonly string[] | null,
  look: ArgumentCheck | undefined,
  place: ShellContext,
): string | undefined {
  const unsafe = found.assignments.find(({ safe }) => !safe)
  if (unsafe !== undefined) return `It sets ${unsafe.name}.`
  const written = found.redirections.find(({ operator, target }) => !writesNoFile(operator, target.value))
  if (written !== undefined) return `It redirects to or from "${written.target.text}".`
  if (found.pieces.length === 0) return undefined
  if (argv === null) return 'Some of its arguments are only known at run time.'
  if (found.remote) return 'It runs on another machine or in another environment.'
  const [called = '', ...words] = argv
  const slash = called.lastIndexOf('/')
  if (slash !== -1 && !systemFolder.test(called.slice(0, slash))) return `"${called}" is not a known program.`
  const name = called.slice(slash + 1)
  const program = programs.get(name)
  // A separate program cannot run bash builtins.
  const isBuiltin = program?.builtin === true && slash === -1 && !found.via.some((by) => isSeparateProgram(by))
  if (!isBuiltin) {
    if (program === undefined && !asksVersion(name, words)) return `"${name}" may do more than read.`
    const other = [name, ...(program?.runs ?? [])].find((one) => place.isProgram?.(one) === false)
    if ((slash === -1 || other !== name) && other !== undefined) return `"${other}" is not the usual program here.`
  }
  if (program?.paged === true && place.terminal === true) return `In a terminal, "${name}" starts a pager.`
  if (asksVersion(name, words))
    return found.cwds?.every((cwd) => !isChosenByFolder(name, cwd)) === true
      ? undefined
      : `A file in this folder may choose which "${name}" runs.`
  if (look === undefined || look.why !== undefined) return look?.why ?? `"${name}" may do more than read.`
  if (program?.isFile === true && !look.reads.every(({ path: file }) => isFileIn(file, found.cwds)))
    return `"${name}" may run what it reads.`
  return name === 'git' ? whyGitNotHarmless(found, words, place) : undefined
}

function isFileIn(file: string, cwds: CommandFinding['cwds']): boolean {
  return cwds?.every((cwd) => lstatSync(path.join(cwd, file), { throwIfNoEntry: false })?.isFile() === true) === true
}

function isSeparateProgram(by: string): boolean {
  return wrappers.has(by) && !/^(command|builtin|exec|time)$/.test(by)
}

/** Git runs programs named in the repository's own settings, so the repository must have none of these. */
function whyGitNotHarmless(
  { cwds }: CommandFinding,
  words: readonly string[],
  place: ShellContext,
): string | undefined {
  if (place.terminal === true && gitCommand(words).paged)
    return 'In a terminal, git starts a pager, which can start anything.'
  const plain = gitFolders(cwds, words)?.every((cwd) => place.isPlainRepository?.(cwd) === true)
  return plain === true ? undefined : 'Git may run programs configured in this folder.'
}

function writesNoFile(operator: string, target: string | null): boolean {
  if (isDuplicate(operator, target)) return true
  if (target === null) return false
  if (operator === '<') return !/^\/dev\/(tcp|udp)\//.test(target)
  return target === '/dev/null' && /^(>|>>|>\||&>|&>>|>&)$/.test(operator)
}
