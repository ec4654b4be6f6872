import type { Store, Workspace } from '@troupe/core'
import { z } from 'zod'
import { route, type Route } from '../route.ts'

export function workspaceRoutes(options: {
  store: Store
  workspace(): Promise<Workspace>
  onTrust(): Promise<void>
}): Route[] {
  return [
    route({
      method: 'GET',
      path: '/ai/workspace',
      summary: 'The folder that this server works in, and whether what it brings may take effect.',
      answers: { 200: '{workspace}' },
      handle: async (c) => c.json({ workspace: await options.workspace() }),
    }),
    route({
      method: 'PATCH',
      path: '/ai/workspace',
      summary: 'Trusts the folder: its own tools are loaded.',
      body: z.strictObject({ trusted: z.boolean() }),
      answers: { 200: '{workspace}' },
      async handle(c, { body }) {
        const { id } = await options.workspace()
        await options.store.workspaces.trust(id, body.trusted)
        await options.onTrust()
        return c.json({ workspace: await options.workspace() })
      },
    }),
  ]
}
