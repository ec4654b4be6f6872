import type { Store } from '@troupe/core'
import { gitEndpoints, type GitStatus, NamedError } from '@troupe/protocol'
import { implement, type Route } from '../http/route.ts'
import { findWorkspace } from '../http/scope.ts'
import { listBranches, listStashes } from './branches.ts'
import { readDiffs } from './git-diff.ts'
import { readStatus } from './git-status.ts'
import { findRepository, type Repository } from './repository.ts'
import { openGit, type RunGit } from './run-git.ts'

interface GitOptions {
  store: Store
  env: NodeJS.ProcessEnv
}

/** Git of the workspace, for routes. */
export interface WorkspaceGit {
  status(workspaceId: string, signal?: AbortSignal): Promise<GitStatus>
  /** Undefined without git or a repository. */
  find(workspaceId: string): Promise<{ git: RunGit; repository: Repository } | undefined>
  /** Throws `NoRepository`. */
  open(workspaceId: string): Promise<{ git: RunGit; repository: Repository }>
}

export function openWorkspaceGit({ store, env }: GitOptions): WorkspaceGit {
  let program: RunGit | undefined
  /** Git may be installed while the server runs. */
  const find = (): RunGit | undefined => (program ??= openGit(env))
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

export function gitRoutes(options: GitOptions): Route[] {
  const own = openWorkspaceGit(options)
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
