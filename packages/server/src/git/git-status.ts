import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { GitFile, GitMark, GitReadyStatus } from '@troupe/protocol'
import type { Repository } from './repository.ts'
import type { RunGit } from './run-git.ts'

/** More changed files are counted, not listed. */
const maxFiles = 5000
const maxBytes = 32 * 2 ** 20

type StatusOptions = { signal?: AbortSignal | undefined; maxFiles?: number }

/** Reads branch and changed files of the workspace, at most `maxFiles` of them. */
export async function readStatus(
  git: RunGit,
  repository: Repository,
  { signal, maxFiles: most = maxFiles }: StatusOptions = {},
): Promise<GitReadyStatus> {
  const { stdout, isCut } = await git(repository, { args: statusArguments(repository), signal, maxBytes })
  const parsed = parseStatus(stdout, { prefix: repository.prefix, most })
  const operation = await operationOf(repository.gitDir)
  return {
    state: 'ready',
    root: repository.root,
    trusted: repository.trusted,
    ...parsed,
    isCut: parsed.isCut || isCut,
    ...(operation !== undefined && { operation }),
    stagedElsewhere: repository.prefix === '' ? 0 : await stagedElsewhere(git, repository, parsed, signal),
  }
}

function statusArguments({ prefix }: Repository): string[] {
  return [
    'status',
    '--porcelain=v2',
    '-z',
    '--branch',
    '--show-stash',
    '--untracked-files=all',
    // A submodule is a separate repository with its own settings.
    '--ignore-submodules=dirty',
    '--find-renames',
    '--',
    ...(prefix === '' ? [] : [prefix]),
  ]
}

/** Staged files above the workspace would also be part of a commit. */
async function stagedElsewhere(
  git: RunGit,
  repository: Repository,
  { counts }: Pick<GitReadyStatus, 'counts'>,
  signal: AbortSignal | undefined,
): Promise<number> {
  const args = ['diff', '--cached', '--name-only', '-z', '--no-renames', '--ignore-submodules=dirty', '--no-ext-diff']
  const { stdout } = await git(repository, { args, signal, maxBytes })
  const names = stdout.toString('utf8').split('\0').filter(Boolean)
  return counts.staged === names.length ? 0 : names.filter((name) => !name.startsWith(repository.prefix)).length
}

type Parsed = Pick<GitReadyStatus, 'branch' | 'stashes' | 'files' | 'counts' | 'isCut' | 'stagedVersion'>

/** Parses `git status --porcelain=v2 -z --branch --show-stash`. */
export function parseStatus(output: Buffer, { prefix, most }: { prefix: string; most: number }): Parsed {
  const branch: Parsed['branch'] = { name: null, head: null, upstream: null, ahead: 0, behind: 0 }
  const counts = { staged: 0, unstaged: 0, untracked: 0, conflicts: 0 }
  const files: GitFile[] = []
  const staged = createHash('sha256')
  let [stashes, listed] = [0, 0]
  const fields = splitFields(output)
  for (let index = 0; index < fields.length; index++) {
    const bytes = fields[index]!
    const kind = String.fromCharCode(bytes[0] ?? 0)
    if (kind === '#') {
      stashes = readHeader(bytes.toString('utf8'), branch) ?? stashes
      continue
    }
    // A renamed file is followed by its old name, as a separate field.
    const from = kind === '2' ? fields[++index] : undefined
    const entry = readEntry(kind, bytes)
    if (entry === undefined) continue
    listed++
    if (entry.staged !== undefined) {
      counts.staged++
      staged.update(bytes).update('\0')
    }
    if (entry.conflicted) counts.conflicts++
    else if (entry.unstaged === 'untracked') counts.untracked++
    else if (entry.unstaged !== undefined) counts.unstaged++
    if (files.length >= most) continue
    const { text: file, isExact } = pathOf(entry.path, prefix)
    files.push({
      path: file,
      ...(from !== undefined && { from: pathOf(from, prefix).text }),
      ...(entry.staged !== undefined && { staged: entry.staged }),
      ...(entry.unstaged !== undefined && { unstaged: entry.unstaged }),
      ...(entry.conflicted && { conflicted: true as const }),
      ...(entry.isSubmodule && { submodule: true as const }),
      ...(!isExact && { badName: true as const }),
    })
  }
  return {
    branch,
    stashes,
    files,
    counts,
    isCut: listed > files.length,
    stagedVersion: counts.staged === 0 ? '' : staged.digest('hex').slice(0, 32),
  }
}

function splitFields(output: Buffer): Buffer[] {
  const fields: Buffer[] = []
  for (let start = 0; start < output.length;) {
    const end = output.indexOf(0, start)
    // Without an end, the output was cut here.
    if (end === -1) break
    fields.push(output.subarray(start, end))
    start = end + 1
  }
  return fields
}

/** Fills in the branch. Returns the number of stashes if the line has it. */
function readHeader(line: string, branch: Parsed['branch']): number | undefined {
  const [, name, value = ''] = /^# ([\w.]+) (.*)$/s.exec(line) ?? []
  if (name === 'branch.oid' && value !== '(initial)') branch.head = value
  if (name === 'branch.head' && value !== '(detached)') branch.name = value
  if (name === 'branch.upstream') branch.upstream = value
  if (name === 'branch.ab') {
    const [, ahead, behind] = /^\+(\d+) -(\d+)$/.exec(value) ?? []
    branch.ahead = Number(ahead ?? 0)
    branch.behind = Number(behind ?? 0)
  }
  return name === 'stash' ? Number(value) : undefined
}

interface Entry {
  path: Buffer
  staged?: GitMark
  unstaged?: GitMark | 'untracked'
  conflicted: boolean
  isSubmodule: boolean
}

/** Fields before the path, by kind of line. */
const fieldsBefore: Record<string, number> = { '1': 8, '2': 9, u: 10, '?': 1 }

function readEntry(kind: string, bytes: Buffer): Entry | undefined {
  const before = fieldsBefore[kind]
  if (before === undefined) return undefined
  let at = 0
  for (let field = 0; field < before; field++) at = bytes.indexOf(32, at) + 1
  const file = bytes.subarray(at)
  if (kind === '?') return { path: file, unstaged: 'untracked', conflicted: false, isSubmodule: false }
  const [, marks = '..', submodule = 'N'] = bytes.toString('latin1', 0, at).split(' ')
  const isSubmodule = submodule.startsWith('S')
  if (kind === 'u') return { path: file, unstaged: 'modified', conflicted: true, isSubmodule }
  const [staged, unstaged] = [markWords[marks[0] ?? ''], markWords[marks[1] ?? '']]
  return {
    path: file,
    ...(staged !== undefined && { staged }),
    ...(unstaged !== undefined && { unstaged }),
    conflicted: false,
    isSubmodule,
  }
}

const markWords: Record<string, GitMark> = {
  M: 'modified',
  A: 'added',
  D: 'deleted',
  R: 'renamed',
  C: 'copied',
  T: 'retyped',
}

/** Relative to the workspace. A name that is not UTF-8 cannot be told exactly. */
function pathOf(bytes: Buffer, prefix: string): { text: string; isExact: boolean } {
  const text = bytes.toString('utf8')
  const below = text.startsWith(prefix)
    ? text.slice(prefix.length)
    : `${'../'.repeat(prefix.split('/').length - 1)}${text}`
  return { text: below, isExact: !text.includes('\ufffd') || Buffer.from(text).equals(bytes) }
}

const operations = [
  ['rebase-merge', 'rebase'],
  ['rebase-apply', 'rebase'],
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['BISECT_LOG', 'bisect'],
] as const

async function operationOf(gitDir: string): Promise<GitReadyStatus['operation']> {
  const found = await Promise.all(operations.map(([file]) => stat(path.join(gitDir, file)).then(Boolean, () => false)))
  return operations[found.indexOf(true)]?.[1]
}
