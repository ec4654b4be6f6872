import type { Feedback } from '@troupe/protocol'
import type { StoreApi } from 'zustand/vanilla'
import type { SessionState } from './session-state.ts'
import type { RatingActions, SessionServices } from './session-types.ts'

export function createRatingActions(
  store: StoreApi<SessionState>,
  { api, onError, onChange }: Pick<SessionServices, 'api' | 'onError' | 'onChange'>,
): RatingActions {
  const { sessionId } = store.getState()

  return { rate }

  /** Shows the rating at once. If the server refuses it, the earlier one comes back. */
  async function rate(messageId: string, given: Parameters<RatingActions['rate']>[1]): Promise<boolean> {
    const before = store.getState().messages.find(({ id }) => id === messageId)?.metadata?.feedback
    show(messageId, given === null ? undefined : { reasons: [], ...given, at: Date.now() })
    try {
      if (given === null) await api.removeFeedback(sessionId, messageId)
      else show(messageId, (await api.rateAnswer(sessionId, messageId, given)).feedback)
      onChange()
      return true
    } catch (error) {
      show(messageId, before)
      onError(error)
      return false
    }
  }

  function show(messageId: string, feedback: Feedback | undefined): void {
    store.setState(({ messages }) => ({
      messages: messages.map((message) =>
        message.id === messageId ? { ...message, metadata: { ...message.metadata, feedback } } : message,
      ),
    }))
  }
}
