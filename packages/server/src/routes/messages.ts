import { NamedError, type Store } from '@troupe/core'
import { z } from 'zod'
import { findSession } from '../find-session.ts'
import { forkSession } from '../fork-session.ts'
import type { KeyedMutex } from '../in-turn.ts'
import type { RunManager } from '../live.ts'
import { route, type Route } from '../route.ts'

const id = z.string().min(1).max(64)

/** What is done to the messages of a session as a whole: its tree, looking for words in it, taking out and bringing back. */
export function messageRoutes({
  store,
  live,
  inTurn,
}: {
  store: Store
  live: RunManager
  inTurn: KeyedMutex
}): Route[] {
  return [
    route({
      method: 'GET',
      path: '/ai/sessions/:id/tree',
      summary: 'Every message of a session in little: parent, role, first words, model, tokens, price.',
      scoped: true,
      answers: { 200: '{messages}', 404: 'SessionNotFound' },
      async handle(c, { params, workspaceId }) {
        const { id: sessionId } = await findSession(store, params['id'], workspaceId)
        return c.json({ messages: await store.messages.tree({ sessionId }) })
      },
    }),
    route({
      method: 'GET',
      path: '/ai/sessions/:id/matches',
      summary: 'Messages of a session that hold a text: first those of the branch that ?leaf ends, in its order.',
      query: z.object({ text: z.string().max(500).optional(), leaf: id.optional() }),
      scoped: true,
      answers: { 200: '{matches, isCut}', 404: 'SessionNotFound' },
      async handle(c, { params, query, workspaceId }) {
        const { id: sessionId } = await findSession(store, params['id'], workspaceId)
        const { text = '', leaf } = query
        return c.json(await store.messages.matches({ sessionId }, { text, ...(leaf && { leaf }) }))
      },
    }),
    route({
      method: 'DELETE',
      path: '/ai/sessions/:id/messages/:messageId',
      summary:
        'Deletes a message and everything below it; a live run inside is stopped first. It can be undone for a day.',
      scoped: true,
      answers: { 200: '{deleted, removalId}', 404: 'SessionNotFound, MessageNotFound' },
      async handle(c, { params, workspaceId }) {
        const { id: sessionId } = await findSession(store, params['id'], workspaceId)
        const messageId = params['messageId'] as string
        await mustExist(sessionId, messageId)
        const removal = await inTurn(sessionId, async () => {
          await stopRun(sessionId, (chain, answerId) => answerId === messageId || chain.includes(messageId))
          return store.messages.takeOut({ sessionId }, { below: messageId })
        })
        return c.json({ deleted: removal.messageIds, removalId: removal.id })
      },
    }),
    route({
      method: 'POST',
      path: '/ai/sessions/:id/keep',
      summary:
        'Deletes every branch but the newest through this message; a live run elsewhere is stopped first. It can be undone for a day.',
      body: z.strictObject({ messageId: id }),
      scoped: true,
      answers: { 200: '{deleted, removalId}', 404: 'SessionNotFound, MessageNotFound' },
      async handle(c, { params, body, workspaceId }) {
        const { id: sessionId } = await findSession(store, params['id'], workspaceId)
        await mustExist(sessionId, body.messageId)
        const removal = await inTurn(sessionId, async () => {
          await stopRun(sessionId, (chain, answerId) => ![...chain, answerId].includes(body.messageId))
          return store.transaction(async (inside) =>
            inside.messages.takeOut({ sessionId }, { allBut: await newestThrough(inside, sessionId, body.messageId) }),
          )
        })
        return c.json({ deleted: removal.messageIds, removalId: removal.id })
      },
    }),
    route({
      method: 'POST',
      path: '/ai/sessions/:id/fork',
      summary: 'A session of its own that begins as this one did, up to this message.',
      body: z.strictObject({ messageId: id }),
      scoped: true,
      answers: { 201: '{session}', 404: 'SessionNotFound, MessageNotFound', 409: 'SessionBusy' },
      async handle(c, { params, body, workspaceId }) {
        const from = await findSession(store, params['id'], workspaceId)
        await mustExist(from.id, body.messageId)
        if (live.get(from.id)?.messageId === body.messageId)
          throw new NamedError('SessionBusy', 'This answer is still being written.', { status: 409 })
        return c.json({ session: await forkSession(store, from, body.messageId) }, 201)
      },
    }),
    route({
      method: 'POST',
      path: '/ai/sessions/:id/removals/:removalId/undo',
      summary: 'Brings back what was deleted.',
      scoped: true,
      answers: {
        200: '{restored}',
        404: 'SessionNotFound, RemovalNotFound',
        409: 'ParentGone, MessageExists',
      },
      async handle(c, { params, workspaceId }) {
        const { id: sessionId } = await findSession(store, params['id'], workspaceId)
        const removalId = params['removalId'] as string
        return c.json({ restored: await inTurn(sessionId, () => store.messages.bringBack({ sessionId }, removalId)) })
      },
    }),
  ]

  async function mustExist(sessionId: string, messageId: string): Promise<void> {
    if ((await store.messages.get({ sessionId }, messageId)) === undefined)
      throw new NamedError('MessageNotFound', 'There is no such message.', { status: 404 })
  }

  /** The end of the newest branch through a message. A run that is still going on there will make it. */
  async function newestThrough(inside: Store, sessionId: string, messageId: string): Promise<string> {
    const run = live.get(sessionId)
    if (run === undefined) return (await inside.messages.latestLeaf({ sessionId }, messageId)) ?? messageId
    const answer = await inside.messages.get({ sessionId }, run.messageId)
    return answer?.id ?? run.userMessageId
  }

  /** Stops the live run if it is one of those: told by the ids down to what it answers, and that of its answer. */
  async function stopRun(sessionId: string, is: (chain: string[], answerId: string) => boolean): Promise<void> {
    const run = live.get(sessionId)
    if (run === undefined) return
    const chain = await store.messages.chain({ sessionId }, run.userMessageId)
    const ids = chain.map((message) => message.id)
    if (is(ids, run.messageId)) await live.stop(sessionId)
  }
}
