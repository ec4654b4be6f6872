import { z } from 'zod'
import { buildTools, getToolInfos, type Store, type Tool, type Workspace } from '@troupe/core'
import type { LoadProblem } from '../open-tools.ts'
import { route, type Route } from '../route.ts'

export function toolRoutes(options: {
  tools: (workspaceId: string) => readonly Tool[]
  useTools: () => readonly string[] | null | undefined
  problems: (workspace: Workspace) => LoadProblem[]
  store: Store
}): Route[] {
  return [
    route({
      method: 'GET',
      path: '/ai/tools',
      summary: 'Every tool, whether it is enabled, and the files that could not be loaded.',
      query: z.object({ schemas: z.enum(['1']).optional() }),
      scoped: true,
      answers: { 200: '{tools, problems}' },
      async handle(c, { query, workspaceId }) {
        const tools = options.tools(workspaceId)
        const infos = getToolInfos(options.useTools(), tools)
        return c.json({
          tools: infos.map((info, i) => ({
            ...info,
            readOnly: tools[i]?.readOnly ?? false,
            group: tools[i]?.group ?? '',
            ...(query['schemas'] === '1' && { inputSchema: buildTools([tools[i] as Tool])[0]?.inputSchema }),
          })),
          problems: options.problems((await options.store.workspaces.get(workspaceId)) as Workspace),
        })
      },
    }),
  ]
}
