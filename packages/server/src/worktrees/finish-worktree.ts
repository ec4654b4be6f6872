import { spawn } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { childEnvironment, findProgram, queueStart, startProcess } from '@troupe/core'
import { NamedError } from '@troupe/protocol'
import type { Repository } from '../git/repository.ts'
import type { GitPlace, RunGit } from '../git/run-git.ts'
import { findLosses, type Losses, stageAll } from './worktree-losses.ts'
import type { WorktreeRecord } from './worktree-records.ts'
import { currentBase, missingState, placeOf, readWorktreeState, text } from './worktree-state.ts'

export interface Merged {
  /** Commit of the base branch after the merge. */
  commit: string
  base: string
}

type Work<Request, Result> = (
  git: RunGit,
  repository: Repository,
  record: WorktreeRecord,
  request: Request,
) => Promise<Result>

interface FinishOperations {
  merge: Work<{ squash?: boolean; message?: string | undefined }, Merged>
  update(git: RunGit, repository: Repository, record: WorktreeRecord): Promise<{ conflicts: string[] }>
  discard: Work<boolean, string | null>
  pullRequest: Work<{ title: string; body: string }, { url: string }>
}

const mergeMs = 120_000

/** Ways to end a worktree. None loses work that is nowhere else. */
export function finishOperations(env: NodeJS.ProcessEnv): FinishOperations {
  return { merge, update, discard, pullRequest }

  async function merge(
    git: RunGit,
    repository: Repository,
    record: WorktreeRecord,
    { squash = false, message }: { squash?: boolean; message?: string | undefined },
  ): Promise<Merged> {
    const { base, branch } = record
    if (base === undefined)
      throw new NamedError('NoBase', 'This worktree started from a commit, so there is no branch to merge it into.', {
        status: 409,
      })
    const place = await placeOf(git, repository, record)
    await commitAll(git, place, message ?? record.name)
    const target = await currentBase(git, repository, record)
    const head = await text(git, place, ['rev-parse', 'HEAD'])
    if ((await text(git, repository, ['merge-base', target, head])) === head) return { commit: target, base }
    const tree = await mergedTree(git, repository, target, head)
    const title = message ?? (squash ? record.name : `Merge branch '${branch}'`)
    const parents = squash ? [target] : [target, head]
    const commit = await text(git, repository, [
      'commit-tree',
      tree,
      ...parents.flatMap((parent) => ['-p', parent]),
      '-m',
      title,
    ])
    await moveBase(git, repository, { base, from: target, to: commit })
    return { commit, base }
  }

  async function update(git: RunGit, repository: Repository, record: WorktreeRecord): Promise<{ conflicts: string[] }> {
    const place = await placeOf(git, repository, record)
    await commitAll(git, place, record.name)
    const target = await currentBase(git, repository, record)
    await git(place, { args: ['merge', '--no-edit', '--quiet', target], accepts: [1], limitMs: mergeMs })
    const left = await text(git, place, ['diff', '--name-only', '-z', '--diff-filter=U', '--no-ext-diff'])
    return { conflicts: left.split('\0').filter(Boolean) }
  }

  async function discard(
    git: RunGit,
    repository: Repository,
    record: WorktreeRecord,
    force: boolean,
  ): Promise<string | null> {
    // The folder may be gone or broken. Its branch is not.
    const state = await readWorktreeState(git, repository, record).catch(() => missingState)
    const place = state.state === 'ready' ? await placeOf(git, repository, record) : undefined
    const commits = await ownCommits(git, place ?? repository, record, place !== undefined)
    const isUnsaved = state.uncommitted > 0 || commits > 0
    if (!force) {
      const losses = place === undefined ? nothing : await findLosses(git, place)
      if (isUnsaved || losses.isCut || losses.ignored.count > 0 || losses.repositories.count > 0)
        throw new NamedError(
          'WorktreeUnsaved',
          'This worktree has files or commits that exist nowhere else. Check them, then discard it with "force".',
          { status: 409, data: { uncommitted: state.uncommitted, ahead: commits, ...losses } },
        )
    }
    const kept = isUnsaved ? await keep(git, repository, place, record) : null
    // A folder that git does not know any more may hold files that are nowhere else, so it stays.
    if (place === undefined) await git(repository, { args: ['worktree', 'prune'] })
    else await git(repository, { args: ['worktree', 'remove', '--force', '--', record.path], limitMs: mergeMs })
    // Git keeps ignored folders that it cannot remove.
    if (place !== undefined) await rm(record.path, { recursive: true, force: true })
    await git(repository, { args: ['branch', '-D', '--quiet', '--', record.branch], accepts: [1] })
    return kept
  }

  async function pullRequest(
    git: RunGit,
    repository: Repository,
    record: WorktreeRecord,
    { title, body }: { title: string; body: string },
  ): Promise<{ url: string }> {
    const gh = findProgram('gh', env)
    const program = gh ?? findProgram('glab', env)
    if (program === undefined)
      throw new NamedError('NoForge', 'Install "gh" or "glab" to open pull requests from here.', { status: 409 })
    if (!repository.trusted)
      throw new NamedError('NotTrusted', 'Trust the folder first: this runs its git settings and sends code.', {
        status: 409,
      })
    const place = await placeOf(git, repository, record)
    await commitAll(git, place, title)
    const remote = await remoteOf(git, place)
    const refspec = `refs/heads/${record.branch}:refs/heads/${record.branch}`
    await git(place, { args: ['push', '--quiet', '--set-upstream', '--', remote, refspec], limitMs: 300_000 })
    const base = record.base === undefined ? [] : [gh === undefined ? '--target-branch' : '--base', record.base]
    const args =
      gh === undefined
        ? ['mr', 'create', '--yes', '--title', title, '--description', body, '--source-branch', record.branch, ...base]
        : ['pr', 'create', '--title', title, '--body', body, '--head', record.branch, ...base]
    const said = await runForge(program, args, place.root, env)
    const url = /https?:\/\/\S+/.exec(said)?.[0]
    if (url === undefined) throw new NamedError('ForgeFailed', said.trim().slice(0, 1000), { status: 502 })
    return { url }
  }
}

const nothing: Losses = {
  ignored: { count: 0, names: [] },
  repositories: { count: 0, names: [] },
  isCut: false,
}

/** Commits all changes of the worktree, with the person's name. */
async function commitAll(git: RunGit, place: GitPlace, message: string): Promise<void> {
  const changed = await text(git, place, ['status', '--porcelain=v1', '-z', '--untracked-files=all'])
  if (changed === '') return
  const conflicts = await text(git, place, ['diff', '--name-only', '-z', '--diff-filter=U', '--no-ext-diff'])
  if (conflicts !== '')
    throw new NamedError('MergeConflict', 'The worktree still has conflicts. Resolve them first.', {
      status: 409,
      data: { files: conflicts.split('\0').filter(Boolean) },
    })
  await stageAll(git, place, mergeMs)
  const { code } = await git(place, { args: ['diff', '--cached', '--quiet', '--no-ext-diff'], accepts: [1] })
  const isMerging = await git(place, { args: ['rev-parse', '--verify', '--quiet', 'MERGE_HEAD'], accepts: [1, 128] })
  if (code === 0 && isMerging.code !== 0) return
  await git(place, { args: ['commit', '--quiet', '-m', message], limitMs: mergeMs })
}

/** Merges in the object database only. Throws `MergeConflict`; no working tree is touched. */
async function mergedTree(git: RunGit, place: GitPlace, ours: string, theirs: string): Promise<string> {
  const args = ['merge-tree', '--write-tree', '--name-only', '-z', '--no-messages', ours, theirs]
  const { stdout, code } = await git(place, { args, accepts: [1], limitMs: mergeMs })
  const [tree = '', ...files] = stdout.toString('utf8').split('\0').filter(Boolean)
  if (code === 0) return tree
  throw new NamedError('MergeConflict', 'The base changed the same lines. Resolve the conflicts first.', {
    status: 409,
    data: { files: files.slice(0, 500) },
  })
}

/**
 * Moves the base branch forward, if it is still where it was. Where it is checked out, its files follow; git refuses if
 * that would overwrite changes there.
 */
async function moveBase(
  git: RunGit,
  repository: Repository,
  { base, from, to }: { base: string; from: string; to: string },
): Promise<void> {
  const listed = await text(git, repository, ['worktree', 'list', '--porcelain', '-z'])
  const holder = listed
    .split('\0\0')
    .map((entry) => entry.split('\0'))
    .find((lines) => lines.includes(`branch refs/heads/${base}`))
  const root = holder?.find((line) => line.startsWith('worktree '))?.slice('worktree '.length)
  if (root === undefined) {
    await git(repository, { args: ['update-ref', '-m', 'merge of a worktree', `refs/heads/${base}`, to, from] })
    return
  }
  const place = root === repository.root ? repository : { ...repository, root, gitDir: `${root}/.git` }
  await git(place, { args: ['merge', '--ff-only', '--quiet', to], limitMs: mergeMs })
}

/** Number of commits that only this worktree has, on its branch or where it is now. */
async function ownCommits(git: RunGit, place: GitPlace, { branch }: WorktreeRecord, hasHead: boolean): Promise<number> {
  const others = [`--exclude=${branch}`, '--branches', '--remotes', '--tags']
  const tips = [`refs/heads/${branch}`, ...(hasHead ? ['HEAD'] : [])]
  const { stdout, code } = await git(place, {
    args: ['rev-list', '--count', '--ignore-missing', ...tips, '--not', ...others],
    accepts: [128],
  })
  return code === 0 ? Number(stdout.toString('utf8').trim()) : 0
}

/** Keeps the branch, and what the worktree has beyond it, under a ref. Ignored files and inner repositories are lost. */
async function keep(
  git: RunGit,
  repository: Repository,
  place: GitPlace | undefined,
  { id, branch }: WorktreeRecord,
): Promise<string> {
  const ref = `refs/troupe/discarded/${id}`
  if (place === undefined) {
    await git(repository, { args: ['update-ref', ref, `refs/heads/${branch}`] })
    return ref
  }
  await stageAll(git, place, mergeMs)
  const tree = await text(git, place, ['write-tree'])
  // The branch is a parent, too: the worktree may be elsewhere.
  const parents = ['-p', 'HEAD', '-p', `refs/heads/${branch}`]
  const head = await text(git, place, ['rev-parse', 'HEAD'])
  const tip = await text(git, place, ['rev-parse', `refs/heads/${branch}`])
  const used = head === tip ? parents.slice(0, 2) : parents
  const commit = await text(git, place, ['commit-tree', tree, ...used, '-m', 'Discarded worktree'])
  await git(place, { args: ['update-ref', ref, commit] })
  return ref
}

async function remoteOf(git: RunGit, place: GitPlace): Promise<string> {
  const remotes = (await text(git, place, ['remote'])).split('\n').filter(Boolean)
  const remote = remotes.includes('origin') ? 'origin' : remotes[0]
  if (remote !== undefined) return remote
  throw new NamedError('NoRemote', 'This repository has no remote to push to.', { status: 409 })
}

const maxSaid = 16_384
const forgeMs = 120_000

/** The forge's own program signs in. It gets the person's environment without our keys. */
async function runForge(
  program: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const child = await queueStart(() =>
    startProcess(program, () =>
      spawn(program, args, {
        cwd,
        env: { ...childEnvironment(env), ...tokens(env), NO_COLOR: '1', GH_PROMPT_DISABLED: '1' },
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: forgeMs,
      }),
    ),
  )
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (data: string) => (said = (said + data).slice(0, maxSaid)))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  if (code === 0) return said
  throw new NamedError('ForgeFailed', said.trim().slice(0, 1000) || `The program ended with code ${code}.`, {
    status: 502,
  })
}

function tokens(env: NodeJS.ProcessEnv): Record<string, string> {
  const names = ['GH_TOKEN', 'GITHUB_TOKEN', 'GH_HOST', 'GITLAB_TOKEN', 'GITLAB_HOST']
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])))
}
