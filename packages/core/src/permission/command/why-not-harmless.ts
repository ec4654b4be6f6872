import type { ShellContext } from './command-analysis.ts'
import type { CommandFinding } from './findings.ts'
import { gitFolders, isDuplicate } from './file-uses.ts'
import { gitCommand } from './programs/git.ts'
import type { ArgumentCheck } from './programs/program.ts'
import { programs } from './programs/programs.ts'
import { wrappers } from './wrappers.ts'
import { asksVersion, isChosenByFolder } from './programs/versions.ts'

/** Folders whose programs are what their names say. */
const systemFolder = /^\/(usr\/)?(local\/)?s?bin$|^\/opt\/homebrew\/bin$/

/** What the rules for a program say of the words that it will get exactly. Undefined where there are none. */
export function examineArguments(argv: readonly string[] | null): ArgumentCheck | undefined {
  if (argv === null) return undefined
  const [path = '', ...words] = argv
  const name = path.slice(path.lastIndexOf('/') + 1)
  return programs.get(name)?.look(words, name)
}

/** Why a command may do more than look; undefined when it may not. `look`: what `lookAt` says of `argv`. */
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
  if (argv === null) return 'Some of its words are known only when it runs.'
  if (found.remote) return 'It runs elsewhere.'
  const [path = '', ...words] = argv
  const slash = path.lastIndexOf('/')
  if (slash !== -1 && !systemFolder.test(path.slice(0, slash))) return `"${path}" is not a program that is known.`
  const name = path.slice(slash + 1)
  const program = programs.get(name)
  // A program that runs another does not know what is part of bash.
  const isBuiltin = program?.builtin === true && slash === -1 && !found.via.some((by) => isSeparateProgram(by))
  if (!isBuiltin) {
    if (program === undefined && !asksVersion(name, words)) return `"${name}" is not known to only look.`
    if (slash === -1 && place.isProgram?.(name) === false) return `"${name}" is not the usual program here.`
  }
  if (asksVersion(name, words))
    return found.cwds?.every((cwd) => !isChosenByFolder(name, cwd)) === true
      ? undefined
      : `A file in this folder may choose which "${name}" runs.`
  if (look === undefined || look.why !== undefined) return look?.why ?? `"${name}" is not known to only look.`
  return name === 'git' ? whyGitNotHarmless(found, words, place) : undefined
}

/** A wrapper that is a program of its own. */
function isSeparateProgram(by: string): boolean {
  return wrappers.has(by) && !/^(command|builtin|exec|time)$/.test(by)
}

/** Git runs what the folder's own settings name, so the folder must have none of these. */
function whyGitNotHarmless(
  { cwds }: CommandFinding,
  words: readonly string[],
  place: ShellContext,
): string | undefined {
  if (place.terminal === true && gitCommand(words).paged)
    return 'In a terminal git starts a pager, which can start anything.'
  const plain = gitFolders(cwds, words)?.every((cwd) => place.isPlainRepository?.(cwd) === true)
  return plain === true ? undefined : 'Git may run what the settings of this folder name.'
}

/** Redirections that write no file: to nothing, or to another output. */
function writesNoFile(operator: string, target: string | null): boolean {
  if (isDuplicate(operator, target)) return true
  if (target === null) return false
  if (operator === '<') return !/^\/dev\/(tcp|udp)\//.test(target)
  return target === '/dev/null' && /^(>|>>|>\||&>|&>>|>&)$/.test(operator)
}
