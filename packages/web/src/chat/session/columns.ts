import type { Chunk, ComparedAnswer } from '@troupe/protocol'
import { createStore, type StoreApi } from 'zustand/vanilla'
import { ApiError } from '../../api/request.ts'
import { partData } from './message-parts.ts'
import { createRatingActions } from './rate-answer.ts'
import { createRunActions } from './run-actions.ts'
import { createRunReader } from './run-follower.ts'
import {
  emptySession,
  newRun,
  openComparison,
  type SessionState,
  withAnswer,
  withComparison,
  withRunEnded,
} from './session-state.ts'
import type { ChatSessionStore, Columns, SessionServices } from './session-types.ts'

/** Id of a column whose answer the server has not named yet. */
const pendingPrefix = 'pending-'

export function pendingColumns(models: readonly string[]): ComparedAnswer[] {
  return models.map((model, index) => ({ messageId: `${pendingPrefix}${index}`, model }))
}

interface ColumnOptions {
  services: SessionServices
  /** The session's own actions. Those of a column act on its answer instead. */
  session: () => ChatSessionStore
  /** The user continued with an answer, here or in another tab. */
  onPicked: () => void
}

/**
 * Answers of compared models, each as a conversation of its own for a `SessionContext`. Follows the session: columns
 * exist while the last message of its branch is compared.
 */
export function createColumns(main: StoreApi<SessionState>, options: ColumnOptions): Columns {
  const { services, session, onPicked } = options
  const { sessionId } = main.getState()
  const store = createStore<ReturnType<Columns['getState']>>(() => ({ questionId: null, columns: [] }))
  const kept = new Map<string, ReturnType<typeof openColumn>>()
  main.subscribe((state, before) => {
    if (state.messages !== before.messages) sync(state)
  })

  return { ...store, take, endAll, restart }

  /** Handles a chunk of the session's stream. Returns the chunk of the column, if it is one. */
  function take(chunk: Chunk): Chunk | undefined {
    const comparison = partData(chunk, 'comparison')
    if (comparison !== undefined) {
      const known = main.getState().messages.find(({ id }) => id === comparison.messageId)?.metadata?.comparison
      main.setState((state) => withComparison(state, comparison), true)
      if (comparison.picked !== undefined && known?.picked === undefined) onPicked()
      return undefined
    }
    const column = partData(chunk, 'column')
    if (column === undefined) return undefined
    columnOf(column.messageId).take(column.chunk as Chunk)
    return column.chunk as Chunk
  }

  /** The stream is replayed from its start. */
  function restart(): void {
    for (const column of kept.values()) column.restart()
  }

  /** No run is left. Reads what the server stored. */
  async function endAll(): Promise<void> {
    const shown = new Set(store.getState().columns.map(({ messageId }) => messageId))
    for (const [messageId, column] of kept) {
      column.end()
      if (!shown.has(messageId)) kept.delete(messageId)
    }
    await Promise.all([...kept.values()].map((column) => column.load()))
  }

  function sync(state: SessionState): void {
    const open = openComparison(state.messages)
    const before = store.getState()
    if (open === undefined) {
      if (before.questionId !== null) store.setState({ questionId: null, columns: [] })
      if (state.run === null) kept.clear()
      return
    }
    const { question, comparison } = open
    const same =
      before.questionId === question.id &&
      comparison.answers.length === before.columns.length &&
      comparison.answers.every(({ messageId }, i) => before.columns[i]?.messageId === messageId)
    if (same) return
    const columns = comparison.answers.map((answer) => ({
      ...answer,
      conversation: columnOf(answer.messageId).conversation,
    }))
    store.setState({ questionId: question.id, columns })
    // During a run, new answers come with the stream and are stored when they end.
    if (state.run === null) for (const { messageId } of columns) void columnOf(messageId).load()
  }

  function columnOf(messageId: string): ReturnType<typeof openColumn> {
    const known = kept.get(messageId)
    if (known !== undefined) return known
    const column = openColumn(messageId)
    kept.set(messageId, column)
    return column
  }

  function openColumn(messageId: string) {
    const { api, now, onError } = services
    const isPending = messageId.startsWith(pendingPrefix)
    const state = createStore<SessionState>(() => ({
      ...emptySession(sessionId, isPending ? 'ready' : 'loading'),
      run: isPending ? newRun(null, now()) : null,
    }))
    const change = (next: (from: SessionState) => SessionState) => state.setState(next, true)
    const reader = createRunReader({
      onRun: () => change((from) => (from.run === null ? { ...from, phase: 'ready', run: newRun(null, now()) } : from)),
      onOtherRun: () => undefined,
      onNews: (message, news) => change((from) => withAnswer(from, message, news)),
    })
    const conversation: ChatSessionStore = {
      ...session(),
      ...state,
      ...createRunActions(state, { ...services, api: { ...api, stopRun: () => api.stopRun(sessionId, messageId) } }),
      ...createRatingActions(state, services),
      async regenerate(_, model) {
        change((from) => ({ ...from, messages: [], run: newRun(null, now()) }))
        await session().retryColumn(messageId, model)
      },
      async goOn(answerId) {
        await session().pick(messageId)
        await session().goOn(answerId)
      },
    }
    return { conversation, take: takeOwn, restart: reader.restart, end, load }

    function takeOwn(chunk: Chunk): void {
      reader.take(chunk)
      // The rest of the stream belongs to the other columns.
      if (chunk.type === 'finish') end()
    }

    function end(): void {
      reader.flush()
      reader.close()
      change(withRunEnded)
    }

    async function load(): Promise<void> {
      if (isPending || state.getState().run !== null) return
      try {
        const { messages } = await api.messages(sessionId, { leaf: messageId, limit: 1 })
        if (state.getState().run === null) change((from) => ({ ...from, phase: 'ready', failure: null, messages }))
      } catch (error) {
        if (state.getState().run !== null) return
        const isAbsent = error instanceof ApiError && error.status === 404
        // A live answer is stored when it ends.
        if (isAbsent) change((from) => ({ ...from, phase: main.getState().run === null ? 'missing' : 'loading' }))
        else onError(error)
      }
    }
  }
}
