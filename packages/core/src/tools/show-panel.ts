import { z } from 'zod'
import { askPage, timeoutSec } from '../page/ask-page.ts'
import { defineTool } from '../tool.ts'

export default defineTool({
  description: `Shows the person something in a panel beside the chat: a file of the workspace, its preview (HTML, SVG, Markdown, CSV, XLSX, Mermaid), the live output of a background command, or the conversation of an agent. It is for the person to see; you learn nothing from it.`,
  input: z.object({
    kind: z.enum(['file', 'preview', 'terminal', 'agent']),
    target: z
      .string()
      .min(1)
      .max(2000)
      .describe('The path of the file, the id of the background command or terminal, or the id of the agent'),
    line: z.int().positive().describe('Of a file: the line to show').optional(),
    title: z.string().max(200).optional(),
    timeoutSec,
  }),
  readOnly: true,
  group: 'page',
  pageAction: 'show-panel',
  title: ({ kind, target }) => `Show ${kind} ${target}`,
  execute({ timeoutSec: seconds, ...input }, ctx) {
    const { agentId } = ctx.agent
    const request = {
      action: 'show-panel',
      // A background command belongs to the agent that started it.
      input: { ...input, ...(agentId !== undefined && { agentId }) },
      title: `Show ${input.kind} ${input.target}`,
      timeoutSec: seconds,
    }
    return askPage(ctx, request, z.object({ viewKey: z.string().max(4000), inSight: z.boolean().optional() }))
  },
  toModel: ({ viewKey, inSight }) =>
    `The panel ${viewKey} is open.${inSight === false ? ' The person is looking at something else, and finds it there.' : ''}`,
  display: (_, { kind, target }) => ({ title: 'Showed a panel', summary: `${kind} ${target}` }),
})
