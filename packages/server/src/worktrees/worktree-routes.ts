import { findProgram, type Store } from '@troupe/core'
import { worktreeEndpoints } from '@troupe/protocol'
import { implement, type Route } from '../http/route.ts'
import { findWorkspace } from '../http/scope.ts'
import type { Worktrees } from './open-worktrees.ts'

export function worktreeRoutes(options: { store: Store; worktrees: Worktrees; env: NodeJS.ProcessEnv }): Route[] {
  const { store, worktrees, env } = options
  // A request from a worktree is about its siblings.
  const parent = async (workspaceId: string) => worktrees.parentOf(await findWorkspace(store, workspaceId))
  return implement(worktreeEndpoints, {
    'GET /ai/worktrees': async ({ workspaceId }) => {
      const folder = await parent(workspaceId)
      const forge = (findProgram('gh', env) ?? findProgram('glab', env)) !== undefined
      return {
        worktrees: await worktrees.list(folder),
        parent: { workspaceId: folder.id, path: folder.path },
        setup: worktrees.setupOf(folder),
        forge,
      }
    },
    'POST /ai/worktrees': async ({ body, workspaceId }) => ({
      worktree: await worktrees.create(await parent(workspaceId), body),
    }),
    'PUT /ai/worktrees/setup': async ({ body, workspaceId }) => {
      await worktrees.setSetup(await parent(workspaceId), body.command)
      return { ok: true }
    },
    'POST /ai/worktrees/:id/merge': async ({ params, body, workspaceId }) =>
      worktrees.merge(await parent(workspaceId), params.id, body),
    'POST /ai/worktrees/:id/update': async ({ params, workspaceId }) =>
      worktrees.update(await parent(workspaceId), params.id),
    'POST /ai/worktrees/:id/discard': async ({ params, body, workspaceId }) =>
      worktrees.discard(await parent(workspaceId), params.id, body),
    'POST /ai/worktrees/:id/pull-request': async ({ params, body, workspaceId }) =>
      worktrees.pullRequest(await parent(workspaceId), params.id, body),
  })
}
