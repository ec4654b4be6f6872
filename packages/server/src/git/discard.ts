import { chmod } from 'node:fs/promises'
import path from 'node:path'
import {
  acceptedLines,
  changeFiles,
  type ChangeMark,
  fileFacts,
  realPath,
  takeSnapshot,
  type UndoJournal,
  withPathLocks,
} from '@troupe/core'
import { fileVersion, repositoryPath } from './git-diff.ts'
import { refuseLinks, type Repository } from './repository.ts'
import type { RunGit } from './run-git.ts'
import { bytesOf, indexEntry, linesOf, refuseFiltered, reversed, shownHunks } from './stage.ts'

/** Paths relative to the workspace. */
export interface Discarded {
  restored: string[]
  skipped: { path: string; reason: string }[]
}

export interface DiscardedFile {
  path: string
  version: string
  hunks?: readonly string[] | undefined
}

/** Restores files to what is staged. The journal keeps what they were, so that it can be undone. */
export async function discard(
  git: RunGit,
  repository: Repository,
  files: readonly DiscardedFile[],
  { journal, mark }: { journal: UndoJournal; mark: ChangeMark },
): Promise<Discarded> {
  await refuseLinks(repository)
  const outcome: Discarded = { restored: [], skipped: [] }
  for (const file of files) {
    try {
      const reason = await discardOne(file)
      if (reason === undefined) outcome.restored.push(file.path)
      else outcome.skipped.push({ path: file.path, reason })
    } catch (error) {
      outcome.skipped.push({ path: file.path, reason: error instanceof Error ? error.message : String(error) })
    }
  }
  return outcome

  async function discardOne(given: DiscardedFile): Promise<string | undefined> {
    const name = repositoryPath(repository, given.path)
    const file = path.join(repository.root, name)
    if (realPath(file).path !== file) return 'its path goes through a link'
    await refuseFiltered(git, repository, [name])
    return withPathLocks([file], async () => {
      if ((await fileVersion(file)) !== given.version) return 'it has changed since it was shown'
      const entry = await indexEntry(git, repository, name)
      if (entry !== undefined && !entry.mode.startsWith('100')) return 'it is a link or a submodule'
      if (entry === undefined && (await isInConflict(name))) return 'it is in conflict'
      const before = await takeSnapshot(file, { shown: given.path })
      const after = await wantedBytes(given, name, entry !== undefined, before?.bytes)
      await changeFiles(
        [{ path: file, shown: given.path, before, after: after === null ? null : [after] }],
        ({ folder }) => journal.before(mark, file, before?.bytes ?? null, { ...fileFacts(before), folder }),
      )
      if (before === undefined && entry?.mode === '100755') await chmod(file, 0o755)
      return undefined
    })
  }

  /** Null deletes the file. */
  async function wantedBytes(
    { path: shown, hunks: wanted }: DiscardedFile,
    name: string,
    isTracked: boolean,
    now: Buffer | undefined,
  ): Promise<Buffer | null> {
    if (!isTracked) return null
    const { stdout } = await git(repository, { args: ['cat-file', '--filters', `:${name}`], maxBytes: 256 * 2 ** 20 })
    if (wanted === undefined || now === undefined) return stdout
    const { hunks } = await shownHunks(git, repository, shown, { wanted, staged: false })
    if (hunks.some(({ lines }) => lines === undefined)) return stdout
    return bytesOf(acceptedLines(linesOf(now), linesOf(stdout), hunks.map(reversed), ({ id }) => wanted.includes(id)))
  }

  async function isInConflict(name: string): Promise<boolean> {
    const { stdout } = await git(repository, { args: ['ls-files', '--unmerged', '-z', '--', name] })
    return stdout.length > 0
  }
}
