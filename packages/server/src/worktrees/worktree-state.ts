import { stat } from 'node:fs/promises'
import type { GitPlace, RunGit } from '../git/run-git.ts'
import type { WorktreeRecord } from './worktree-records.ts'

/** State of a worktree, compared with its first commit and its base. */
export interface WorktreeState {
  state: 'ready' | 'missing'
  files: number
  added: number
  removed: number
  /** Files with changes that are not committed. */
  uncommitted: number
  /** Commits that its base does not have, and the other way around. */
  ahead: number
  behind: number
}

export const missingState: WorktreeState = {
  state: 'missing',
  files: 0,
  added: 0,
  removed: 0,
  uncommitted: 0,
  ahead: 0,
  behind: 0,
}

/** The worktree as a place for git. Its `.git` is a file that names a folder of the main repository. */
export async function placeOf(git: RunGit, main: GitPlace, { path: root }: WorktreeRecord): Promise<GitPlace> {
  const { stdout } = await git({ ...main, root, gitDir: `${root}/.git` }, { args: ['rev-parse', '--absolute-git-dir'] })
  return { root, gitDir: stdout.toString('utf8').trim(), trusted: main.trusted }
}

export async function readWorktreeState(git: RunGit, main: GitPlace, record: WorktreeRecord): Promise<WorktreeState> {
  const exists = await stat(record.path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )
  if (!exists) return missingState
  const place = await placeOf(git, main, record)
  const against = await currentBase(git, place, record)
  const fork = await text(git, place, ['merge-base', against, 'HEAD'])
  const [changed, untracked, counts] = await Promise.all([
    text(git, place, ['diff', '--numstat', '-z', '--no-renames', '--no-ext-diff', '--no-textconv', fork, '--']),
    text(git, place, ['status', '--porcelain=v1', '-z', '--untracked-files=all', '--ignore-submodules=dirty']),
    text(git, place, ['rev-list', '--left-right', '--count', `${against}...HEAD`]),
  ])
  const lines = changed.split('\0').filter(Boolean)
  const entries = untracked.split('\0').filter((line) => /^[ MADRCU?!]{2} /.test(line))
  const created = entries.filter((line) => line.startsWith('??')).length
  const [behind = 0, ahead = 0] = counts.trim().split(/\s+/).map(Number)
  return {
    state: 'ready',
    files: lines.length + created,
    added: sum(lines, 0),
    removed: sum(lines, 1),
    uncommitted: entries.length,
    ahead,
    behind,
  }
}

/** The base as it is now, or the commit it started from if the base was deleted. */
export async function currentBase(git: RunGit, place: GitPlace, { base, start }: WorktreeRecord): Promise<string> {
  if (base === undefined) return start
  const { stdout, code } = await git(place, {
    args: ['rev-parse', '--verify', '--quiet', '--end-of-options', `refs/heads/${base}^{commit}`],
    accepts: [1, 128],
  })
  return code === 0 ? stdout.toString('utf8').trim() : start
}

export async function text(git: RunGit, place: GitPlace, args: readonly string[]): Promise<string> {
  const { stdout } = await git(place, { args })
  return args.includes('-z') ? stdout.toString('utf8') : stdout.toString('utf8').trim()
}

/** `-` stands for a binary file. */
function sum(lines: readonly string[], column: number): number {
  return lines.reduce((total, line) => total + (Number(line.split('\t')[column]) || 0), 0)
}
