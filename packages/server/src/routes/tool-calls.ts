import { idSchema, type Chunk, type Store, type Workspace } from '@troupe/core'
import { z } from 'zod'
import { sessionNotFound } from '../find-session.ts'
import type { CallTool } from '../mcp/call-tool.ts'
import { route, type Route } from '../route.ts'
import { streamResponse } from '../stream-response.ts'

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
        stream: z.boolean().optional().describe('data-tool-progress as it comes, then data-call-result'),
      }),
      gives: ['json', 'stream'],
      answers: {
        200: '{result: {state, output, text}}, or a stream that ends with it',
        404: 'ToolNotFound, SessionNotFound',
      },
      async handle(c, { params, body, workspaceId }) {
        const workspace = (await options.store.workspaces.get(workspaceId)) as Workspace
        const { input, sessionId, rules: given } = body
        const session = await options.store.sessions.get(sessionId)
        if (session !== undefined && session.workspaceId !== workspaceId) throw sessionNotFound(sessionId)
        const call = { tool: params['tool'] as string, input, sessionId, ...(given !== undefined && { rules: given }) }
        if (body.stream !== true) return c.json({ result: await options.callTool(call, workspace, c.req.raw.signal) })
        const gone = new AbortController()
        const early: Chunk[] = []
        let write = (chunk: Chunk): void => void early.push(chunk)
        const first = Promise.withResolvers<void>()
        const result = options.callTool(call, workspace, AbortSignal.any([c.req.raw.signal, gone.signal]), (chunk) => {
          if (chunk.type !== 'data-tool-progress') return
          write(chunk)
          first.resolve()
        })
        // What is wrong with the call itself is still an answer of its own.
        await Promise.race([result, first.promise])
        return streamResponse(c, (sink) => {
          write = (chunk) => void sink.write(`data: ${JSON.stringify(chunk)}\n\n`)
          for (const chunk of early) write(chunk)
          result.then(
            (data) => {
              write({ type: 'data-call-result', data } as never)
              sink.end()
            },
            (error: unknown) => {
              write({ type: 'error', errorText: (error as Error).message })
              sink.end()
            },
          )
          return () => gone.abort()
        })
      },
    }),
  ]
}
