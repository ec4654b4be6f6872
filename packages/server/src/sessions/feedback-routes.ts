import type { RatedMessage, Store } from '@troupe/core'
import {
  type Feedback,
  feedbackEndpoints,
  feedbackReasons,
  type ListedFeedback,
  NamedError,
  type StoredMessage,
} from '@troupe/protocol'
import { viewerOf } from '../http/principal.ts'
import { implement, type Route } from '../http/route.ts'
import { findSession } from '../http/scope.ts'
import type { RunManager } from '../runs/run-types.ts'
import type { KeyedMutex } from '../util/concurrency.ts'
import { pageSize } from './message-routes.ts'

/** Ratings of answers. They are stored in the answer's metadata, which no provider gets, and are exported with it. */
export function feedbackRoutes({ store, runs, lock }: { store: Store; runs: RunManager; lock: KeyedMutex }): Route[] {
  return implement(feedbackEndpoints, {
    'GET /ai/feedback': async ({ principal, query: { rating, sessionId, cursor, limit }, workspaceId }) => {
      if (sessionId !== undefined) await findSession(store, sessionId, workspaceId)
      const page = { cursor: cursor || undefined, viewer: viewerOf(principal), ...pageSize(limit) }
      const { messages, nextCursor } = await store.messages.rated({ workspaceId, sessionId, rating, ...page })
      const feedback = await Promise.all(messages.map(listed))
      return { feedback: feedback.filter((one) => one !== undefined), nextCursor }
    },
    'PUT /ai/sessions/:id/messages/:messageId/feedback': async ({ params, body, workspaceId }) => {
      const { id: sessionId } = await findSession(store, params.id, workspaceId)
      const { rating, reasons = [], text = '' } = body
      const fitting: readonly string[] = feedbackReasons[rating]
      const wrong = reasons.find((reason) => !fitting.includes(reason))
      if (wrong !== undefined)
        throw new NamedError('BadRequest', `The reason "${wrong}" does not fit this rating.`, { status: 400 })
      const comment = text.trim() === '' ? {} : { text: text.trim() }
      const feedback: Feedback = { rating, reasons: [...new Set(reasons)], ...comment, at: Date.now() }
      await change(sessionId, params.messageId, feedback)
      return { feedback }
    },
    'DELETE /ai/sessions/:id/messages/:messageId/feedback': async ({ params, workspaceId }) => {
      const { id: sessionId } = await findSession(store, params.id, workspaceId)
      await change(sessionId, params.messageId, undefined)
      return { deleted: true as const }
    },
  })

  async function change(sessionId: string, messageId: string, feedback: Feedback | undefined): Promise<void> {
    await lock(sessionId, async () => {
      await runs.assertFree(sessionId, messageId)
      const answer = await store.messages.get({ sessionId }, messageId)
      if (answer?.role !== 'assistant')
        throw new NamedError('MessageNotFound', 'This answer does not exist.', { status: 404 })
      const { feedback: before, ...metadata } = answer.metadata ?? {}
      if (feedback === undefined && before === undefined) return
      const next: StoredMessage = { ...answer, metadata: feedback === undefined ? metadata : { ...metadata, feedback } }
      await store.messages.replace({ sessionId }, next, { quiet: true })
    })
  }

  async function listed({ sessionId, message }: RatedMessage): Promise<ListedFeedback | undefined> {
    const { feedback, model, agent } = message.metadata ?? {}
    if (feedback === undefined) return undefined
    const [run] = await store.runs.ofMessage(sessionId, message.id)
    return {
      ...feedback,
      sessionId,
      messageId: message.id,
      userMessageId: message.parentMessageId,
      runId: run?.id ?? null,
      model: model ?? null,
      agent: agent?.name ?? null,
      answeredAt: message.createdAt,
    }
  }
}
