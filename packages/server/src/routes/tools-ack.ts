import { ackRequestSchema, type Answer, type Store } from '@troupe/core'
import { findSession } from '../find-session.ts'
import type { RunManager } from '../live.ts'
import { route, type Route } from '../route.ts'

export function toolAckRoutes({ store, live }: { store: Store; live: RunManager }): Route[] {
  return [
    route({
      method: 'POST',
      path: '/ai/tools/ack',
      summary:
        'A page says what became of something that a tool asked it to do; kept for 30 s when it comes too early.',
      body: ackRequestSchema,
      scoped: true,
      answers: {
        200: '{result: resolved | stored}',
        403: 'ForeignClient',
        404: 'SessionNotFound',
        409: 'AskClosed',
        413: 'AnswerTooLarge',
        429: 'TooManyAnswers',
      },
      async handle(c, { body, workspaceId }) {
        const { sessionId, toolCallId, clientId, status, output, errorText } = body
        await findSession(store, sessionId, workspaceId)
        const answer: Answer = {
          type: 'answers',
          answers: { status, ...(output !== undefined && { output }), ...(errorText !== undefined && { errorText }) },
        }
        return c.json({ result: await live.acknowledge({ sessionId, toolCallId, client: clientId, answer }) })
      },
    }),
  ]
}
