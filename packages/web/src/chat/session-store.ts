import { newId } from '@troupe/core/protocol'
import type { Answer, Mode } from '@troupe/core'
import type { Chunk, StoredMessage } from '@troupe/core/protocol'
import { createStore } from 'zustand/vanilla'
import type { StoreApi } from 'zustand/vanilla'
import { ApiError, toErrorInfo } from '../api/api-error.ts'
import type { Api } from '../api/api.ts'
import type { ClientIds } from '../api/client-ids.ts'
import type { Panels } from '../panels/panels.ts'
import type { SubAgents } from '../sub-agents/sub-agents.ts'
import { createAttachments } from './attachments.ts'
import type { FilePartData } from './attachments.ts'
import { createBranchReader } from './branch-reader.ts'
import type { WakeSource } from './follow-run.ts'
import { createRunFollower } from './run-follower.ts'
import * as session from './session-state.ts'
import type { SessionState } from './session-state.ts'

export interface SessionServices {
  api: Api
  ids: ClientIds
  wake: WakeSource
  now: () => number
  /** The model that the next answer is to come from; undefined leaves it to the server. */
  model: () => string | undefined
  /** The mode that the session is to begin in; undefined leaves it as it is. */
  mode: () => Mode | undefined
  /** The agent that the session is to talk to from its beginning; undefined leaves it to the server. */
  agent: () => string | undefined
  /** The sub-agents of the session, also where it is the conversation of one of them. */
  agents: SubAgents
  /** What stands beside the session. */
  panels: Panels
  /** Chunks that concern more than this session: its title, asks. */
  onChunk: (chunk: Chunk) => void
  /** These asks have their answer. */
  onAnswered: (askIds: readonly string[]) => void
  /** A run began or ended, messages changed. */
  onChange: () => void
  /** Something that was asked for did not work. */
  onError: (error: unknown) => void
  keepDraft: (draft: string) => void
}

export type SessionStore = StoreApi<SessionState> & SessionActions

export interface SessionActions {
  readonly agents: SubAgents
  readonly panels: Panels
  /** Reads the session and follows its run, if there is one. Also looks again when called again. */
  open: () => Promise<void>
  /** Lets go of the stream. The run goes on without this page. */
  close: () => void
  setDraft: (text: string) => void
  send: (text: string, files?: FilePartData[]) => Promise<void>
  /** Takes files to go with the next message. */
  attach: (files: Iterable<File>) => Promise<void>
  detach: (attachmentId: string) => void
  /** The same message in other words: a new branch beside it. */
  edit: (messageId: string, text: string) => Promise<void>
  regenerate: (answerId: string) => Promise<void>
  retryUnsent: () => Promise<void>
  takeBackUnsent: () => void
  stop: () => Promise<void>
  /** Says something to the run that is on. */
  steer: (text: string) => Promise<void>
  answer: (askId: string, answer: Answer) => Promise<void>
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
  const { api, ids, now, onError } = services
  const { sessionId } = initial
  /** The session's own conversation tells of its sub-agents; theirs is told by them. */
  const isOwn = initial.agentId === null
  const store = createStore<SessionState>(() => initial)
  const change = (next: (state: SessionState) => SessionState) => store.setState(next, true)
  const patchRun = (run: Partial<session.LiveRun>) =>
    change((state) => (state.run === null ? state : { ...state, run: { ...state.run, ...run } }))
  const branch = createBranchReader(store, api, onError)
  const { showBranch, loadOlder } = branch
  const runs = createRunFollower(store, {
    services,
    onOtherRun: () => void branch.refresh(),
    onEnded: ended,
    onRefused: refused,
  })

  return {
    ...store,
    agents: services.agents,
    panels: services.panels,
    open,
    close,
    setDraft,
    ...createAttachments(store, api, onError),
    send,
    edit,
    regenerate,
    retryUnsent,
    takeBackUnsent,
    stop,
    steer,
    answer,
    showBranch,
    goTo,
    arrived,
    loadOlder,
    switchCompaction,
  }

  async function open(): Promise<void> {
    runs.enter()
    if (isOwn) services.agents.open({ isNew: store.getState().phase === 'new' })
    if (store.getState().phase === 'new' || runs.isStarting()) return
    const read = await branch.refresh()
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
    returnSteering(before.run)
  }

  /** What the run did not take up any more is said anew; after a stop the person decides. */
  function returnSteering({ steering, stopAskedAt }: session.LiveRun): void {
    if (steering.length === 0) return
    const text = steering.map((message) => message.text).join('\n\n')
    if (stopAskedAt === null) void send(text)
    else setDraft([text, store.getState().draft].filter((piece) => piece !== '').join('\n\n'))
  }

  async function refused(error: unknown, sent: StoredMessage | undefined): Promise<void> {
    const busy = error instanceof ApiError && error.name === 'SessionBusy'
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

  async function post(text: string, files: FilePartData[], parentMessageId: string | null): Promise<void> {
    const message: StoredMessage = {
      id: newId('u'),
      parentMessageId,
      role: 'user',
      parts: [...files, ...(text.trim() === '' ? [] : [{ type: 'text' as const, text }])],
      createdAt: now(),
    }
    branch.showNewest()
    const sent = new Set(files.map(({ url }) => url))
    const rest = ({ attachments }: SessionState) => attachments.filter(({ url }) => url === null || !sent.has(url))
    change((state) => session.withUserMessage({ ...state, draft: '', attachments: rest(state) }, message, now()))
    await start(message)
  }

  async function start(message: StoredMessage): Promise<void> {
    const { id, parentMessageId, parts } = message
    const body = {
      sessionId,
      message: { id, role: 'user' as const, parts },
      parentMessageId,
      ...chosenModel(),
      ...chosenMode(),
      ...chosenAgent(),
      ...ids,
    }
    await runs.follow((signal) => api.startRun(body, signal), message)
  }

  async function regenerate(answerId: string): Promise<void> {
    const answered = store.getState().messages.find((message) => message.id === answerId)
    if (answered?.parentMessageId == null) return
    const { parentMessageId } = answered
    branch.showNewest()
    change((state) => session.withRegeneration(state, parentMessageId, now()))
    const body = { sessionId, trigger: 'regenerate-message' as const, messageId: answerId, ...chosenModel(), ...ids }
    await runs.follow((signal) => api.startRun(body, signal))
  }

  function chosenModel(): { model?: string } {
    const model = services.model()
    return model === undefined ? {} : { model }
  }

  function chosenMode(): { mode?: Mode } {
    const mode = services.mode()
    return mode === undefined ? {} : { mode }
  }

  function chosenAgent(): { agent?: string } {
    const agent = services.agent()
    return agent === undefined ? {} : { agent }
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
      await api.steerRun(sessionId, steering)
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

function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404
}
