import { project, type Session, type Store } from '@troupe/core'
import { NamedError, newId } from '@troupe/protocol'
import { z } from 'zod'
import { route, type Route } from '../http/route.ts'
import { findSession } from '../http/scope.ts'
import type { RunManager } from '../runs/run-manager.ts'
import type { KeyedMutex } from '../util/concurrency.ts'

const id = z.string().min(1).max(64)

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

  /** Returns the leaf of the newest branch through a message. A live run there will create it. */
  async function newestThrough(inside: Store, sessionId: string, messageId: string): Promise<string> {
    const run = live.get(sessionId)
    if (run === undefined) return (await inside.messages.latestLeaf({ sessionId }, messageId)) ?? messageId
    const answer = await inside.messages.get({ sessionId }, run.messageId)
    return answer?.id ?? run.userMessageId
  }

  /** Stops the live run if `is` matches its chain of message ids and its answer id. */
  async function stopRun(sessionId: string, is: (chain: string[], answerId: string) => boolean): Promise<void> {
    const run = live.get(sessionId)
    if (run === undefined) return
    const chain = await store.messages.chain({ sessionId }, run.userMessageId)
    const ids = chain.map((message) => message.id)
    if (is(ids, run.messageId)) await live.stop(sessionId)
  }
}

/** Creates a session with the messages up to this one. Run state, such as active agents, is not copied. */
function forkSession(store: Store, from: Session, messageId: string): Promise<Session> {
  const { workspaceId, title, model, agent, folderId, params } = from
  // Bypass mode was granted to that session only.
  const mode = from.mode === 'bypass' ? 'default' : from.mode
  const id = newId('ses_')
  return store.transaction(async (inside) => {
    const messages = await inside.messages.chain({ sessionId: from.id }, messageId)
    await inside.sessions.create({ id, workspaceId })
    for (const message of messages) await inside.messages.add({ sessionId: id }, message)
    return inside.sessions.update(id, { title, model, agent, mode, folderId, ...(params && { params }) })
  })
}

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
