import type { BranchPage, SiblingPlace } from '@troupe/core'
import type { Comparison, DataParts, ErrorInfo, Message, Part, StoredMessage } from '@troupe/protocol'
import { isRecord } from '../../api/read-fields.ts'
import { partData, type Progress } from './message-parts.ts'

/** Page state of one session. Immutable: every update replaces it. */
export interface SessionState {
  sessionId: string
  /** Sub-agent of this conversation. Null for the session itself. */
  agentId: string | null
  phase: 'new' | 'loading' | 'ready' | 'missing' | 'failed'
  failure: ErrorInfo | null
  /** Stored messages of one branch, from the oldest loaded one to the leaf. */
  messages: StoredMessage[]
  siblings: Record<string, SiblingPlace>
  older: { hasMore: boolean; before: string | null; loading: boolean }
  run: ActiveRun | null
  connection: 'open' | 'lost'
  unsent: Unsent | null
  draft: string
  attachments: readonly DraftAttachment[]
  target: string | null
  /** Later messages are hidden. The next one starts a branch. */
  isRewound: boolean
  answering: readonly string[]
}

export interface ActiveRun {
  /** Message being answered. Null if this page did not see the run start. */
  parentMessageId: string | null
  /** Answer so far. Null until the first chunk. */
  answer: Message | null
  progress: Record<string, Progress>
  /** Steering messages that the run has not read yet. */
  steering: Steering[]
  /** Pending retry after a temporary provider error. */
  retry: { attempt: number; delayMs: number; message: string } | null
  errorText: string | null
  /** Fill of the context window after its latest model call. Undefined until known. */
  contextTokens?: number
  startedAt: number
  stopAskedAt: number | null
}

export interface Steering {
  id: string
  text: string
}

export interface DraftAttachment {
  id: string
  name: string
  mediaType: string
  /** In bytes. */
  size: number
  /** Null while uploading. */
  url: string | null
  /** Uploaded fraction, from 0 to 1. */
  sent?: number
  /** Original text, if pasted as text. Can be converted back. */
  text?: string
}

export interface Unsent {
  messageId: string
  error: ErrorInfo
}

export function emptySession(
  sessionId: string,
  phase: SessionState['phase'],
  agentId: string | null = null,
): SessionState {
  return {
    sessionId,
    agentId,
    phase,
    failure: null,
    messages: [],
    siblings: {},
    older: { hasMore: false, before: null, loading: false },
    run: null,
    connection: 'open',
    unsent: null,
    draft: '',
    attachments: [],
    target: null,
    isRewound: false,
    answering: [],
  }
}

export function newRun(parentMessageId: string | null, now: number): ActiveRun {
  return {
    parentMessageId,
    answer: null,
    progress: {},
    steering: [],
    retry: null,
    errorText: null,
    startedAt: now,
    stopAskedAt: null,
  }
}

/** Applies the server's last page of a branch. Keeps older loaded messages if they still belong to it. */
export function withPage(state: SessionState, page: BranchPage): SessionState {
  const [first] = page.messages
  const above = first === undefined ? -1 : state.messages.findIndex((message) => message.id === first.id)
  const kept =
    above > 0 && state.messages[above - 1]?.id === first?.parentMessageId ? state.messages.slice(0, above) : []
  const unsent = state.messages.find(({ id }) => id === state.unsent?.messageId)
  const belongs = unsent !== undefined && unsent.parentMessageId === (page.messages.at(-1)?.id ?? null)
  return {
    ...state,
    phase: 'ready',
    failure: null,
    messages: [...kept, ...page.messages, ...(belongs ? [unsent] : [])],
    unsent: belongs ? state.unsent : null,
    siblings: kept.length > 0 ? { ...state.siblings, ...page.siblings } : page.siblings,
    older: kept.length > 0 ? state.older : { hasMore: page.page.hasMore, before: page.page.before, loading: false },
  }
}

export function withOlderPage(state: SessionState, page: BranchPage): SessionState {
  const known = new Set(state.messages.map((message) => message.id))
  return {
    ...state,
    messages: [...page.messages.filter((message) => !known.has(message.id)), ...state.messages],
    siblings: { ...page.siblings, ...state.siblings },
    older: { hasMore: page.page.hasMore, before: page.page.before, loading: false },
  }
}

/** Appends a user message below its parent. Later messages move to another branch. */
export function withUserMessage(state: SessionState, message: StoredMessage, now: number): SessionState {
  const messages = [...upTo(state.messages, message.parentMessageId), message]
  return { ...state, phase: 'ready', messages, unsent: null, run: newRun(message.id, now) }
}

export function withRegeneration(state: SessionState, parentMessageId: string, now: number): SessionState {
  return { ...state, messages: upTo(state.messages, parentMessageId), unsent: null, run: newRun(parentMessageId, now) }
}

export function withAnswer(state: SessionState, answer: Message, news: Partial<ActiveRun>): SessionState {
  if (state.run === null) return state
  const taken = new Set(answer.parts.flatMap((part) => (part.type === 'steering-message' ? part.id : [])))
  const steering = state.run.steering.filter(({ id }) => !taken.has(id))
  const asked = new Set(openAsks(answer))
  const answering = state.answering.filter((id) => asked.has(id))
  return {
    ...state,
    run: { ...state.run, ...news, answer, steering },
    answering: answering.length === state.answering.length ? state.answering : answering,
  }
}

/** Ends the run. Its answer joins the messages until the server's copy arrives. */
export function withRunEnded(state: SessionState): SessionState {
  const { run } = state
  if (run === null) return state
  const messages = visibleMessages(state).map(({ live: _, ...message }) => message)
  return { ...state, messages, run: null, answering: [], connection: 'open' }
}

export function withRefusal(state: SessionState, messageId: string, error: ErrorInfo): SessionState {
  return { ...state, run: null, unsent: { messageId, error } }
}

/** The message that several models answer, while the user has not continued with one of the answers. */
export function openComparison(
  messages: readonly StoredMessage[],
): { question: StoredMessage; comparison: Comparison } | undefined {
  const question = messages.findLast(({ role }) => role === 'user')
  const comparison = question?.metadata?.comparison
  return question === undefined || comparison === undefined || comparison.picked !== undefined
    ? undefined
    : { question, comparison }
}

export function withComparison(
  state: SessionState,
  { messageId, ...comparison }: Comparison & { messageId: string },
): SessionState {
  const messages = state.messages.map((message) =>
    message.id === messageId ? { ...message, metadata: { ...message.metadata, comparison } } : message,
  )
  return { ...state, messages }
}

export function withCompaction(state: SessionState, data: DataParts['compaction']): SessionState {
  const isIt = (part: { type: string }) => partData(part, 'compaction')?.id === data.id
  const messages = state.messages.map((message) =>
    message.parts.some(isIt)
      ? { ...message, parts: message.parts.map((part) => (isIt(part) ? ({ ...part, data } as typeof part) : part)) }
      : message,
  )
  return { ...state, messages }
}

/** Removes a message that was not accepted and is stored elsewhere. */
export function withoutMessage(state: SessionState, messageId: string): SessionState {
  return { ...state, messages: state.messages.filter(({ id }) => id !== messageId), run: null, unsent: null }
}

/** Moves the message back into the draft. */
export function withMessageWithdrawn(state: SessionState, messageId: string): SessionState {
  const index = state.messages.findIndex((message) => message.id === messageId)
  if (index < 0) return { ...state, run: null, unsent: null }
  const typed = messageText(state.messages[index])
  const draft = [typed, state.draft].filter((text) => text !== '').join('\n\n')
  const attachments = [...state.attachments, ...attachmentsOf(state.messages[index])]
  return { ...state, messages: state.messages.slice(0, index), run: null, unsent: null, draft, attachments }
}

function attachmentsOf(message: StoredMessage | undefined): DraftAttachment[] {
  return (message?.parts ?? []).flatMap((part, index) =>
    part.type === 'file'
      ? {
          id: `${message?.id}-${index}`,
          name: part.filename ?? 'file',
          mediaType: part.mediaType,
          size: 0,
          url: part.url,
        }
      : [],
  )
}

export function messageText(message: Pick<StoredMessage, 'parts'> | undefined): string {
  const texts = (message?.parts ?? []).flatMap((part) => (part.type === 'text' ? part.text : []))
  return texts.join('\n\n')
}

export type VisibleMessage = StoredMessage & { live?: true }

/** Returns the branch including the live answer. Omits an answer that belongs to another branch. */
export function visibleMessages(state: Pick<SessionState, 'messages' | 'run'>): VisibleMessage[] {
  const { messages, run } = state
  if (run?.answer == null) return messages
  const { answer } = run
  const stored = messages.findIndex((message) => message.id === answer.id)
  const parentMessageId = run.parentMessageId ?? answer.metadata?.continues ?? null
  const above = stored >= 0 ? messages.slice(0, stored) : answered(messages, parentMessageId)
  if (above === undefined) return messages
  const live: VisibleMessage = {
    id: answer.id,
    parentMessageId: above.at(-1)?.id ?? null,
    role: 'assistant',
    parts: answer.parts,
    metadata: answer.metadata,
    createdAt: answer.metadata?.createdAt ?? run.startedAt,
    live: true,
  }
  return [...above, live]
}

/** Returns the branch up to the message being answered. Undefined if that message is on another branch. */
function answered(messages: StoredMessage[], parentMessageId: string | null): StoredMessage[] | undefined {
  const isParent = (message: StoredMessage) =>
    parentMessageId === null ? message.role === 'user' : message.id === parentMessageId
  const index = messages.findLastIndex(isParent)
  return index < 0 && messages.length > 0 ? undefined : messages.slice(0, index + 1)
}

function upTo(messages: StoredMessage[], messageId: string | null): StoredMessage[] {
  return messages.slice(0, messages.findIndex((message) => message.id === messageId) + 1)
}

function openApprovals(message: Pick<Message, 'parts'> | null): string[] {
  return (message?.parts ?? []).flatMap((part) =>
    'approval' in part && part.state === 'approval-requested' ? part.approval.id : [],
  )
}

/** Returns everything in an answer that awaits the user. A call's asks close with the call. */
export function openAsks(message: Pick<Message, 'parts'> | null): string[] {
  const parts = message?.parts ?? []
  const answered = new Set(parts.map((part) => partData(part, 'ask-answer')?.id))
  const over = new Set(
    parts.map((part) => ('toolCallId' in part && part.state.startsWith('output-') ? part.toolCallId : undefined)),
  )
  const asks = parts.flatMap((part) => partData(part, 'ask') ?? [])
  const open = asks.filter((ask) => !answered.has(ask.id) && !over.has(ask.toolCallId) && isForPerson(ask))
  return [...openApprovals(message), ...open.map(({ id }) => id)]
}

/** The page handles its own calls, unless they need a click. */
function isForPerson({ kind, content }: DataParts['ask']): boolean {
  return kind !== 'browser' || (isRecord(content) && content['byPerson'] === true)
}

/** True if only the user can move the run on. */
export function isWaiting(run: ActiveRun | null): boolean {
  return openAsks(run?.answer ?? null).length > 0
}

/** True if there is no run, or the run is on the current branch. */
export function isRunOnBranch(state: Pick<SessionState, 'messages' | 'run'>): boolean {
  const { messages, run } = state
  if (run === null) return false
  const compared = openComparison(messages)?.question.id
  if (compared !== undefined && (run.parentMessageId === null || run.parentMessageId === compared)) return true
  if (run.answer === null) return run.parentMessageId === null || messages.at(-1)?.id === run.parentMessageId
  return visibleMessages(state).some((message) => 'live' in message)
}

export type FilePartData = Extract<Part, { type: 'file' }>

/**
 * Status of a conversation. `new`: no messages yet. `loading`: being loaded. `ready`: accepts a message. `submitted`:
 * no answer text yet. `streaming`: answer arriving. `waiting`: awaits the user. `failed`: could not load. `missing`:
 * deleted.
 */
export type ChatStatus = 'new' | 'loading' | 'ready' | 'submitted' | 'streaming' | 'waiting' | 'failed' | 'missing'

export function chatStatus({ phase, run }: Pick<SessionState, 'phase' | 'run'>): ChatStatus {
  if (run === null || phase === 'missing') return phase
  if (isWaiting(run)) return 'waiting'
  return run.answer === null ? 'submitted' : 'streaming'
}
