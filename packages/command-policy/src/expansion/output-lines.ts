import { filesOfFind } from '../find-files.ts'
import { entriesOf, isFolder } from './match-files.ts'
import { numbersBetween } from './parse-words.ts'
import { anyText, plainText, someCommit, someNumber, someProgram, trackedFile } from './placeholders.ts'

/** What a command prints, as far as it is known: all lines it may print, and possibly more. */
export interface OutputLines {
  lines: readonly string[]
  /** Separated by NUL. */
  nul: boolean
  /** The blanks in a line separate words: it is no list of files. */
  blanks?: true
}

interface OutputContext {
  cwd: string | null
  /** The names that git tracks are plain, and they are files. */
  hasPlainNames(): boolean
}

/** Returns the lines that a command prints. `input`: the lines piped into it. Undefined if unknown. */
export function linesOf(
  words: readonly string[],
  input: OutputLines | undefined,
  { cwd, hasPlainNames }: OutputContext,
): OutputLines | undefined {
  const [name = '', ...rest] = words
  if (input !== undefined && isFilter(words)) return input.nul ? undefined : input
  if (name === 'echo' && rest[0]?.startsWith('-') !== true) return { lines: [rest.join(' ')], nul: false, blanks: true }
  if (name === 'printf' && /^%s\\n$/.test(rest[0] ?? '')) return said(rest.slice(1))
  if (name === 'seq' && rest.length < 3 && rest.every((word) => /^\d{1,4}$/.test(word))) {
    const [first = '', second] = rest
    const numbers =
      second === undefined ? numbersBetween(1, Number(first)) : numbersBetween(Number(first), Number(second))
    return numbers === undefined ? undefined : said(numbers)
  }
  if (cwd === null) return undefined
  if (name === 'find') {
    const found = filesOfFind(rest, cwd)
    return found === undefined ? undefined : { lines: found.files, nul: found.print0 }
  }
  if (name === 'ls') return listed(rest, cwd)
  if (name === 'git') {
    if (kindOfGitOutput(rest) === someCommit) return said([someCommit])
    const isListed = listsTracked(rest) && hasPlainNames()
    return isListed ? { lines: [trackedFile], nul: rest.includes('-z') } : undefined
  }
  return searched(name, rest, cwd)
}

/** `git ls-files`, `git grep -l text`, `git diff --name-only`. With a revision the names may be others. */
function listsTracked([verb = '', ...words]: readonly string[]): boolean {
  const paths = (given: readonly string[]): boolean => given.every((word) => /^[\w*][\w./*-]*$/.test(word))
  const end = words.indexOf('--')
  const before = end === -1 ? words : words.slice(0, end)
  const after = end === -1 ? [] : words.slice(end + 1)
  const options = before.filter((word) => word.startsWith('-'))
  const operands = before.filter((word) => !word.startsWith('-'))
  if (!paths(after)) return false
  if (verb === 'ls-files')
    return options.every((word) => /^(-z|-c|--cached|-m|--modified)$/.test(word)) && paths(operands)
  if (verb === 'diff') return options.length === 1 && options[0] === '--name-only' && operands.length === 0
  const lists = options.some((word) => /^(-[a-zA-Z]*l[a-zA-Z]*|--files-with-matches|--name-only)$/.test(word))
  return (
    verb === 'grep' &&
    lists &&
    operands.length === 1 &&
    options.every((word) => /^(-[lEFPiwI]+|--files-with-matches|--name-only)$/.test(word))
  )
}

const said = (lines: readonly string[]): OutputLines => ({ lines, nul: false })

function listed(words: readonly string[], cwd: string): OutputLines | undefined {
  const operands = words.filter((word) => !/^-[1trd]+$/.test(word))
  if (words.some((word) => /^-\w*d/.test(word))) return operands.length > 0 ? said(operands) : undefined
  if (operands.some((word) => word.startsWith('-'))) return undefined
  const at = (word: string): string => (word.startsWith('/') ? word : `${cwd}/${word}`)
  const [folder = '.'] = operands
  if (operands.length < 2 && isFolder(at(folder)))
    return said(entriesOf(at(folder)).filter((name) => !name.startsWith('.')))
  return operands.some((word) => isFolder(at(word))) ? undefined : said(operands)
}

/** `grep -rl text folder`, `rg -l text`: all files below the folders. */
function searched(name: string, words: readonly string[], cwd: string): OutputLines | undefined {
  const options = words.filter((word) => word.startsWith('-'))
  const [, ...folders] = words.filter((word) => !word.startsWith('-'))
  const roots = folders.length === 0 ? ['.'] : folders
  const isGrep = name === 'grep' && options.some((word) => /^-[a-zA-Z]*[rR]/.test(word))
  const lists = options.some((word) => /^-[a-zA-Z]*l/.test(word))
  const plain = options.every((word) => /^(-[rRlinEFwIs]+|--include=[\w.*]+|-t[a-z]+)$/.test(word))
  if (!lists || !plain || roots.some((root) => !/^[\w.][\w./-]*$/.test(root))) return undefined
  if (!isGrep && name !== 'rg') return undefined
  // Grep prints them as given, ripgrep without `./`.
  const found = filesOfFind([...roots, '-type', 'f', ...(isGrep ? [] : ['-not', '-path', '*/.*'])], cwd)
  if (found === undefined) return undefined
  const isBare = folders.length === 0
  return said(found.files.map((file) => (isBare ? file.replace(/^\.\//, '') : file)))
}

/** True if the command passes some of its input lines through unchanged. */
function isFilter([name, ...words]: readonly string[]): boolean {
  if (name === 'head' || name === 'tail') return /^(-\d+|-n ?\d+)?$/.test(words.join(' '))
  if (name === 'sort') return words.every((word) => /^-[ruVn]+$/.test(word))
  if (name === 'uniq' || name === 'tac') return words.length === 0
  const [pattern = '-', ...options] = words.toReversed()
  return name === 'grep' && !pattern.startsWith('-') && options.every((word) => /^-[vEiFw]+$/.test(word))
}

/** Returns the kind of text that a command prints, one of the placeholders. */
export function kindOfOutput([name = '', ...words]: readonly string[]): string {
  const all = words.join(' ')
  if (/^(which|command|type)$/.test(name))
    return (name === 'command'
      ? /^-v [a-z][\w.+-]*$/
      : name === 'type'
        ? /^-P [a-z][\w.+-]*$/
        : /^[a-z][\w.+-]*$/
    ).test(all)
      ? someProgram
      : anyText
  if (name === 'wc') return /^-[lcw]$/.test(all) ? someNumber : anyText
  if (name === 'pgrep') return /^(-[fxno]+ )?[\w.-]+$/.test(all) ? someNumber : anyText
  if (name === 'nproc' || (name === 'id' && all === '-u') || (name === 'date' && all === '+%s')) return someNumber
  if (/^(uname|whoami|arch|hostname)$/.test(name) || (name === 'id' && /^-[ugnr]+$/.test(all))) return plainText
  if (name === 'date') return /^(-u )?\+[%\w:.TZ -]+$/.test(all) ? plainText : anyText
  if (/^(node|npm|python3)$/.test(name) && /^(-v|-V|--version)$/.test(all)) return plainText
  return name === 'git' ? kindOfGitOutput(words) : anyText
}

function kindOfGitOutput([verb = '', ...words]: readonly string[]): string {
  const options = words.filter((word) => word.startsWith('-'))
  const every = (pattern: RegExp): boolean => options.every((word) => pattern.test(word))
  if (verb === 'merge-base') return options.length === 0 ? someCommit : anyText
  // Without an option for it, it prints hashes, or what it was given.
  if (verb === 'rev-parse') return every(/^--(short|verify)$/) && words.length > options.length ? someCommit : anyText
  if (verb === 'rev-list') {
    if (options.includes('--count') && every(/^--(count|all|no-merges)$/)) return someNumber
    return every(/^(-n|-n?\d+|--max-count=\d+|--all|--no-merges|--reverse)$/) ? someCommit : anyText
  }
  if (
    verb === 'log' &&
    every(/^(-\d+|-n\d*|--max-count=\d+|--no-merges|--reverse|--(format|pretty)=(format:)?%[hH])$/) &&
    options.some((word) => word.endsWith('h') || word.endsWith('H'))
  )
    return someCommit
  if (verb === 'branch' && words.join(' ') === '--show-current') return plainText
  return anyText
}
