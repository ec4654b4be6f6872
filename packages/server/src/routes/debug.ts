import { NamedError, project, type Session, type Store } from '@troupe/core'
import { z } from 'zod'
import { findSession } from '../find-session.ts'
import { route, type Route } from '../route.ts'

export function debugRoutes(options: { store: Store; instructions: (session: Session) => Promise<string> }): Route[] {
  const { store } = options
  return [
    route({
      method: 'GET',
      path: '/ai/debug/:sessionId',
      summary: 'The chain up to a message, what the model was sent to answer it, and the log of the run that did.',
      query: z.object({ messageId: z.string().max(64).optional() }),
      scoped: true,
      answers: { 200: '{session, chain, projection, runs}', 404: 'SessionNotFound, MessageNotFound' },
      async handle(c, { params, query, workspaceId }) {
        const session = await findSession(store, params['sessionId'], workspaceId)
        const at = { sessionId: session.id }
        const leaf = query['messageId'] ?? (await store.messages.latestLeaf(at))
        if (leaf !== undefined && (await store.messages.get(at, leaf)) === undefined)
          throw new NamedError('MessageNotFound', 'There is no such message.', { status: 404 })
        const chain = leaf === undefined ? [] : await store.messages.chain(at, leaf)
        const answer = chain.findLast((message) => message.role === 'assistant')
        const question = chain.findLastIndex((message) => message.role === 'user')
        const records = answer === undefined ? [] : await store.runs.ofMessage(session.id, answer.id)
        const runs = await Promise.all(
          records.map(async (run) => ({ ...run, frames: await store.frames.read(run.id) })),
        )
        return c.json({
          session,
          chain,
          projection: project(chain.slice(0, question + 1), await options.instructions(session)),
          runs,
          strays: await store.messages.strays(at),
        })
      },
    }),
  ]
}
