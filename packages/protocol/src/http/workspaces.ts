import { z } from 'zod'
import { endpoints } from './endpoint.ts'

const workspaceSchema = z.object({
  id: z.string(),
  path: z.string(),
  trusted: z.boolean(),
  createdAt: z.number(),
})

export const workspaceEndpoints = endpoints({
  'GET /ai/workspace': {
    summary: "Returns the server's folder, or the one that a program names, and whether it is trusted.",
    query: z.object({ path: z.string().max(4096).optional() }),
    scoped: true,
    answers: { 200: z.object({ workspace: workspaceSchema }), 400: 'BadWorkspace' },
  },
  'PATCH /ai/workspace': {
    summary:
      'Trusts the folder, or stops trusting it. In a trusted folder its own tools, agents, rules, hooks, skills, commands and notes take effect, and its MCP servers can be trusted.',
    body: z.strictObject({ trusted: z.boolean() }),
    scoped: true,
    answers: { 200: z.object({ workspace: workspaceSchema }) },
  },
})
