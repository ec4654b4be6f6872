import type { Store, Workspace } from '@troupe/core'
import type { WorkspaceHooks } from '../open-hooks.ts'
import { route, type Route } from '../route.ts'

export function hookRoutes(options: { store: Store; hooks: WorkspaceHooks }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/ai/hooks',
      summary: 'Every hook that has a word in what runs here, and the files that are none.',
      scoped: true,
      answers: { 200: '{hooks: [{event, source, scope, match?, command?, timeoutMs}], problems: [{path, message}]}' },
      async handle(c, { workspaceId }) {
        const workspace = (await options.store.workspaces.get(workspaceId)) as Workspace
        return c.json({ hooks: options.hooks.list(workspace), problems: options.hooks.problems(workspace) })
      },
    }),
  ]
}
