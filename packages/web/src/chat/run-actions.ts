import type { RunActions } from './session-services.ts'
import { newId } from '@troupe/core/protocol'
import type { Answer } from '@troupe/core'
import type { StoreApi } from 'zustand/vanilla'
import { ApiError } from '../api/api-error.ts'
import { typedAddresses } from '../composer/typed-addresses.ts'
import type { SessionServices } from './session-services.ts'
import type { ActiveRun, SessionState } from './session-state.ts'

/** What a person does to a run that is on. */
export function createRunActions(store: StoreApi<SessionState>, services: SessionServices): RunActions {
  const { api, ids, now, onError } = services
  const { sessionId } = store.getState()
  const change = (next: (state: SessionState) => SessionState) => store.setState(next, true)
  const patchRun = (run: Partial<ActiveRun>) =>
    change((state) => (state.run === null ? state : { ...state, run: { ...state.run, ...run } }))

  return { stop, steer, answer }

  async function stop(): Promise<void> {
    if (store.getState().run === null) return
    patchRun({ stopAskedAt: now() })
    try {
      await api.stopRun(sessionId)
    } catch (error) {
      // It has ended by itself in the meantime.
      if (error instanceof ApiError && error.name === 'NoRun') return
      patchRun({ stopAskedAt: null })
      onError(error)
    }
  }

  async function steer(text: string): Promise<void> {
    const steering = { id: newId('s'), text }
    patchRun({ steering: [...(store.getState().run?.steering ?? []), steering] })
    change((state) => ({ ...state, draft: '' }))
    services.keepDraft('')
    try {
      const typedUrls = typedAddresses.in(text)
      const { hints = [] } = await api.steerRun(sessionId, { ...steering, ...(typedUrls.length > 0 && { typedUrls }) })
      for (const hint of hints) services.onHint?.(hint)
    } catch (error) {
      // A run that has just ended gives its untaken messages back through `ended`.
      if (error instanceof ApiError && error.name === 'NoRun') return
      patchRun({ steering: (store.getState().run?.steering ?? []).filter(({ id }) => id !== steering.id) })
      change((state) => ({ ...state, draft: state.draft === '' ? text : `${text}\n\n${state.draft}` }))
      onError(error)
    }
  }

  async function answer(askId: string, given: Answer): Promise<void> {
    change((state) => ({ ...state, answering: [...state.answering, askId] }))
    try {
      const { settled = [] } = await api.answerAsk(askId, given, ids.clientId)
      services.onAnswered([askId, ...settled])
      services.onChange()
    } catch (error) {
      change((state) => ({ ...state, answering: state.answering.filter((id) => id !== askId) }))
      onError(error)
      // Somebody else was quicker, or nobody waits any more.
      if (error instanceof ApiError && [404, 409].includes(error.status)) services.onChange()
    }
  }
}
