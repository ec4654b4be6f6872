import path from 'node:path'
import { isInside, type Store } from '@troupe/core'
import { codeEndpoints, NamedError } from '@troupe/protocol'
import { implement, type Route } from '../http/route.ts'
import { findWorkspace } from '../http/scope.ts'
import type { Lsp } from './open-lsp.ts'

export function lspRoutes({ lsp, store }: { lsp: Lsp; store: Store }): Route[] {
  return implement(codeEndpoints, {
    'GET /ai/language-servers': async ({ workspaceId }) => ({
      servers: lsp.states(await findWorkspace(store, workspaceId)),
    }),
    'POST /ai/language-servers/problems': async ({ body, workspaceId }) => {
      const workspace = await findWorkspace(store, workspaceId)
      const file = path.resolve(workspace.path, body.path)
      if (!isInside(file, workspace.path)) throw new NamedError('BadRequest', 'The file is outside the folder.')
      return { problems: (await lsp.problems(workspace, file, body.text).catch(() => undefined)) ?? null }
    },
  })
}
