import type { BranchPage, SiblingPlace } from '@troupe/core'
import type { DataParts, ErrorInfo, Message, Part, StoredMessage } from '@troupe/protocol'
import { isRecord } from '../../api/read-fields.ts'
import { partData, type Progress } from './message-parts.ts'

/** One session as this page knows it. Everything here is replaced, never changed in place. */
export interface SessionState {
  sessionId: string
  /** The sub-agent whose conversation it is; null for the session's own. */
  agentId: string | null
  phase: 'new' | 'loading' | 'ready' | 'missing' | 'failed'
  failure: ErrorInfo | null
  /** One branch from the oldest loaded message to its leaf, as stored. */
  messages: StoredMessage[]
  siblings: Record<string, SiblingPlace>
  older: { hasMore: boolean; before: string | null; loading: boolean }
  run: ActiveRun | null
  connection: 'open' | 'lost'
  /** A message of this page that the server has not taken. */
  unsent: Unsent | null
  /** What is being typed. */
  draft: string
  /** Files that go with it. */
  attachments: readonly DraftAttachment[]
  /** A message that is to be brought into sight. */
  target: string | null
  /** Asks whose answer is on its way. */
  answering: readonly string[]
}

export interface ActiveRun {
  /** The message that is being answered; null when this page did not see it begin. */
  parentMessageId: string | null
  /** What there is of the answer; null until its first chunk. */
  answer: Message | null
  progress: Record<string, Progress>
  /** What was said meanwhile and has not been taken up yet. */
  steering: Steering[]
  /** The provider refused for now and is asked again. */
  retry: { attempt: number; delayMs: number; message: string } | null
  errorText: string | null
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
  /** Null while its bytes are on their way. */
  url: string | null
  /** How much of it has gone, from 0 to 1. */
  sent?: number
  /** It was pasted as text, and can be text again. */
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

/** The tail of a branch as the server has it. What was loaded above it stays if it still belongs there. */
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
    siblings: { ...(kept.length > 0 && state.siblings), ...page.siblings },
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

/** A message of the person, shown at once below its parent; what stood there is another branch now. */
export function withUserMessage(state: SessionState, message: StoredMessage, now: number): SessionState {
  const messages = [...upTo(state.messages, message.parentMessageId), message]
  return { ...state, phase: 'ready', messages, unsent: null, run: newRun(message.id, now) }
}

/** The answer to this message is being written anew. */
export function withRegeneration(state: SessionState, parentMessageId: string, now: number): SessionState {
  return { ...state, messages: upTo(state.messages, parentMessageId), unsent: null, run: newRun(parentMessageId, now) }
}

/** What the stream has brought since the last look. */
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

/** The run is over: its answer takes its place among the messages until the server's own copy arrives. */
export function withRunEnded(state: SessionState): SessionState {
  const { run } = state
  if (run === null) return state
  const messages = visibleMessages(state).map(({ live: _, ...message }) => message)
  return { ...state, messages, run: null, answering: [], connection: 'open' }
}

/** The server refused to take the message: it stays in sight, with the reason. */
export function withRefusal(state: SessionState, messageId: string, error: ErrorInfo): SessionState {
  return { ...state, run: null, unsent: { messageId, error } }
}

/** A compaction was switched off, or on again. */
export function withCompaction(state: SessionState, data: DataParts['compaction']): SessionState {
  const isIt = (part: { type: string }) => partData(part, 'compaction')?.id === data.id
  const messages = state.messages.map((message) =>
    message.parts.some(isIt)
      ? { ...message, parts: message.parts.map((part) => (isIt(part) ? ({ ...part, data } as typeof part) : part)) }
      : message,
  )
  return { ...state, messages }
}

/** The message was not taken and waits elsewhere. */
export function withoutMessage(state: SessionState, messageId: string): SessionState {
  return { ...state, messages: state.messages.filter(({ id }) => id !== messageId), run: null, unsent: null }
}

/** The message goes back to where it was typed. */
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

/** The text of a message as a person would copy it. */
export function messageText(message: Pick<StoredMessage, 'parts'> | undefined): string {
  const texts = (message?.parts ?? []).flatMap((part) => (part.type === 'text' ? part.text : []))
  return texts.join('\n\n')
}

export type VisibleMessage = StoredMessage & { live?: true }

/** The branch with the live answer in its place. An answer that belongs to another branch is not shown in this one. */
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

/** The branch down to the message that is being answered; undefined when that message is not part of it. */
function answered(messages: StoredMessage[], parentMessageId: string | null): StoredMessage[] | undefined {
  const isParent = (message: StoredMessage) =>
    parentMessageId === null ? message.role === 'user' : message.id === parentMessageId
  const index = messages.findLastIndex(isParent)
  return index < 0 && messages.length > 0 ? undefined : messages.slice(0, index + 1)
}

function upTo(messages: StoredMessage[], messageId: string | null): StoredMessage[] {
  return messages.slice(0, messages.findIndex((message) => message.id === messageId) + 1)
}

/** The calls of an answer that wait for a person's yes or no. */
function openApprovals(message: Pick<Message, 'parts'> | null): string[] {
  return (message?.parts ?? []).flatMap((part) =>
    'approval' in part && part.state === 'approval-requested' ? part.approval.id : [],
  )
}

/** Everything of an answer that waits for a person. What a call has asked is over when the call is. */
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

/** What a page is asked to do it does by itself, unless it needs a click. */
function isForPerson({ kind, content }: DataParts['ask']): boolean {
  return kind !== 'browser' || (isRecord(content) && content['byPerson'] === true)
}

/** Whether the run can only be moved on by a person. */
export function isWaiting(run: ActiveRun | null): boolean {
  return openAsks(run?.answer ?? null).length > 0
}

/** Whether the run, if there is one, belongs to the branch in sight. */
export function isRunOnBranch(state: Pick<SessionState, 'messages' | 'run'>): boolean {
  const { messages, run } = state
  if (run === null) return false
  if (run.answer === null) return run.parentMessageId === null || messages.at(-1)?.id === run.parentMessageId
  return visibleMessages(state).some((message) => 'live' in message)
}

export type FilePartData = Extract<Part, { type: 'file' }>

/**
 * What goes on in a conversation: `new` and nothing said yet, `loading`, `ready` for a message, `submitted` and not a
 * word of the answer yet, `streaming`, `waiting` for the person, `failed` to load, `missing` since it was deleted.
 */
export type ChatStatus = 'new' | 'loading' | 'ready' | 'submitted' | 'streaming' | 'waiting' | 'failed' | 'missing'

export function chatStatus({ phase, run }: Pick<SessionState, 'phase' | 'run'>): ChatStatus {
  if (run === null || phase === 'missing') return phase
  if (isWaiting(run)) return 'waiting'
  return run.answer === null ? 'submitted' : 'streaming'
}
