import type { Store, Workspace } from '@troupe/core'
import { z } from 'zod'
import type { OpenWorkspace } from '../open-workspace.ts'
import { route, type Route } from '../route.ts'

export function workspaceRoutes(options: {
  store: Store
  openWorkspace: OpenWorkspace
  onTrust: (workspace: Workspace) => void
}): Route[] {
  const { store, openWorkspace, onTrust } = options
  return [
    route({
      method: 'GET',
      path: '/ai/workspace',
      summary: 'The folder that this server works in, or the one that a program names, and whether it is trusted.',
      query: z.object({ path: z.string().max(4096).optional() }),
      scoped: true,
      answers: { 200: '{workspace}', 400: 'BadWorkspace' },
      async handle(c, { query, workspaceId }) {
        const { path } = query
        return c.json({
          workspace: path === undefined ? await store.workspaces.get(workspaceId) : await openWorkspace(c, path),
        })
      },
    }),
    route({
      method: 'PATCH',
      path: '/ai/workspace',
      summary:
        'Trusts the folder: its own tools, agents, rules, hooks, skills, commands and notes take effect, and its MCP servers can be trusted.',
      body: z.strictObject({ trusted: z.boolean() }),
      scoped: true,
      answers: { 200: '{workspace}' },
      async handle(c, { body, workspaceId }) {
        await store.workspaces.trust(workspaceId, body.trusted)
        const workspace = await store.workspaces.get(workspaceId)
        if (workspace !== undefined) onTrust(workspace)
        return c.json({ workspace })
      },
    }),
  ]
}
