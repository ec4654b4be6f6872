import type { Workspace } from '@troupe/core'
import type { CommittedFiles } from '../checkpoints/command-files.ts'
import type { Content } from '../checkpoints/file-diff.ts'
import { readStatus } from './git-status.ts'
import { findRepository, type Repository } from './repository.ts'
import type { FolderIsolation } from '../isolation/open-isolation.ts'
import { openGit, type RunGit } from './run-git.ts'

const maxBytes = 64 * 2 ** 20

/** The last commit as a source of earlier versions. */
export function committedFiles(env: NodeJS.ProcessEnv, isolation?: FolderIsolation): CommittedFiles {
  let program: RunGit | undefined

  return {
    async changed(workspace) {
      const found = await open(workspace)
      if (found === undefined) return undefined
      const { files } = await readStatus(found.git, found.repository)
      // A renamed file is two: one that is gone, and one that is new.
      return files.flatMap(({ path, from, badName, submodule }) =>
        badName === true || submodule === true ? [] : from === undefined ? [path] : [path, from],
      )
    },
    async contents(workspace, files) {
      const found = await open(workspace)
      // A line break would end the name.
      const named = files.filter((file) => !/[\r\n]/.test(file))
      if (found === undefined || named.length === 0) return new Map()
      const { git, repository } = found
      const input = named.map((file) => `HEAD:${repository.prefix}${file}\n`).join('')
      const { stdout } = await git(repository, { args: ['cat-file', '--batch'], input, maxBytes, accepts: [128] })
      return readBatch(stdout, named)
    },
  }

  async function open(workspace: Workspace): Promise<{ git: RunGit; repository: Repository } | undefined> {
    const git = (program ??= openGit(env, isolation))
    const repository = git === undefined ? undefined : await findRepository(workspace).catch(() => undefined)
    return git === undefined || repository === undefined || 'problem' in repository ? undefined : { git, repository }
  }
}

/** Reads the answers of `git cat-file --batch`, in the order of the names. Those that are cut off stay unknown. */
function readBatch(output: Buffer, names: readonly string[]): Map<string, Content> {
  const contents = new Map<string, Content>()
  let at = 0
  for (const name of names) {
    const end = output.indexOf(0x0a, at)
    if (end < 0) break
    const head = output.toString('utf8', at, end)
    const [, type, size] = /^[0-9a-f]+ (\w+) (\d+)$/.exec(head) ?? []
    if (type === undefined) {
      contents.set(name, null)
      at = end + 1
      continue
    }
    const last = end + 1 + Number(size)
    if (last > output.length) break
    if (type === 'blob') contents.set(name, output.subarray(end + 1, last))
    at = last + 1
  }
  return contents
}
