import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Store, Workspace } from '@troupe/core'
import { NamedError, newId } from '@troupe/protocol'
import type { ConfigFile } from '../config/config.ts'
import { findRepository, type Repository } from '../git/repository.ts'
import { openGit, type RunGit } from '../git/run-git.ts'
import { createKeyedMutex } from '../util/concurrency.ts'
import type { Workspaces } from '../workspaces/open-workspaces.ts'
import { finishOperations, type Merged } from './finish-worktree.ts'
import { startSetup } from './run-setup.ts'
import { openWorktreeRecords, slugOf, type WorktreeRecord } from './worktree-records.ts'
import { missingState, readWorktreeState, type WorktreeState } from './worktree-state.ts'

export type WorktreeInfo = Omit<WorktreeRecord, 'parentId'> & WorktreeState

export interface NewWorktree {
  name?: string | undefined
  /** Branch or commit. Default: the current branch. */
  base?: string | undefined
}

/** Chats with a working tree of their own, each a folder in the home and a branch of the repository. */
export interface Worktrees {
  /** The folder that a worktree was made from, or else the folder itself. */
  parentOf(workspace: Workspace): Promise<Workspace>
  /** Ids of the workspaces of a folder's worktrees. */
  /** The workspace that it was made from, or itself. */
  parentId(workspaceId: string): string
  below(parentId: string): string[]
  /** Number of worktrees of a folder, or of the folder it was made from. */
  count(workspaceId: string): number
  list(parent: Workspace): Promise<WorktreeInfo[]>
  create(parent: Workspace, request: NewWorktree): Promise<WorktreeInfo>
  /** Commits everything, then merges it into its base. Throws `MergeConflict` with the files. */
  merge(parent: Workspace, id: string, request: { squash?: boolean; message?: string | undefined }): Promise<Merged>
  /** Merges the base into the worktree and leaves the conflicts there, for an agent to resolve. */
  update(parent: Workspace, id: string): Promise<{ conflicts: string[] }>
  /** Throws `WorktreeUnsaved` if work would be lost, unless `force` is set. A forced one is kept under `refs/troupe`. */
  discard(parent: Workspace, id: string, request: { force?: boolean }): Promise<{ kept: string | null }>
  pullRequest(parent: Workspace, id: string, request: { title: string; body: string }): Promise<{ url: string }>
  /** The command that prepares a new worktree, and one that would fit the folder. */
  setupOf(parent: Workspace): { command: string | null; asked: boolean; suggestion: string | null }
  setSetup(parent: Workspace, command: string | null): Promise<void>
  close(): Promise<void>
}

interface WorktreesOptions {
  home: string
  env: NodeJS.ProcessEnv
  store: Store
  config: ConfigFile
  workspaces: Pick<Workspaces, 'open' | 'load'>
  /** Several people use the server. */
  isTeam?: boolean
  /** True while a run of the workspace is live. */
  isBusy(workspaceId: string): Promise<boolean>
}

const maxWorktrees = 50

export function openWorktrees(options: WorktreesOptions): Worktrees {
  const { home, env, store, config, workspaces } = options
  const records = openWorktreeRecords(home)
  const lock = createKeyedMutex()
  const setups = new Map<string, { end(): Promise<void> }>()
  let program: RunGit | undefined
  const finishing = finishOperations(env)
  for (const record of records.list())
    if (record.setup?.state === 'running') records.save({ ...record, setup: { ...record.setup, state: 'interrupted' } })

  return {
    async parentOf(workspace) {
      const own = records.list().find(({ workspaceId }) => workspaceId === workspace.id)
      return (own === undefined ? undefined : await store.workspaces.get(own.parentId)) ?? workspace
    },
    parentId: (workspaceId) =>
      records.list().find((record) => record.workspaceId === workspaceId)?.parentId ?? workspaceId,
    below: (parentId) => records.list().flatMap((record) => (record.parentId === parentId ? [record.workspaceId] : [])),
    count(workspaceId) {
      const all = records.list()
      const parentId = all.find((one) => one.workspaceId === workspaceId)?.parentId ?? workspaceId
      return all.filter((one) => one.parentId === parentId).length
    },
    async list(parent) {
      const own = records.list().filter(({ parentId }) => parentId === parent.id)
      if (own.length === 0) return []
      const { git, repository } = await open(parent)
      const found = await Promise.all(
        own.map((record) => describe(git, repository, record).catch(() => broken(repository, record))),
      )
      return found.toSorted((one, other) => other.createdAt - one.createdAt)
    },
    create: (parent, request) => lock(parent.id, () => create(parent, request)),
    merge: (parent, id, request) =>
      locked(parent, id, (git, repository, record) => finishing.merge(git, repository, record, request)),
    update: (parent, id) => locked(parent, id, (git, repository, record) => finishing.update(git, repository, record)),
    discard: (parent, id, { force = false }) =>
      locked(parent, id, async (git, repository, record) => {
        if (await options.isBusy(record.workspaceId))
          throw new NamedError('WorktreeBusy', 'An agent is working in this worktree. Stop it first.', { status: 409 })
        await setups.get(id)?.end()
        const kept = await finishing.discard(git, repository, record, force)
        await forget(record)
        return { kept }
      }),
    pullRequest: (parent, id, request) =>
      locked(parent, id, (git, repository, record) => finishing.pullRequest(git, repository, record, request)),
    setupOf(parent) {
      const known = config.get().worktrees?.[parent.path]
      return { command: known?.setup ?? null, asked: known !== undefined, suggestion: suggestSetup(parent.path) }
    },
    async setSetup(parent, command) {
      if (command !== null) await open(parent)
      await config.update((now) => ({
        ...now,
        worktrees: { ...now.worktrees, [parent.path]: command === null ? {} : { setup: command } },
      }))
    },
    close: async () => void (await Promise.all([...setups.values()].map((setup) => setup.end()))),
  }

  async function create(parent: Workspace, { name = '', base }: NewWorktree): Promise<WorktreeInfo> {
    const { git, repository } = await open(parent)
    if (records.list().filter(({ parentId }) => parentId === parent.id).length >= maxWorktrees)
      throw new NamedError(
        'TooManyWorktrees',
        `This folder has ${maxWorktrees} worktrees. Merge or discard one of them first.`,
        { status: 409 },
      )
    const from = await findBase(git, repository, base)
    const slug = slugOf(name)
    const branch = `troupe/${slug}`
    const folder = path.join(records.folder, path.basename(repository.root).replace(/[^\w.-]+/g, '-'), slug)
    await git(repository, {
      args: ['worktree', 'add', '--quiet', '-b', branch, '--', folder, from.start],
      limitMs: 300_000,
    })
    try {
      const workspace = await workspaces.open(path.join(folder, repository.prefix))
      // The files come from the same repository, so the person's decision also applies here.
      if (parent.trusted) await store.workspaces.trust(workspace.id, true)
      await store.workspaces.setListed(workspace.id, true)
      workspaces.load({ ...workspace, trusted: parent.trusted })
      const record: WorktreeRecord = {
        id: newId('wt_'),
        parentId: parent.id,
        workspaceId: workspace.id,
        name: name === '' ? slug : name,
        path: folder,
        branch,
        start: from.start,
        createdAt: Date.now(),
        ...(from.base !== undefined && { base: from.base }),
      }
      records.save(record)
      prepare(parent, record)
      return await describe(git, repository, records.get(record.id) ?? record)
    } catch (error) {
      const made = records.list().find((one) => one.path === folder)
      if (made !== undefined) await forget(made)
      // The first error is the one to report.
      await git(repository, { args: ['worktree', 'remove', '--force', '--', folder] }).catch(() => undefined)
      await git(repository, { args: ['branch', '-D', '--', branch] }).catch(() => undefined)
      throw error
    }
  }

  async function forget({ id, workspaceId }: WorktreeRecord): Promise<void> {
    await setups.get(id)?.end()
    records.remove(id)
    await store.workspaces.trust(workspaceId, false)
    await store.workspaces.setListed(workspaceId, false)
  }

  /** Runs the folder's setup command in the background. Its state is part of the record. */
  function prepare(parent: Workspace, record: WorktreeRecord): void {
    const command = config.get().worktrees?.[parent.path]?.setup
    if (command === undefined) return
    const setup = startSetup({ command, cwd: record.path, env }, (run) => {
      const now = records.get(record.id)
      if (now !== undefined) records.save({ ...now, setup: run })
      if (run.state !== 'running') setups.delete(record.id)
    })
    setups.set(record.id, setup)
  }

  /** A worktree whose `.git` does not work any more. It can only be discarded. */
  function broken(repository: Repository, { parentId: _, ...facts }: WorktreeRecord): WorktreeInfo {
    return { ...facts, path: path.join(facts.path, repository.prefix), ...missingState }
  }

  async function describe(git: RunGit, repository: Repository, record: WorktreeRecord): Promise<WorktreeInfo> {
    const { parentId: _, ...facts } = record
    return {
      ...facts,
      path: path.join(record.path, repository.prefix),
      ...(await readWorktreeState(git, repository, record)),
    }
  }

  function locked<Result>(
    parent: Workspace,
    id: string,
    work: (git: RunGit, repository: Repository, record: WorktreeRecord) => Promise<Result>,
  ): Promise<Result> {
    return lock(parent.id, async () => {
      const record = records.get(id)
      if (record === undefined || record.parentId !== parent.id)
        throw new NamedError('WorktreeNotFound', 'This worktree does not exist.', { status: 404 })
      const { git, repository } = await open(parent)
      return work(git, repository, record)
    })
  }

  async function open(parent: Workspace): Promise<{ git: RunGit; repository: Repository }> {
    // They are outside of the folder that its members share.
    if (options.isTeam === true)
      throw new NamedError('NotForTeams', 'Worktrees are not available on a team server.', { status: 409 })
    // Checking out runs filters, and merging runs hooks, that the repository chooses.
    if (!parent.trusted)
      throw new NamedError('NeedsTrust', 'Worktrees run programs of the repository. Trust the folder first.', {
        status: 409,
      })
    const git = (program ??= openGit(env))
    const repository = git === undefined ? undefined : await findRepository(parent)
    if (git !== undefined && repository !== undefined && !('problem' in repository)) return { git, repository }
    throw new NamedError('NoRepository', 'Worktrees need git and a folder in a git repository.', { status: 409 })
  }
}

/** A branch can be merged back into, a commit cannot. */
async function findBase(
  git: RunGit,
  repository: Repository,
  named: string | undefined,
): Promise<{ start: string; base?: string }> {
  const resolve = async (revision: string): Promise<string | undefined> => {
    const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`]
    const { stdout, code } = await git(repository, { args, accepts: [1, 128] })
    return code === 0 ? stdout.toString('utf8').trim() : undefined
  }
  const { stdout, code } = await git(repository, {
    args: ['symbolic-ref', '--quiet', '--short', 'HEAD'],
    accepts: [1, 128],
  })
  const current = code === 0 ? stdout.toString('utf8').trim() : undefined
  const wanted = named ?? current
  const ofBranch = wanted === undefined ? undefined : await resolve(`refs/heads/${wanted}`)
  if (ofBranch !== undefined) return { start: ofBranch, base: wanted as string }
  const start = await resolve(named ?? 'HEAD')
  if (start !== undefined) return { start }
  throw named === undefined
    ? new NamedError('NoCommit', 'This repository has no commit yet. Commit something first.', { status: 409 })
    : new NamedError('BadBase', `There is no branch or commit "${named}".`)
}

const lockfiles: readonly (readonly [file: string, command: string])[] = [
  ['package-lock.json', 'npm ci'],
  ['pnpm-lock.yaml', 'pnpm install --frozen-lockfile'],
  ['yarn.lock', 'yarn install --immutable'],
  ['bun.lock', 'bun install --frozen-lockfile'],
  ['uv.lock', 'uv sync'],
  ['poetry.lock', 'poetry install'],
  ['Gemfile.lock', 'bundle install'],
]

function suggestSetup(folder: string): string | null {
  return lockfiles.find(([file]) => existsSync(path.join(folder, file)))?.[1] ?? null
}
