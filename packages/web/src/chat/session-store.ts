import { newId } from '@troupe/core/protocol'
import type { StoredMessage } from '@troupe/core/protocol'
import { createStore } from 'zustand/vanilla'
import type { StoreApi } from 'zustand/vanilla'
import { ApiError, toErrorInfo } from '../api/api-error.ts'
import { typedAddresses } from '../composer/typed-addresses.ts'
import type { ChatBody } from '../api/api.ts'
import type { Queue } from '../composer/queue.ts'
import type { Panels } from '../panels/panels.ts'
import type { SubAgents } from '../sub-agents/sub-agents.ts'
import { createAttachments } from './attachments.ts'
import type { FilePartData } from './attachments.ts'
import { createBranchReader } from './branch-reader.ts'
import { chosenSettings } from './chosen-settings.ts'
import { createQueueActions, type QueueActions } from './queue-actions.ts'
import { createRunActions, type RunActions } from './run-actions.ts'
import { createRunFollower } from './run-follower.ts'
import { createRemovalActions, type RemovalActions } from './removal-actions.ts'
import type { SessionServices } from './session-services.ts'
import * as session from './session-state.ts'
import type { SessionState } from './session-state.ts'
import { createStreamTap } from './stream-tap.ts'
import type { StreamTap } from './stream-tap.ts'

export type SessionStore = StoreApi<SessionState> & SessionActions

export interface SessionActions extends RemovalActions, QueueActions, RunActions {
  readonly agents: SubAgents
  readonly panels: Panels
  readonly queue: Queue
  /** What the server has sent last, as it came. */
  readonly stream: StreamTap
  /** Begins to read the session before it is shown; the first `open` goes on with that. */
  readAhead: () => Promise<void>
  /** Reads the session and follows its run, if there is one. Also looks again when called again. */
  open: () => Promise<void>
  /** Lets go of the stream. The run goes on without this page. */
  close: () => void
  setDraft: (text: string) => void
  send: (text: string, files?: FilePartData[]) => Promise<void>
  /** Takes files to go with the next message. */
  attach: (files: Iterable<File>) => Promise<void>
  /** A long text as a file of its own. */
  attachText: (text: string) => Promise<void>
  detach: (attachmentId: string) => void
  /** The same message in other words: a new branch beside it. */
  edit: (messageId: string, text: string) => Promise<void>
  /** Another answer beside this one, or one to a message that has none; `model` where it is to come from another. */
  regenerate: (answerId: string, model?: string) => Promise<void>
  /** An answer that was cut goes on, as an answer below it. */
  goOn: (answerId: string) => Promise<void>
  retryUnsent: () => Promise<void>
  takeBackUnsent: () => void
  showBranch: (messageId: string) => Promise<void>
  /** Shows the branch of a message, and the message in it. `inSight`: it is a message of the branch that is looked at. */
  goTo: (messageId: string, options?: { inSight?: boolean }) => Promise<void>
  arrived: () => void
  loadOlder: () => Promise<void>
  /** Has the model told the older part as it was, or the summary of it again. */
  switchCompaction: (compactionId: string, off: boolean) => Promise<void>
}

/** One session: its state, and the ways to change it. What happens to messages is in `session-state.ts`. */
export function createSessionStore(initial: SessionState, services: SessionServices): SessionStore {
  const { api, ids, now, onError, queue } = services
  const { sessionId } = initial
  /** The session's own conversation tells of its sub-agents; theirs is told by them. */
  const isOwn = initial.agentId === null
  const store = createStore<SessionState>(() => initial)
  const change = (next: (state: SessionState) => SessionState) => store.setState(next, true)
  const branch = createBranchReader(store, api, onError)
  const { showBranch, loadOlder } = branch
  const stream = createStreamTap()
  const queued = createQueueActions(store, services, post)
  let ahead: ReturnType<typeof branch.refresh> | undefined
  const runs = createRunFollower(store, {
    services,
    tap: stream,
    onOtherRun: () => void branch.refresh(),
    onEnded: ended,
    onRefused: refused,
    onAccepted: (sent) => {
      if (sent !== undefined) queue.arrived([sent.id])
    },
    stays: () => isOwn && queued.goesOn(),
  })

  return {
    ...store,
    agents: services.agents,
    panels: services.panels,
    queue,
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
    ...createRemovalActions(store, { api, branch, onChange: services.onChange, onError }),
    retryUnsent,
    takeBackUnsent,
    ...createRunActions(store, services),
    showBranch,
    goTo,
    arrived,
    loadOlder,
    switchCompaction,
  }

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
    if (isOwn) queue.arrived(store.getState().messages.map(({ id }) => id))
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
    if (before.run === null) return
    services.onChange()
    if (returnSteering(before.run) || !isOwn) return
    await queued.sendNext(before.run)
  }

  /** What the run did not take up any more is said anew; after a stop the person decides. */
  function returnSteering({ steering, stopAskedAt }: session.LiveRun): boolean {
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
    change((state) => (sent === undefined ? { ...state, run: null } : session.withMessageTakenBack(state, sent.id)))
    onError(error)
    if (busy) await open()
    else await branch.refresh()
  }

  /** One of the queue waits there again: for the end of the run that was quicker, or for the person. */
  async function returnQueued(messageId: string, error: unknown, busy: boolean): Promise<void> {
    queue.giveBack(messageId)
    change((state) => session.withoutMessage(state, messageId))
    if (busy) return open()
    queue.hold()
    onError(error)
    if (isNotFound(error)) await lookWhetherGone()
  }

  /** What was refused may have named something of a session that was deleted elsewhere. */
  async function lookWhetherGone(): Promise<void> {
    const found = await api.session(sessionId).catch((error: unknown) => error)
    if (isNotFound(found)) change((state) => ({ ...state, phase: 'missing' }))
  }

  function setDraft(draft: string): void {
    change((state) => ({ ...state, draft }))
    services.keepDraft(draft)
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

  /** `queued`: the id of one that was queued; what is being typed stays then. */
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
    const { id, parentMessageId, parts } = message
    const typedUrls = parts.flatMap((part) => (part.type === 'text' ? typedAddresses.in(part.text) : []))
    const body = {
      sessionId,
      message: { id, role: 'user' as const, parts },
      parentMessageId,
      ...(typedUrls.length > 0 && { typedUrls }),
      ...chosenSettings(services),
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

  async function retryUnsent(): Promise<void> {
    const { unsent, messages } = store.getState()
    const message = messages.find(({ id }) => id === unsent?.messageId)
    if (message === undefined) return
    change((state) => session.withUserMessage(state, message, now()))
    await start(message)
  }

  function takeBackUnsent(): void {
    const { unsent } = store.getState()
    if (unsent !== null) change((state) => session.withMessageTakenBack(state, unsent.messageId))
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
