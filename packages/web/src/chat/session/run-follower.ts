import { type Chunk, createFold, type Fold, type Message, type StoredMessage } from '@troupe/protocol'
import type { StoreApi } from 'zustand/vanilla'
import { addMediaProgress, addProgress, partData } from './message-parts.ts'
import { followRun, type StreamTap } from './run-stream.ts'
import { type ActiveRun, newRun, type SessionState, withAnswer, withRunEnded } from './session-state.ts'
import type { SessionServices } from './session-types.ts'

interface RunFollowerOptions {
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
      start,
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

interface RunReaderOptions {
  /** The first chunk of a run. */
  onRun: () => void
  /** The stream went on to another run than the one that was being read. */
  onOtherRun: () => void
  /** At most once in `everyMs`, with everything that came since. */
  onNews: (message: Message, news: Partial<ActiveRun>) => void
  everyMs?: number
}

/** Folds the stream of a run and passes on what it has become, not more often than an eye can follow. */
function createRunReader({ onRun, onOtherRun, onNews, everyMs = 50 }: RunReaderOptions) {
  let fold: Fold | undefined
  let progress: ActiveRun['progress'] = {}
  let retry: ActiveRun['retry'] = null
  let errorText: string | null = null
  let timer: ReturnType<typeof setTimeout> | undefined

  return { take, restart, flush, close }

  function take(chunk: Chunk): void {
    if (fold === undefined) {
      fold = createFold()
      onRun()
    } else if (chunk.type === 'start') {
      // A log that is sent from its beginning although we named a number, or a run that began while we were away.
      const other = fold.messageId !== '' && chunk.messageId !== fold.messageId
      if (other) flush()
      restart()
      fold = createFold()
      if (other) onOtherRun()
    }
    fold.push(chunk)
    note(chunk)
    timer ??= setTimeout(flush, everyMs)
  }

  function note(chunk: Chunk): void {
    const step = partData(chunk, 'tool-progress')
    if (step !== undefined)
      progress = { ...progress, [step.toolCallId]: addProgress(progress[step.toolCallId], step.delta) }
    const media = partData(chunk, 'media-generate-start') ?? partData(chunk, 'media-generate-progress')
    if (media?.toolCallId !== undefined)
      progress = { ...progress, [media.toolCallId]: addMediaProgress(progress[media.toolCallId], media) }
    if (chunk.type === 'error') errorText = chunk.errorText
    retry = partData(chunk, 'retry') ?? null
  }

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    if (fold === undefined || fold.messageId === '') return
    onNews(fold.snapshot(), { progress, retry, errorText })
  }

  function restart(): void {
    fold = undefined
    progress = {}
    retry = null
    errorText = null
  }

  function close(): void {
    clearTimeout(timer)
  }
}
