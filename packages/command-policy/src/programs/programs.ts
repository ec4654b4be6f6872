import { readFileSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { archivePrograms } from './archive-programs.ts'
import { filePrograms } from './file-programs.ts'
import { git } from './git.ts'
import type { Program } from './program.ts'
import { scriptPrograms } from './script-programs.ts'
import { shellPrograms } from './shell-programs.ts'
import { systemPrograms } from './system-programs.ts'
import { textPrograms } from './text-programs.ts'

/** Programs that can be proven read-only by their arguments. Add one as an entry in the file of its family. */
export const programs: ReadonlyMap<string, Program> = new Map(
  Object.entries({
    ...textPrograms,
    ...filePrograms,
    ...archivePrograms,
    ...systemPrograms,
    ...shellPrograms,
    ...scriptPrograms,
    git,
  }),
)

/**
 * Programs with a safe version query, and the arguments for it. Excludes programs where the folder chooses the version
 * in a way that cannot be checked (yarn, pnpm: the query would run the folder's code), and programs that write a file
 * even then (java).
 */
export const versionWords: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    node: '--version -v',
    npm: '--version -v',
    tsc: '--version -v',
    git: '--version version',
    bash: '--version',
    python3: '--version -V',
    pip: '--version -V',
    pip3: '--version -V',
    perl: '--version -v',
    ruby: '--version -v',
    php: '--version -v',
    go: 'version',
    cargo: '--version -V',
    rustc: '--version -V',
    gcc: '--version -v',
    'g++': '--version -v',
    cc: '--version -v',
    make: '--version -v',
    cmake: '--version',
    ninja: '--version',
    docker: '--version -v',
    sqlite3: '--version -version',
    gzip: '-V',
    curl: '--version -V',
    wget: '--version -V',
    ssh: '-V',
    vim: '--version',
    tmux: '-V',
    systemctl: '--version',
    apt: '--version -v',
    bwrap: '--version',
    strace: '--version -V',
    rg: '--version -V',
    jq: '--version -V',
  }).map(([name, words]) => [name, words.split(' ')]),
)

export function asksVersion(name: string, words: readonly string[]): boolean {
  const [word = ''] = words
  if (words.length !== 1) return false
  const program = programs.get(name)
  if (versionWords.get(name)?.includes(word) === true) return true
  if (program === undefined || program.builtin === true) return false
  // The help of git is a manual page in a pager.
  return word === '--version' || (word === '--help' && name !== 'git' && name !== 'node')
}

/**
 * True if a file in the folder or above chooses the program's version. A version query can then run or download what
 * the folder names.
 */
export function isChosenByFolder(name: string, folder: string): boolean {
  if (name === 'cargo' || name === 'rustc')
    return !hasToolchain() || filesAbove(folder, ['rust-toolchain', 'rust-toolchain.toml']).length > 0
  if (name !== 'go') return false
  return filesAbove(folder, ['go.mod', 'go.work']).some((file) => {
    const text = readFileSync(file, 'utf8')
    const wanted = /^\s*go\s+(\S+)/m.exec(text)?.[1] ?? '0'
    return /^\s*(toolchain|godebug)\b/m.test(text) || isNewer(wanted, installedGo())
  })
}

/** Rustup creates its settings, and downloads the toolchain they name, if they are missing. */
function hasToolchain(): boolean {
  const isThere = (file: string): boolean =>
    statSync(path.join(homedir(), file), { throwIfNoEntry: false }) !== undefined
  return !isThere('.cargo/bin/rustup') || isThere('.rustup/settings.toml')
}

function filesAbove(folder: string, names: readonly string[]): string[] {
  const found: string[] = []
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    for (const name of names) {
      const file = path.join(at, name)
      if (statSync(file, { throwIfNoEntry: false }) !== undefined) found.push(file)
    }
    if (at === path.dirname(at)) return found
  }
}

/** Returns the output of `go version` without running it, or an empty string if unknown. */
function installedGo(): string {
  for (const folder of (process.env['PATH'] ?? '').split(path.delimiter)) {
    try {
      const program = realpathSync(path.join(folder, 'go'))
      return /^go(\S+)/.exec(readFileSync(path.join(path.dirname(program), '../VERSION'), 'utf8'))?.[1] ?? '0'
    } catch {
      continue
    }
  }
  return '0'
}

function isNewer(one: string, other: string): boolean {
  const [left, right] = [one, other].map((version) => version.split(/[^0-9]+/).map(Number)) as [number[], number[]]
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return false
}
