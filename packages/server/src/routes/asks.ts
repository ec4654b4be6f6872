import { answerRequestSchema, NamedError, type Store } from '@troupe/core'
import { z } from 'zod'
import type { Inbox } from '../inbox.ts'
import type { Live } from '../live.ts'
import { route, type Route } from '../route.ts'

export function askRoutes({
  store,
  inbox,
  live,
  workspaceId,
}: {
  store: Store
  inbox: Inbox
  live: Live
  workspaceId: string
}): Route[] {
  return [
    route({
      method: 'GET',
      path: '/ai/asks',
      summary: 'Open asks of every run of the workspace, or of one session.',
      query: z.object({ sessionId: z.string().max(64).optional() }),
      answers: { 200: '{asks}', 404: 'SessionNotFound' },
      async handle(c, { query }) {
        const { sessionId } = query
        if (sessionId !== undefined && !(await isOurs(sessionId)))
          throw new NamedError('SessionNotFound', 'There is no such session.', { status: 404 })
        const asks = await inbox.list(sessionId === undefined ? {} : { sessionId })
        const ours = await Promise.all(asks.map((ask) => isOurs(ask.sessionId)))
        return c.json({ asks: asks.filter((_, i) => ours[i]) })
      },
    }),
    route({
      method: 'POST',
      path: '/ai/asks/:id',
      summary: 'Answers an ask.',
      body: answerRequestSchema,
      answers: { 200: '{ask}', 404: 'AskNotFound', 409: 'AskClosed', 422: 'WrongAnswer' },
      async handle(c, { params, body }) {
        const ask = await store.asks.get(params['id'] as string)
        if (ask === undefined || !(await isOurs(ask.sessionId)))
          throw new NamedError('AskNotFound', 'There is no such ask.', { status: 404 })
        return c.json({ ask: await live.answer(ask.id, body.answer) })
      },
    }),
  ]

  async function isOurs(sessionId: string): Promise<boolean> {
    return (await store.sessions.get(sessionId))?.workspaceId === workspaceId
  }
}
