import { newId, type StoredMessage } from '@troupe/protocol'
import { createStore } from 'zustand/vanilla'
import type { ChatBody } from '../../api/api.ts'
import { ApiError, toErrorInfo } from '../../api/request.ts'
import { createAttachments } from './attachments.ts'
import { createBranchReader, createRemovalActions } from './branch-reader.ts'
import { createColumns, pendingColumns } from './columns.ts'
import { typedAddresses } from './drafts.ts'
import { createQueueActions, createRunActions } from './run-actions.ts'
import { createRatingActions } from './rate-answer.ts'
import { createRunFollower } from './run-follower.ts'
import { createStreamTap } from './run-stream.ts'
import * as session from './session-state.ts'
import { type FilePartData, newRun, type SessionState } from './session-state.ts'
import type { ChatSessionStore, SessionServices } from './session-types.ts'

/** State and actions of one session. State transitions on messages are in `session-state.ts`. */
export function createSessionStore(initial: SessionState, services: SessionServices): ChatSessionStore {
  const { api, ids, now, onError, queue } = services
  const { sessionId } = initial
  /** Only the session's own stream reports its sub-agents. */
  const isOwn = initial.agentId === null
  const store = createStore<SessionState>(() => initial)
  const change = (next: (state: SessionState) => SessionState) => store.setState(next, true)
  const branch = createBranchReader(store, api, onError)
  const { showBranch, rewindTo, loadOlder } = branch
  const stream = createStreamTap()
  const queued = createQueueActions(store, services, post)
  let ahead: ReturnType<typeof branch.refresh> | undefined
  const columns = createColumns(store, { services, session: () => self, onPicked: () => void follow() })
  const runs = createRunFollower(store, {
    services,
    tap: stream,
    columns: isOwn ? columns : undefined,
    onOtherRun: () => void branch.refresh(),
    onEnded: ended,
    onRefused: refused,
    onAccepted: (sent) => {
      if (sent !== undefined) queue.markArrived([sent.id])
    },
    stays: () => isOwn && queued.goesOn(),
  })

  const self: ChatSessionStore = {
    ...store,
    agents: services.agents,
    panels: services.panels,
    queue,
    columns,
    stream,
    readAhead,
    open,
    close,
    setDraft,
    ...createAttachments(store, services),
    send,
    ...queued.actions,
    edit,
    regenerate,
    goOn,
    pick,
    retryColumn,
    ...createRemovalActions(store, { api, branch, onChange: services.onChange, onError }),
    retryUnsent,
    takeBackUnsent,
    ...createRunActions(store, services),
    ...createRatingActions(store, services),
    showBranch,
    rewindTo,
    goTo,
    arrived,
    loadOlder,
    switchCompaction,
  }
  return self

  async function readAhead(): Promise<void> {
    ahead ??= branch.refresh()
    await ahead
  }

  async function open(): Promise<void> {
    runs.enter()
    if (isOwn) services.agents.open({ isNew: store.getState().phase === 'new' })
    if (store.getState().phase === 'new' || runs.isStarting()) return
    const begun = ahead
    ahead = undefined
    const read = (await begun) === 'read' ? 'read' : await branch.refresh()
    if (isOwn) queue.markArrived(store.getState().messages.map(({ id }) => id))
    if (read !== 'failed' && runs.isInSight() && !runs.isFollowing()) await runs.follow()
  }

  function close(): void {
    runs.leave()
    if (isOwn) services.agents.close()
  }

  async function ended(end: 'finished' | 'idle'): Promise<void> {
    const before = store.getState()
    if (isOwn) services.agents.runEnded()
    const unanswered = before.messages.at(-1)?.role === 'user'
    change(session.withRunEnded)
    if (end === 'idle' && before.run === null && !unanswered) return
    await branch.refresh()
    if (isOwn) await columns.endAll()
    if (before.run === null) return
    if (isOwn) showUnstoredFailure(before.run)
    services.onChange('run')
    if (returnSteering(before.run) || !isOwn) return
    await queued.sendNext(before.run)
  }

  /** A run that could not be saved leaves no answer, so its error is shown with the question. */
  function showUnstoredFailure({ errorText, answer }: session.ActiveRun): void {
    const question = store.getState().messages.at(-1)
    if (errorText === null || question?.role !== 'user') return
    const error = answer?.metadata?.error ?? { name: 'Error', message: errorText }
    change((state) => session.withRefusal(state, question.id, error))
  }

  /** Resends steering messages that the run did not read. After a stop, they return to the draft. */
  function returnSteering({ steering, stopAskedAt }: session.ActiveRun): boolean {
    if (steering.length === 0) return false
    const text = steering.map((message) => message.text).join('\n\n')
    if (stopAskedAt === null) void send(text)
    else setDraft([text, store.getState().draft].filter((piece) => piece !== '').join('\n\n'))
    return stopAskedAt === null
  }

  async function refused(error: unknown, sent: StoredMessage | undefined): Promise<void> {
    const busy = error instanceof ApiError && error.name === 'SessionBusy'
    if (sent !== undefined && queue.getState().sending?.id === sent.id) return returnQueued(sent.id, error, busy)
    if (sent !== undefined && !busy) {
      change((state) => session.withRefusal(state, sent.id, toErrorInfo(error)))
      if (isNotFound(error)) await lookWhetherGone()
      return
    }
    change((state) => (sent === undefined ? { ...state, run: null } : session.withMessageWithdrawn(state, sent.id)))
    onError(error)
    // The other columns go on, whatever happened to this one.
    if (busy || session.openComparison(store.getState().messages) !== undefined) await open()
    else await branch.refresh()
  }

  /** Returns a queued message to the queue, to wait for the active run or for the user. */
  async function returnQueued(messageId: string, error: unknown, busy: boolean): Promise<void> {
    queue.requeue(messageId)
    change((state) => session.withoutMessage(state, messageId))
    if (busy) return open()
    queue.pause()
    onError(error)
    if (isNotFound(error)) await lookWhetherGone()
  }

  /** The rejected request may have referenced a session that was deleted elsewhere. */
  async function lookWhetherGone(): Promise<void> {
    const found = await api.session(sessionId).catch((error: unknown) => error)
    if (isNotFound(found)) change((state) => ({ ...state, phase: 'missing' }))
  }

  function setDraft(draft: string): void {
    change((state) => ({ ...state, draft }))
    services.saveDraft(draft)
  }

  async function send(text: string, files: FilePartData[] = []): Promise<void> {
    await post(text, files, store.getState().messages.at(-1)?.id ?? null)
  }

  async function edit(messageId: string, text: string): Promise<void> {
    const edited = store.getState().messages.find((message) => message.id === messageId)
    if (edited === undefined) return
    const files = edited.parts.filter((part) => part.type === 'file')
    await post(text, files, edited.parentMessageId)
  }

  /** `queued` is the ID of a queued message. The draft stays untouched then. */
  async function post(
    text: string,
    files: FilePartData[],
    parentMessageId: string | null,
    queued?: string,
  ): Promise<void> {
    const message: StoredMessage = {
      id: queued ?? newId('u'),
      parentMessageId,
      role: 'user',
      parts: [...files, ...(text.trim() === '' ? [] : [{ type: 'text' as const, text }])],
      createdAt: now(),
    }
    const models = services.compare?.()
    if (models !== undefined) message.metadata = { comparison: { answers: pendingColumns(models) } }
    branch.showNewest()
    const sent = new Set(files.map(({ url }) => url))
    const rest = ({ attachments }: SessionState) => attachments.filter(({ url }) => url === null || !sent.has(url))
    change((state) =>
      session.withUserMessage(
        queued === undefined ? { ...state, draft: '', attachments: rest(state) } : state,
        message,
        now(),
      ),
    )
    await start(message)
  }

  async function start(message: StoredMessage): Promise<void> {
    const { id, parentMessageId, parts, metadata } = message
    const models = metadata?.comparison?.answers.map(({ model }) => model)
    const typedUrls = parts.flatMap((part) => (part.type === 'text' ? typedAddresses.in(part.text) : []))
    const body = {
      sessionId,
      message: { id, role: 'user' as const, parts },
      parentMessageId,
      typedUrls: typedUrls.length > 0 ? typedUrls : undefined,
      ...chosenSettings(services),
      ...(models !== undefined && { models, model: undefined }),
      ...ids,
    }
    await runs.follow((signal) => api.startRun(body, signal), message)
  }

  async function regenerate(answerId: string, model?: string): Promise<void> {
    const message = store.getState().messages.find(({ id }) => id === answerId)
    const question = message?.role === 'user' ? message.id : message?.parentMessageId
    if (question != null) await answerAgain('regenerate-message', answerId, question, model)
  }

  function goOn(answerId: string): Promise<void> {
    return answerAgain('continue-message', answerId, answerId)
  }

  async function answerAgain(
    trigger: NonNullable<ChatBody['trigger']>,
    messageId: string,
    parentMessageId: string,
    model?: string,
  ): Promise<void> {
    branch.showNewest()
    change((state) => session.withRegeneration(state, parentMessageId, now()))
    const body = { sessionId, trigger, messageId, ...answeredBy(model ?? services.model()), ...ids }
    await runs.follow((signal) => api.startRun(body, signal))
  }

  async function pick(messageId: string): Promise<void> {
    const model = columns.getState().columns.find((column) => column.messageId === messageId)?.model
    try {
      const { messageId: questionId, ...comparison } = await api.pickAnswer(sessionId, messageId)
      branch.showNewest()
      change((state) => session.withComparison(state, { messageId: questionId, ...comparison }))
      if (model !== undefined) services.onPicked?.(model)
      services.onChange('run')
      await follow()
    } catch (error) {
      onError(error)
    }
  }

  /** Shows the current branch and what is written to it now. */
  async function follow(): Promise<void> {
    const question = store.getState().messages.findLast(({ role }) => role === 'user')
    await branch.refresh()
    if (question !== undefined && store.getState().run !== null)
      change((state) => ({ ...state, run: newRun(question.id, now()) }))
    await runs.follow()
  }

  async function retryColumn(messageId: string, model?: string): Promise<void> {
    const open = session.openComparison(store.getState().messages)
    if (open === undefined) return
    change((state) => ({ ...state, run: state.run ?? newRun(open.question.id, now()) }))
    const column = columns.getState().columns.find((one) => one.messageId === messageId)
    const body = {
      sessionId,
      trigger: 'regenerate-message' as const,
      messageId,
      ...answeredBy(model ?? column?.model),
      ...ids,
    }
    await runs.follow((signal) => api.startRun(body, signal))
  }

  async function retryUnsent(): Promise<void> {
    const { unsent, messages } = store.getState()
    const message = messages.find(({ id }) => id === unsent?.messageId)
    if (message === undefined) return
    change((state) => session.withUserMessage(state, message, now()))
    await start(message)
  }

  function takeBackUnsent(): void {
    const { unsent } = store.getState()
    if (unsent !== null) change((state) => session.withMessageWithdrawn(state, unsent.messageId))
  }

  async function goTo(messageId: string, { inSight = false } = {}): Promise<void> {
    change((state) => ({ ...state, target: messageId }))
    if (store.getState().messages.some(({ id }) => id === messageId)) return
    if (!inSight) await showBranch(messageId)
    await branch.loadUpTo(messageId)
  }

  async function switchCompaction(compactionId: string, off: boolean): Promise<void> {
    try {
      const { compaction } = await api.switchCompaction(sessionId, compactionId, off)
      change((state) => session.withCompaction(state, compaction))
      services.onChange()
    } catch (error) {
      onError(error)
    }
  }

  function arrived(): void {
    change((state) => ({ ...state, target: null }))
  }
}

function answeredBy(model: string | undefined): { model?: string } {
  return model === undefined ? {} : { model }
}

function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404
}

/** Returns settings the user chose for the next answer. The server fills in the rest. */
function chosenSettings(
  services: Pick<SessionServices, 'model' | 'mode' | 'agent' | 'project' | 'params'>,
): Pick<ChatBody, 'model' | 'mode' | 'agent' | 'projectId' | 'params'> {
  const model = services.model()
  const mode = services.mode()
  const agent = services.agent()
  const projectId = services.project?.()
  const params = services.params?.()
  return {
    model,
    mode,
    agent,
    projectId,
    params,
  }
}
