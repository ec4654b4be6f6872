import { answerRequestSchema, askListSchema, NamedError, type Store } from '@troupe/core'
import { z } from 'zod'
import { findSession } from '../find-session.ts'
import type { Inbox } from '../inbox.ts'
import type { AskAnswers } from '../permission/answers.ts'
import { answer, route, type Route } from '../route.ts'

export function askRoutes({ store, inbox, answers }: { store: Store; inbox: Inbox; answers: AskAnswers }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/ai/asks',
      summary: 'Open asks of every run of the workspace, or of one session.',
      query: z.object({ sessionId: z.string().max(64).optional() }),
      scoped: true,
      answers: { 200: askListSchema, 404: 'SessionNotFound' },
      async handle(c, { query, workspaceId }) {
        const { sessionId } = query
        if (sessionId !== undefined) await findSession(store, sessionId, workspaceId)
        const asks = await inbox.list(sessionId === undefined ? {} : { sessionId })
        const ours = await Promise.all(asks.map((ask) => isIn(workspaceId, ask.sessionId)))
        return answer(c, askListSchema, { asks: asks.filter((_, i) => ours[i]) })
      },
    }),
    route({
      method: 'POST',
      path: '/ai/asks/:id',
      summary: 'Answers an ask. What is remembered with it also answers the open asks that it covers.',
      body: answerRequestSchema,
      scoped: true,
      answers: {
        200: '{ask, settled}',
        403: 'ForeignClient',
        404: 'AskNotFound',
        409: 'AskClosed',
        422: 'WrongAnswer, WrongInput, NothingToRemember',
      },
      async handle(c, { params, body, workspaceId }) {
        const ask = await inbox.find(params['id'] as string)
        if (ask === undefined || !(await isIn(workspaceId, ask.sessionId)))
          throw new NamedError('AskNotFound', 'There is no such ask.', { status: 404 })
        const { answer, clientId } = body
        return c.json(await answers.answer(ask, answer, clientId))
      },
    }),
  ]

  async function isIn(workspaceId: string, sessionId: string): Promise<boolean> {
    return (await store.sessions.get(sessionId))?.workspaceId === workspaceId
  }
}
