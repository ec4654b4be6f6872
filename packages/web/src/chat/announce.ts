import type { StoredMessage } from '@troupe/protocol'
import type { StoreApi } from 'zustand/vanilla'
import { t } from '../texts/t.ts'
import { stripMarkdown } from '../ui/strip-markdown.ts'
import { messageText, openAsks, type SessionState } from './session/session-state.ts'

/** Shorter answers announce only their end. */
const begunAfterMs = 700

/**
 * Announces for screen readers when an answer starts, needs approval or ends. Never announces streamed text. Returns an
 * unsubscribe function.
 */
export function announce(store: Pick<StoreApi<SessionState>, 'subscribe'>, say: (text: string) => void): () => void {
  let begun: string | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  /** Answer whose run is over. Its outcome may be unknown until the stored copy arrives. */
  let ended: string | undefined
  const tell = (text: string): void => {
    clearTimeout(timer)
    say(text)
  }
  const unsubscribe = store.subscribe((state, before) => {
    const answer = state.run?.answer ?? null
    const was = before.run?.answer ?? null
    if (answer !== null && answer.id !== begun) {
      begun = answer.id
      clearTimeout(timer)
      timer = setTimeout(() => say(t.chat.writing), begunAfterMs)
    }
    if (answer !== was) {
      const asks = openAsks(answer)
      const known = new Set(answer?.id === was?.id ? openAsks(was) : [])
      if (asks.some((id) => !known.has(id))) tell(t.chat.waitsForDecision(asks.length))
    }
    if (state.unsent !== null && before.unsent === null) tell(t.chat.notSent(state.unsent.error.message))
    if (was !== null && was.id !== answer?.id) ended = was.id
    const said = ended === undefined ? undefined : describeRunEnd(state.messages.find(({ id }) => id === ended))
    if (said === undefined) return
    ended = undefined
    tell(said)
  })
  return () => {
    clearTimeout(timer)
    unsubscribe()
  }
}

const spokenCharacters = 600

/** Announcement of an ended answer. Undefined while its outcome is unknown. */
export function describeRunEnd(answer: StoredMessage | undefined): string | undefined {
  const { error, aborted, interrupted, stopped, elapsedMs, finishReason } = answer?.metadata ?? {}
  if (error !== undefined) return t.chat.answerFailed(error.message)
  if (aborted === true) return t.chat.answerStopped
  if (interrupted === true) return t.chat.answerInterrupted
  if (stopped !== undefined) return t.chat.answerEnded(stopped.message)
  // A command's answer has no duration to announce.
  if (elapsedMs === undefined && finishReason === undefined) return undefined
  return t.chat.answerFinished(stripMarkdown(messageText(answer)).slice(0, spokenCharacters))
}
