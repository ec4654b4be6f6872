import type { StoredMessage } from '@troupe/core/protocol'
import type { StoreApi } from 'zustand/vanilla'
import { followRun } from './follow-run.ts'
import { createRunReader } from './run-reader.ts'
import type { SessionServices } from './session-services.ts'
import { newRun, withAnswer, withRunEnded } from './session-state.ts'
import type { SessionState } from './session-state.ts'
import type { StreamTap } from './stream-tap.ts'

export interface RunFollowerOptions {
  services: SessionServices
  tap: StreamTap
  /** The stream went on to a run that began elsewhere. */
  onOtherRun: () => void
  onEnded: (end: 'finished' | 'idle') => Promise<void>
  onRefused: (error: unknown, sent: StoredMessage | undefined) => Promise<void>
  /** The server has the message. */
  onAccepted: (sent: StoredMessage | undefined) => void
  /** Whether the run is followed to its end although nobody looks at it. */
  stays: () => boolean
}

/** A run that is being followed; `accepted` once the server has it. */
interface Following {
  controller: AbortController
  accepted: boolean
}

/** Keeps the state of one session in step with its run, at most one at a time. */
export function createRunFollower(store: StoreApi<SessionState>, options: RunFollowerOptions) {
  const { services, tap, onOtherRun, onEnded, onRefused, onAccepted, stays } = options
  const { sessionId, agentId } = store.getState()
  const change = (next: (state: SessionState) => SessionState) => store.setState(next, true)
  let following: Following | undefined
  let inSight = false

  return {
    enter,
    leave,
    follow,
    isFollowing: () => following !== undefined,
    /** A message is on its way and the server has not taken it yet. */
    isStarting: () => following?.accepted === false,
    isInSight: () => inSight,
  }

  function enter(): void {
    inSight = true
  }

  /** A message that is on its way must arrive, whatever the person looks at meanwhile; else the stream is let go. */
  function leave(): void {
    inSight = false
    if (following?.accepted === true && !stays()) letGo()
  }

  function letGo(): void {
    following?.controller.abort(new Error('the session was left'))
    following = undefined
  }

  /** Follows the run to its end; with `start`, begins it. `sent` is the message that begins it, where one does. */
  async function follow(start?: (signal: AbortSignal) => Promise<Response>, sent?: StoredMessage): Promise<void> {
    following?.controller.abort(new Error('another run is followed'))
    // One that is sent after another is not looked at for that.
    if (start !== undefined && !stays()) inSight = true
    const { signal, ...current } = newFollowing(start === undefined)
    following = current
    const reader = readRun()
    const end = await followRun({
      ...(start !== undefined && { start }),
      resume: (after, ended) => services.api.followRun(sessionId, after, ended),
      onReplay: reader.restart,
      onAccepted: () => {
        current.accepted = true
        onAccepted(sent)
        services.keepDraft(store.getState().draft)
        services.keepAttachments(store.getState().attachments)
        services.onChange()
        if (!inSight && !stays()) letGo()
      },
      onChunk: (chunk, number) => {
        tap.take(chunk, number, services.now())
        reader.take(chunk)
        if (agentId === null) services.agents.take(chunk)
        services.onChunk(chunk)
      },
      onConnection: (connection) =>
        change((state) => (state.connection === connection ? state : { ...state, connection })),
      signal,
      wake: services.wake,
    }).catch((error: unknown) => ({ error }))
    if (!signal.aborted) reader.flush()
    reader.close()
    if (signal.aborted) return
    following = undefined
    if (typeof end === 'string') await onEnded(end)
    else await onRefused(end.error, sent)
  }

  /** Which message a run that this page did not start answers. Until that is known the last one is taken for it. */
  async function findParent(): Promise<void> {
    try {
      const { run } = (await services.api.session(sessionId)).session
      if (run === null) return
      change((state) => {
        if (state.run === null || (state.run.answer !== null && state.run.answer.id !== run.messageId)) return state
        return { ...state, run: { ...state.run, parentMessageId: run.userMessageId } }
      })
    } catch (error) {
      services.onError(error)
    }
  }

  function readRun() {
    const { now } = services
    return createRunReader({
      onRun: () => {
        if (store.getState().run !== null) return
        change((state) => ({ ...state, run: newRun(null, now()) }))
        void findParent()
      },
      onOtherRun: () => {
        change((state) => ({ ...withRunEnded(state), run: newRun(null, now()) }))
        onOtherRun()
        void findParent()
      },
      onNews: (message, news) => change((state) => withAnswer(state, message, news)),
    })
  }
}

function newFollowing(accepted: boolean): Following & { signal: AbortSignal } {
  const controller = new AbortController()
  return { controller, signal: controller.signal, accepted }
}
