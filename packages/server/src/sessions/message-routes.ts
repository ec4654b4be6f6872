import { type Conversation, project, type Store } from '@troupe/core'
import { debugEndpoints, messageEndpoints, NamedError } from '@troupe/protocol'
import { pickAnswer } from '../chat/compare-models.ts'
import { implement, type Route } from '../http/route.ts'
import { findSession } from '../http/scope.ts'
import { firstPrompt } from '../runs/prepare-run.ts'
import type { RunManager } from '../runs/run-types.ts'
import type { RunServices } from '../runs/run-services.ts'
import { joinBlocks } from '../runs/system-prompt.ts'
import type { KeyedMutex } from '../util/concurrency.ts'

export function messageRoutes({ store, runs, lock }: { store: Store; runs: RunManager; lock: KeyedMutex }): Route[] {
  return implement(messageEndpoints, {
    'GET /ai/sessions/:id/messages': async ({ params, query: { leaf: through, before, limit, end }, workspaceId }) => {
      const { id: sessionId } = await findSession(store, params.id, workspaceId)
      const at = { sessionId }
      if (through) await assertMessage(store, at, through)
      const leaf = through && ((end === '1' ? undefined : await store.messages.latestLeaf(at, through)) ?? through)
      return store.messages.branch(at, { leaf: leaf || undefined, before: before || undefined, ...pageSize(limit) })
    },
    'GET /ai/sessions/:id/tree': async ({ params, workspaceId }) => {
      const { id: sessionId } = await findSession(store, params.id, workspaceId)
      return { messages: await store.messages.tree({ sessionId }) }
    },
    'GET /ai/sessions/:id/matches': async ({ params, query: { text = '', leaf }, workspaceId }) => {
      const { id: sessionId } = await findSession(store, params.id, workspaceId)
      return store.messages.matches({ sessionId }, { text, leaf: leaf || undefined })
    },
    'DELETE /ai/sessions/:id/messages/:messageId': async ({ params: { id, messageId }, workspaceId }) => {
      const { id: sessionId } = await findSession(store, id, workspaceId)
      await assertMessage(store, { sessionId }, messageId)
      const removal = await lock(sessionId, async () => {
        await stopRuns(sessionId, (chain, answerId) => answerId === messageId || chain.includes(messageId))
        return store.messages.takeOut({ sessionId }, { below: messageId })
      })
      return { deleted: removal.messageIds, removalId: removal.id }
    },
    'POST /ai/sessions/:id/keep': async ({ params, body: { messageId }, workspaceId }) => {
      const { id: sessionId } = await findSession(store, params.id, workspaceId)
      await assertMessage(store, { sessionId }, messageId)
      const removal = await lock(sessionId, async () => {
        await stopRuns(sessionId, (chain, answerId) => ![...chain, answerId].includes(messageId))
        return store.transaction(async (inside) =>
          inside.messages.takeOut({ sessionId }, { allBut: await newestThrough(inside, sessionId, messageId) }),
        )
      })
      return { deleted: removal.messageIds, removalId: removal.id }
    },
    'POST /ai/sessions/:id/pick': async ({ params, body: { messageId }, workspaceId }) => {
      const session = await findSession(store, params.id, workspaceId)
      return lock(session.id, () => pickAnswer(session, messageId, { store, runs }))
    },
    'POST /ai/sessions/:id/removals/:removalId/undo': async ({ params, workspaceId }) => {
      const { id: sessionId } = await findSession(store, params.id, workspaceId)
      return { restored: await lock(sessionId, () => store.messages.bringBack({ sessionId }, params.removalId)) }
    },
  })

  /** Returns the leaf of the newest branch through a message. A live run there will create it. */
  async function newestThrough(inside: Store, sessionId: string, messageId: string): Promise<string> {
    const run = runs.get(sessionId)
    if (run === undefined) return (await inside.messages.latestLeaf({ sessionId }, messageId)) ?? messageId
    const answer = await inside.messages.get({ sessionId }, run.messageId)
    return answer?.id ?? run.userMessageId
  }

  /** Stops the live runs for which `is` matches their chain of message ids and their answer id. */
  async function stopRuns(sessionId: string, is: (chain: string[], answerId: string) => boolean): Promise<void> {
    for (const run of runs.all(sessionId)) {
      const chain = await store.messages.chain({ sessionId }, run.userMessageId)
      const ids = chain.map((message) => message.id)
      if (is(ids, run.messageId)) await runs.stop(sessionId, run.messageId)
    }
  }
}

/** Throws `MessageNotFound` (404). */
export async function assertMessage(store: Store, at: Conversation, messageId: string): Promise<void> {
  if ((await store.messages.get(at, messageId)) === undefined)
    throw new NamedError('MessageNotFound', 'This message does not exist.', { status: 404 })
}

export function pageSize(limit: string | undefined): { limit?: number } {
  return limit === undefined ? {} : { limit: Math.max(1, Number(limit)) }
}

export function debugRoutes(options: { store: Store; session: RunServices['session'] }): Route[] {
  const { store } = options
  return implement(debugEndpoints, {
    'GET /ai/debug/:sessionId': async ({ params, query, workspaceId }) => {
      const session = await findSession(store, params.sessionId, workspaceId)
      const at = { sessionId: session.id }
      const leaf = query.messageId ?? (await store.messages.latestLeaf(at))
      if (leaf !== undefined) await assertMessage(store, at, leaf)
      const chain = leaf === undefined ? [] : await store.messages.chain(at, leaf)
      const answer = chain.findLast((message) => message.role === 'assistant')
      const question = chain.findLastIndex((message) => message.role === 'user')
      const own = await options.session(session)
      const { blocks } = await firstPrompt(own, await own.agent(session.agent ?? 'master'))
      const records = answer === undefined ? [] : await store.runs.ofMessage(session.id, answer.id)
      return {
        session,
        chain,
        projection: project(chain.slice(0, question + 1), joinBlocks(blocks)),
        runs: await Promise.all(records.map(async (run) => ({ ...run, frames: await store.frames.read(run.id) }))),
        strays: await store.messages.strays(at),
      }
    },
  })
}
