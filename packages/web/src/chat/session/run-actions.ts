import type { Answer } from '@troupe/core'
import { newId } from '@troupe/protocol'
import type { StoreApi } from 'zustand/vanilla'
import { ApiError } from '../../api/request.ts'
import { typedAddresses } from './drafts.ts'
import { type ActiveRun, type FilePartData, openComparison, type SessionState } from './session-state.ts'
import type { QueueActions, RunActions, SessionServices } from './session-types.ts'

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
      // The run has already ended.
      if (error instanceof ApiError && error.name === 'NoRun') return
      patchRun({ stopAskedAt: null })
      onError(error)
    }
  }

  async function steer(text: string): Promise<void> {
    const steering = { id: newId('s'), text }
    patchRun({ steering: [...(store.getState().run?.steering ?? []), steering] })
    change((state) => ({ ...state, draft: '' }))
    services.saveDraft('')
    try {
      const typedUrls = typedAddresses.in(text)
      const { hints } = await api.steerRun(sessionId, { ...steering, ...(typedUrls.length > 0 && { typedUrls }) })
      for (const hint of hints) services.onHint?.(hint)
    } catch (error) {
      // A run that just ended returns undelivered messages through `ended`.
      if (error instanceof ApiError && error.name === 'NoRun') return
      patchRun({ steering: (store.getState().run?.steering ?? []).filter(({ id }) => id !== steering.id) })
      change((state) => ({ ...state, draft: state.draft === '' ? text : `${text}\n\n${state.draft}` }))
      onError(error)
    }
  }

  async function answer(askId: string, given: Answer): Promise<void> {
    change((state) => ({ ...state, answering: [...state.answering, askId] }))
    try {
      const { settled } = await api.answerAsk(askId, given, ids.clientId)
      services.onAnswered([askId, ...settled])
      services.onChange()
    } catch (error) {
      change((state) => ({ ...state, answering: state.answering.filter((id) => id !== askId) }))
      onError(error)
      // Someone else answered first, or the ask is closed.
      if (error instanceof ApiError && [404, 409].includes(error.status)) services.onChange()
    }
  }
}

/** `post` sends a queued message under its own ID. */
export function createQueueActions(
  store: StoreApi<SessionState>,
  services: Pick<SessionServices, 'queue' | 'saveDraft' | 'saveAttachments' | 'freeFiles'>,
  post: (text: string, files: FilePartData[], parentMessageId: string | null, id: string) => Promise<void>,
) {
  const { queue } = services
  return { actions: { enqueue, dequeue, sendQueued } satisfies QueueActions, goesOn, sendNext }

  function enqueue(text: string, files: FilePartData[] = []): void {
    queue.add(text, files)
    store.setState({ draft: '', attachments: [] })
    services.saveDraft('')
    services.saveAttachments([])
  }

  function dequeue(ids: readonly string[]): void {
    const taken = queue.getState().items.filter(({ id }) => ids.includes(id))
    for (const { id } of taken) queue.remove(id)
    services.freeFiles(taken.flatMap(({ files }) => files.map(({ url }) => url)))
  }

  async function sendQueued(): Promise<void> {
    if (store.getState().run !== null) return queue.release()
    const next = await queue.nextNow()
    if (next !== undefined) await post(next.text, next.files, store.getState().messages.at(-1)?.id ?? null, next.id)
  }

  /** True if a queued message follows this run, so its end must be observed. */
  function goesOn(): boolean {
    const { items, held } = queue.getState()
    return items.length > 0 && !held
  }

  /** Sends the next queued message only after a successful answer. Otherwise the user decides. */
  async function sendNext({ stopAskedAt }: ActiveRun): Promise<void> {
    const answer = store.getState().messages.at(-1)
    const { error, aborted, interrupted, stopped } = answer?.metadata ?? {}
    const isBroken = (error ?? aborted ?? interrupted ?? stopped) !== undefined
    const isCompared = openComparison(store.getState().messages) !== undefined
    if (stopAskedAt !== null || answer?.role !== 'assistant' || isBroken || isCompared) return queue.pause()
    const next = await queue.nextAfter(answer.id)
    if (next !== undefined) await post(next.text, next.files, answer.id, next.id)
  }
}
