import { readdir } from 'node:fs/promises'
import path from 'node:path'
import type { GitPlace, RunGit } from '../git/run-git.ts'
import { text } from './worktree-state.ts'

/** Counts of something, with the names of the first. */
export interface NamedCount {
  count: number
  names: string[]
}

/** Parts of a worktree that no commit of its repository can keep. */
export interface Losses {
  /** Ignored files, and folders in which everything is ignored. */
  ignored: NamedCount
  /** Repositories and submodules inside that have uncommitted changes, or commits on no remote. */
  repositories: NamedCount
  /** True if the folder is too large to look at everything. */
  isCut: boolean
}

const shownNames = 10
const mostEntries = 500_000
const mostRepositories = 100

export async function findLosses(git: RunGit, place: GitPlace): Promise<Losses> {
  const args = ['ls-files', '--others', '--ignored', '--exclude-standard', '--directory', '-z']
  const { stdout } = await git(place, { args, accepts: [128] })
  const ignored = stdout.toString('utf8').split('\0').filter(Boolean)
  const { found, isCut } = await nestedRepositories(place.root)
  const unsaved: string[] = []
  for (const folder of found.slice(0, mostRepositories))
    if (await isUnsaved(git, path.join(place.root, folder))) unsaved.push(folder)
  return {
    ignored: named(ignored),
    repositories: named(unsaved),
    isCut: isCut || found.length > mostRepositories,
  }
}

/** Stages all files of the worktree. A repository inside cannot be part of a commit, so it stays out. */
export async function stageAll(git: RunGit, place: GitPlace, limitMs: number): Promise<void> {
  await git(place, { args: ['add', '--update', '--', '.'], limitMs })
  const others = await text(git, place, ['ls-files', '--others', '--exclude-standard', '-z'])
  const files = others.split('\0').filter((name) => name !== '' && !name.endsWith('/'))
  if (files.length === 0) return
  await git(place, {
    args: ['add', '--pathspec-from-file=-', '--pathspec-file-nul'],
    input: files.join('\0'),
    limitMs,
  })
}

function named(all: readonly string[]): NamedCount {
  return { count: all.length, names: all.slice(0, shownNames) }
}

async function nestedRepositories(root: string): Promise<{ found: string[]; isCut: boolean }> {
  const found: string[] = []
  const folders = ['']
  let entries = 0
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    // A folder that cannot be read cannot be deleted either, and git reports that.
    const listed = await readdir(path.join(root, folder), { withFileTypes: true }).catch(() => [])
    entries += listed.length
    if (entries > mostEntries) return { found, isCut: true }
    for (const entry of listed) {
      if (entry.name === '.git') {
        if (folder !== '') found.push(folder)
      } else if (entry.isDirectory()) folders.push(path.join(folder, entry.name))
    }
  }
  return { found: found.toSorted(), isCut: false }
}

/** A repository that git cannot read counts as unsaved. Its own hooks and filters never run. */
async function isUnsaved(git: RunGit, root: string): Promise<boolean> {
  const place = { root, gitDir: path.join(root, '.git'), trusted: false }
  try {
    if ((await text(git, place, ['status', '--porcelain=v1', '-z', '--untracked-files=normal'])) !== '') return true
    const commits = await text(git, place, ['rev-list', '--max-count=1', '--all', '--not', '--remotes'])
    const head = await git(place, {
      args: ['rev-list', '--max-count=1', '--ignore-missing', 'HEAD', '--not', '--all'],
      accepts: [128],
    })
    return commits !== '' || head.stdout.length > 0
  } catch {
    return true
  }
}
