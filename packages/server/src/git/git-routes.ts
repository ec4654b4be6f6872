import path from 'node:path'
import type { Store } from '@troupe/core'
import { gitChangeEndpoints, gitEndpoints, type GitStatus, NamedError } from '@troupe/protocol'
import type { AgentStates } from '../agents/agent-states.ts'
import { personMark } from '../checkpoints/revert.ts'
import { implement, type Route } from '../http/route.ts'
import { findSession, findWorkspace } from '../http/scope.ts'
import type { Models } from '../models/models.ts'
import type { Spending } from '../usage/spending.ts'
import { createKeyedMutex } from '../util/concurrency.ts'
import { createBranch, listBranches, listStashes, popStash, pushStash, switchBranch } from './branches.ts'
import { commit, draftMessage } from './commit.ts'
import { discard } from './discard.ts'
import { readDiffs } from './git-diff.ts'
import { readStatus } from './git-status.ts'
import { findRepository, type Repository } from './repository.ts'
import type { FolderIsolation } from '../isolation/open-isolation.ts'
import { openGit, type RunGit } from './run-git.ts'
import { stage, unstage } from './stage.ts'

interface GitOptions {
  store: Store
  env: NodeJS.ProcessEnv
  folderIsolation?: FolderIsolation | undefined
}

/** Git of the workspace, for routes. */
export interface WorkspaceGit {
  status(workspaceId: string, signal?: AbortSignal): Promise<GitStatus>
  /** Undefined without git or a repository. */
  find(workspaceId: string): Promise<{ git: RunGit; repository: Repository } | undefined>
  /** Throws `NoRepository`. */
  open(workspaceId: string): Promise<{ git: RunGit; repository: Repository }>
}

export function openWorkspaceGit({ store, env, folderIsolation }: GitOptions): WorkspaceGit {
  let program: RunGit | undefined
  /** Git may be installed while the server runs. */
  const find = (): RunGit | undefined => (program ??= openGit(env, folderIsolation))
  return {
    async status(workspaceId, signal) {
      const git = find()
      if (git === undefined) return { state: 'absent' }
      const found = await findRepository(await findWorkspace(store, workspaceId))
      if (!('problem' in found)) return readStatus(git, found, { signal })
      return { state: found.problem, ...('gitDir' in found && { gitDir: found.gitDir }) }
    },
    async find(workspaceId) {
      const git = find()
      const repository = await findRepository(await findWorkspace(store, workspaceId))
      return git === undefined || 'problem' in repository ? undefined : { git, repository }
    },
    async open(workspaceId) {
      const git = find()
      if (git === undefined)
        throw new NamedError('NoRepository', 'Git is not installed on this machine.', { status: 409 })
      const repository = await findRepository(await findWorkspace(store, workspaceId))
      if (!('problem' in repository)) return { git, repository }
      throw new NamedError(
        'NoRepository',
        repository.problem === 'none'
          ? 'This folder is not in a git repository.'
          : 'The ".git" of this folder leads to another repository. Trust the folder to use it.',
        { status: 409 },
      )
    },
  }
}

interface GitRouteOptions extends GitOptions {
  states: Pick<AgentStates, 'undo' | 'forgetReads'>
  models: Pick<Models, 'resolveChatModel'>
  spending: Pick<Spending, 'guard'>
}

export function gitRoutes(options: GitRouteOptions): Route[] {
  const own = openWorkspaceGit(options)
  return [...readRoutes(own), ...changeRoutes(own, options)]
}

function readRoutes(own: WorkspaceGit): Route[] {
  return implement(gitEndpoints, {
    'GET /ai/git/status': ({ workspaceId }, c) => own.status(workspaceId, c.req.raw.signal),
    'POST /ai/git/diff': async ({ body, workspaceId }, c) => {
      const { git, repository } = await own.open(workspaceId)
      return readDiffs(git, repository, body, c.req.raw.signal)
    },
    'GET /ai/git/branches': async ({ workspaceId }) => {
      const found = await own.find(workspaceId)
      return found === undefined ? { branches: [], isCut: false } : listBranches(found.git, found.repository)
    },
    'GET /ai/git/stashes': async ({ workspaceId }) => {
      const found = await own.find(workspaceId)
      return { stashes: found === undefined ? [] : await listStashes(found.git, found.repository) }
    },
  })
}

function changeRoutes(own: WorkspaceGit, { store, states, models, spending }: GitRouteOptions): Route[] {
  /** Git refuses to write an index that another command writes. */
  const lock = createKeyedMutex()

  async function changing<T>(
    workspaceId: string,
    work: (git: RunGit, repository: Repository) => Promise<T>,
  ): Promise<{ value: T; status: GitStatus }> {
    const { git, repository } = await own.open(workspaceId)
    const value = await lock(repository.gitDir, () => work(git, repository))
    return { value, status: await own.status(workspaceId) }
  }

  return implement(gitChangeEndpoints, {
    'POST /ai/git/stage': async ({ body, workspaceId }) => {
      const { status } = await changing(workspaceId, (git, repository) => stage(git, repository, body.files))
      return { status }
    },
    'POST /ai/git/unstage': async ({ body, workspaceId }) => {
      const { status } = await changing(workspaceId, (git, repository) => unstage(git, repository, body.files))
      return { status }
    },
    'POST /ai/git/discard': async ({ body: { files, sessionId }, workspaceId }) => {
      if (sessionId !== undefined) await findSession(store, sessionId, workspaceId)
      const mark = personMark(sessionId ?? workspaceId)
      const { value, status } = await changing(workspaceId, async (git, repository) => {
        const outcome = await discard(git, repository, files, { journal: states.undo, mark })
        states.forgetReads(outcome.restored.map((file) => path.join(repository.folder, file)))
        return outcome
      })
      return { status, ...value, revertId: mark.toolCallId }
    },
    'POST /ai/git/commit': async ({ body, workspaceId }) => {
      const { value, status } = await changing(workspaceId, (git, repository) => commit(git, repository, body))
      return { status, ...value }
    },
    'POST /ai/git/message': async ({ body: { model }, workspaceId }, c) => {
      const { git, repository } = await own.open(workspaceId)
      const workspace = await findWorkspace(store, workspaceId)
      const { signal } = c.req.raw
      return { message: await draftMessage(git, repository, { model, workspace, signal }, { models, spending }) }
    },
    'POST /ai/git/branches': async ({ body, workspaceId }) => {
      const { status } = await changing(workspaceId, (git, repository) => createBranch(git, repository, body))
      return { status }
    },
    'POST /ai/git/switch': async ({ body, workspaceId }) => {
      const { status } = await changing(workspaceId, (git, repository) => switchBranch(git, repository, body.name))
      return { status }
    },
    'POST /ai/git/stashes': async ({ body, workspaceId }) => {
      const { status } = await changing(workspaceId, (git, repository) => pushStash(git, repository, body))
      return { status }
    },
    'POST /ai/git/stashes/pop': async ({ body, workspaceId }) => {
      const { status } = await changing(workspaceId, (git, repository) => popStash(git, repository, body.id))
      return { status }
    },
  })
}
