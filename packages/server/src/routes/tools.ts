import { getToolInfos, type Tool } from '@troupe/core'
import { route, type Route } from '../route.ts'

export function toolRoutes(options: {
  tools(): readonly Tool[]
  useTools(): readonly string[] | null | undefined
  problems(): { path: string; message: string }[]
}): Route[] {
  return [
    route({
      method: 'GET',
      path: '/ai/tools',
      summary: 'Every tool, whether it is enabled, and the files that could not be loaded.',
      answers: { 200: '{tools, problems}' },
      handle(c) {
        const tools = options.tools()
        const infos = getToolInfos(options.useTools(), tools)
        return c.json({
          tools: infos.map((info, i) => ({
            ...info,
            readOnly: tools[i]?.readOnly ?? false,
            group: tools[i]?.group ?? '',
          })),
          problems: options.problems(),
        })
      },
    }),
  ]
}
