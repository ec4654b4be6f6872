import type { Dirent, Stats } from 'node:fs'
import { lstat, readdir, readFile, realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Workspace } from '@troupe/core'
import { NamedError } from '@troupe/protocol'
import type { GitPlace } from './run-git.ts'

export interface Repository extends GitPlace {
  /** Real path of the workspace, at or below the root. */
  folder: string
  /** The workspace below the root, with `/` at its end. Empty if it is the root. */
  prefix: string
}

/** `elsewhere`: in an untrusted folder, `.git` leads to a repository that does not know of the folder. */
export type FoundRepository = Repository | { problem: 'none' } | { problem: 'elsewhere'; gitDir: string }

/** Walks up from the workspace to the next `.git`. A bare repository inside the folder is never used. */
export async function findRepository(workspace: Pick<Workspace, 'path' | 'trusted'>): Promise<FoundRepository> {
  const { trusted } = workspace
  const folder = await realpath(workspace.path)
  for (let root = folder; ; root = path.dirname(root)) {
    const entry = path.join(root, '.git')
    const stats = await statsOf(entry)
    const gitDir = stats === undefined ? undefined : await gitFolder(entry, stats)
    if (gitDir !== undefined) {
      if (!trusted && !(await belongsTo(gitDir, entry))) return { problem: 'elsewhere', gitDir }
      const below = path.relative(root, folder).split(path.sep).join('/')
      return { root, gitDir, trusted, folder, prefix: below === '' ? '' : `${below}/` }
    }
    if (root === path.dirname(root)) return { problem: 'none' }
  }
}

/**
 * Throws if files that git writes are links in an untrusted folder: git would follow them and write anywhere.
 */
export async function refuseLinks({ gitDir, trusted }: GitPlace): Promise<void> {
  if (trusted) return
  for (const below of [
    '',
    'objects',
    'objects/info',
    'info',
    'refs',
    'refs/heads',
    'logs',
    'logs/refs',
    'logs/refs/heads',
  ]) {
    const entries = await readdir(path.join(gitDir, below), { withFileTypes: true }).catch((): Dirent[] => [])
    if (!entries.some((entry) => entry.isSymbolicLink())) continue
    throw new NamedError(
      'GitLinked',
      'This repository keeps links in its ".git" folder, so nothing was changed. If you know where it comes from, trust the folder.',
      { status: 409 },
    )
  }
}

async function statsOf(entry: string): Promise<Stats | undefined> {
  try {
    return await lstat(entry)
  } catch {
    return undefined
  }
}

/** The folder itself, or the one that a `.git` file or link names. Undefined if that is no repository. */
async function gitFolder(entry: string, stats: Stats): Promise<string | undefined> {
  try {
    const folder = stats.isDirectory() ? entry : await linkedFolder(entry)
    return folder !== undefined && (await statsOf(path.join(folder, 'HEAD'))) !== undefined ? folder : undefined
  } catch {
    return undefined
  }
}

async function linkedFolder(entry: string): Promise<string | undefined> {
  if ((await stat(entry)).isDirectory()) return realpath(entry)
  const named = /^gitdir: ([^\n\0]+)\n?$/.exec(await shortText(entry))?.[1]
  return named === undefined ? undefined : realpath(path.resolve(path.dirname(entry), named.trimEnd()))
}

/**
 * True for an ordinary repository, for a linked worktree whose main repository names the folder, and for a submodule
 * whose settings name it.
 */
async function belongsTo(gitDir: string, entry: string): Promise<boolean> {
  try {
    const common = (await shortText(path.join(gitDir, 'commondir'))).trim()
    if (gitDir === entry) return common === ''
    if (common !== '') {
      const main = await realpath(path.resolve(gitDir, common))
      const back = (await shortText(path.join(gitDir, 'gitdir'))).trim()
      const isListed = path.dirname(gitDir) === path.join(main, 'worktrees')
      return isListed && (await realpath(path.resolve(gitDir, back))) === entry
    }
    const config = await shortText(path.join(gitDir, 'config'))
    const worktree = /^\s*worktree\s*=\s*"?([^"\n]+?)"?\s*$/m.exec(config)?.[1]
    return worktree !== undefined && (await realpath(path.resolve(gitDir, worktree))) === path.dirname(entry)
  } catch {
    return false
  }
}

/** Empty if there is no such file, or if it is too long to be what git writes there. */
async function shortText(file: string): Promise<string> {
  const stats = await stat(file).catch(() => undefined)
  return stats?.isFile() === true && stats.size < 2 ** 20 ? readFile(file, 'utf8') : ''
}
