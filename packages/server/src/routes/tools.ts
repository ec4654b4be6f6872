import { getToolInfos, type Store, type Tool, type Workspace } from '@troupe/core'
import type { Problem } from '../open-tools.ts'
import { route, type Route } from '../route.ts'

export function toolRoutes(options: {
  tools: (workspaceId: string) => readonly Tool[]
  useTools: () => readonly string[] | null | undefined
  problems: (workspace: Workspace) => Problem[]
  store: Store
}): Route[] {
  return [
    route({
      method: 'GET',
      path: '/ai/tools',
      summary: 'Every tool, whether it is enabled, and the files that could not be loaded.',
      scoped: true,
      answers: { 200: '{tools, problems}' },
      async handle(c, { workspaceId }) {
        const tools = options.tools(workspaceId)
        const infos = getToolInfos(options.useTools(), tools)
        return c.json({
          tools: infos.map((info, i) => ({
            ...info,
            readOnly: tools[i]?.readOnly ?? false,
            group: tools[i]?.group ?? '',
          })),
          problems: options.problems((await options.store.workspaces.get(workspaceId)) as Workspace),
        })
      },
    }),
  ]
}
