import { type Chunk, createFold, type Fold, type Message, type StoredMessage } from '@troupe/protocol'
import type { StoreApi } from 'zustand/vanilla'
import { addMediaProgress, addProgress, partData } from './message-parts.ts'
import { followRun, type StreamTap } from './run-stream.ts'
import { type ActiveRun, newRun, type SessionState, withAnswer, withRunEnded } from './session-state.ts'
import type { Columns, SessionServices } from './session-types.ts'

interface RunFollowerOptions {
  services: SessionServices
  tap: StreamTap
  /** Takes the chunks of compared answers, which come on one stream. */
  columns: Pick<Columns, 'take' | 'restart'> | undefined
  /** The stream continued with a run that another client started. */
  onOtherRun: () => void
  onEnded: (end: 'finished' | 'idle') => Promise<void>
  onRefused: (error: unknown, sent: StoredMessage | undefined) => Promise<void>
  onAccepted: (sent: StoredMessage | undefined) => void
  /** True if the run must be followed to its end even out of view. */
  stays: () => boolean
}

/** Run being followed. `accepted` is set once the server has it. */
interface Following {
  controller: AbortController
  accepted: boolean
}

/** Syncs the session state with its run. Follows at most one run at a time. */
export function createRunFollower(store: StoreApi<SessionState>, options: RunFollowerOptions) {
  const { services, tap, columns, onOtherRun, onEnded, onRefused, onAccepted, stays } = options
  const { sessionId, agentId } = store.getState()
  const change = (next: (state: SessionState) => SessionState) => store.setState(next, true)
  let following: Following | undefined
  let inSight = false

  return {
    enter,
    leave,
    follow,
    isFollowing: () => following !== undefined,
    isStarting: () => following?.accepted === false,
    isInSight: () => inSight,
  }

  function enter(): void {
    inSight = true
  }

  /** Drops the stream, unless a message is still being sent: it must arrive whatever the user views. */
  function leave(): void {
    inSight = false
    if (following?.accepted === true && !stays()) letGo()
  }

  function letGo(): void {
    following?.controller.abort(new Error('the session was left'))
    following = undefined
  }

  /** Follows the run to its end. `start` starts it, and `sent` is the message that starts it. */
  async function follow(start?: (signal: AbortSignal) => Promise<Response>, sent?: StoredMessage): Promise<void> {
    following?.controller.abort(new Error('another run is followed'))
    // Sending a queued message does not bring the session into view.
    if (start !== undefined && !stays()) inSight = true
    const { signal, ...current } = newFollowing(start === undefined)
    following = current
    const reader = readRun()
    const end = await followRun({
      start,
      resume: (after, ended) => services.api.followRun(sessionId, after, ended),
      onReplay: () => {
        reader.restart()
        columns?.restart()
      },
      onAccepted: () => {
        current.accepted = true
        onAccepted(sent)
        services.saveDraft(store.getState().draft)
        services.saveAttachments(store.getState().attachments)
        services.onChange('run')
        if (!inSight && !stays()) letGo()
      },
      onChunk: (chunk, number) => {
        tap.record(chunk, number, services.now())
        const own = columns?.take(chunk) ?? chunk
        if (own === chunk) reader.take(chunk)
        if (agentId === null) services.agents.handleChunk(own)
        services.onChunk(own)
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

  /** Looks up the message that a run started elsewhere answers. Until then the last message is assumed. */
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
  onRun: () => void
  onOtherRun: () => void
  /** Called at most once per `everyMs`, with all changes since the last call. */
  onNews: (message: Message, news: Partial<ActiveRun>) => void
  everyMs?: number
}

/** Folds a run's stream and reports updates at a limited rate. */
export function createRunReader({ onRun, onOtherRun, onNews, everyMs = 50 }: RunReaderOptions) {
  let fold: Fold | undefined
  let progress: ActiveRun['progress'] = {}
  let retry: ActiveRun['retry'] = null
  let errorText: string | null = null
  let contextTokens: number | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  return { take, restart, flush, close }

  function take(chunk: Chunk): void {
    if (fold === undefined) {
      fold = createFold()
      onRun()
    } else if (chunk.type === 'start') {
      // Either the log was replayed from the start despite our cursor, or a new run started while we were away.
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
    contextTokens = partData(chunk, 'usage')?.contextTokens ?? contextTokens
    if (chunk.type === 'error') errorText = chunk.errorText
    retry = partData(chunk, 'retry') ?? null
  }

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    if (fold === undefined || fold.messageId === '') return
    onNews(fold.snapshot(), { progress, retry, errorText, contextTokens })
  }

  function restart(): void {
    fold = undefined
    progress = {}
    retry = null
    errorText = null
    contextTokens = undefined
  }

  function close(): void {
    clearTimeout(timer)
  }
}
