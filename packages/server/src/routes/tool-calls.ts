import { idSchema, type Store, type Workspace } from '@troupe/core'
import { z } from 'zod'
import type { CallTool } from '../mcp/call-tool.ts'
import { route, type Route } from '../route.ts'

const rules = z.array(z.string().min(1).max(2000)).max(1000).optional()

export function toolCallRoutes(options: { callTool: CallTool; store: Store }): Route[] {
  return [
    route({
      method: 'POST',
      path: '/ai/tools/:tool/call',
      summary: 'Runs one call of a tool without a model, under the rules. Nobody is asked: what would ask is denied.',
      scoped: true,
      body: z.strictObject({
        input: z.unknown(),
        sessionId: idSchema.describe('calls of one id share a working directory and what they have read'),
        rules: z.strictObject({ allow: rules, ask: rules, deny: rules }).optional(),
      }),
      answers: { 200: '{result: {state, output, text}}', 404: 'ToolNotFound' },
      async handle(c, { params, body, workspaceId }) {
        const workspace = (await options.store.workspaces.get(workspaceId)) as Workspace
        const { input, sessionId, rules: given } = body
        const call = { tool: params['tool'] as string, input, sessionId, ...(given !== undefined && { rules: given }) }
        return c.json({ result: await options.callTool(call, workspace, c.req.raw.signal) })
      },
    }),
  ]
}
