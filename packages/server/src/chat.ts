import {
  isId,
  NamedError,
  newId,
  type Answer,
  type Blobs,
  type ChatRequest,
  type Chunk,
  type Part,
  type Session,
  type Store,
  type StoredMessage,
} from '@troupe/core'
import type { Live, LiveRun, RunRequest } from './live.ts'
import { parseUserMessage } from './parse-user-message.ts'

/** What a request to chat turned out to be. */
export type ChatTurn =
  | { kind: 'run'; run: LiveRun; after?: number }
  /** A retry of a message that has its answer: the answer is sent again. */
  | { kind: 'replay'; sessionId: string; message: StoredMessage; runId: string | undefined }

export interface ChatOptions {
  store: Store
  blobs: Blobs
  live: Live
  workspaceId: string
  /** The full id of the model that an id, or nothing, stands for; throws a NamedError that says what to set. */
  modelId(id: string | undefined): Promise<string>
}

/**
 * Takes one chat request: a new message, a retry, an edit, a regeneration, or the answers to open approvals. Everything
 * that can be wrong with it is found before anything is written; the user message is stored before anything runs.
 */
export async function takeChat(request: ChatRequest, options: ChatOptions): Promise<ChatTurn> {
  const { store, live } = options
  const sessionId = request.sessionId ?? request.id
  if (sessionId === undefined) throw badRequest('sessionId (or id) is missing.')
  const session = await store.sessions.get(sessionId)
  if (session !== undefined && session.workspaceId !== options.workspaceId) throw new NamedError('SessionNotFound', 'There is no such session in this workspace.', { status: 404 })
  if (request.trigger === 'regenerate-message') {
    if (session === undefined) throw new NamedError('SessionNotFound', 'There is no such session.', { status: 404, data: { sessionId } })
    return regenerate(request, session, options)
  }
  const last = request.message ?? request.messages?.at(-1)
  if (last === undefined) throw badRequest('message (or messages) is missing.')
  if (isAnswer(last)) return answerApprovals(last, sessionId, live)

  const message = await parseUserMessage(last, options.blobs)
  const known = session === undefined ? undefined : await store.messages.get({ sessionId }, message.id)
  if (known !== undefined && session !== undefined) {
    if (known.role !== 'user') throw badRequest(`The id ${message.id} belongs to an answer.`)
    if (equalParts(known.parts, message.parts)) return retry(known, request, session, options)
  }
  const model = await options.modelId(modelOf(request) ?? session?.model ?? undefined)
  refuseBusy(live, sessionId)
  const opened = session ?? (await store.sessions.create({ id: sessionId, workspaceId: options.workspaceId, model, ...(request.agent !== undefined && { agent: request.agent }) }))
  const opening: Chunk[] = []
  const stored: StoredMessage = {
    id: message.id,
    role: 'user',
    parts: message.parts,
    parentMessageId: known === undefined ? await parentOf(request, opened, store) : known.parentMessageId,
    createdAt: Date.now(),
  }
  if (known !== undefined) {
    stored.id = newId('msg_')
    opening.push({ type: 'data-branch', data: { messageId: stored.id, replaces: known.id } })
  }
  await store.messages.add({ sessionId }, stored)
  const current = await rememberModel(store, opened, modelOf(request))
  if (current.title !== (session?.title ?? '')) opening.push({ type: 'data-session-title', data: { title: current.title }, transient: true })
  return { kind: 'run', run: await live.start({ session: current, userMessageId: stored.id, request: runRequest(request, model, opening) }) }
}

async function retry(known: StoredMessage, request: ChatRequest, session: Session, options: ChatOptions): Promise<ChatTurn> {
  const { store, live } = options
  const under = live.get(session.id)
  if (under?.userMessageId === known.id) return { kind: 'run', run: under }
  const answerId = await store.messages.latestLeaf({ sessionId: session.id }, known.id)
  if (answerId !== undefined && answerId !== known.id) {
    const chain = await store.messages.chain({ sessionId: session.id }, answerId)
    const answer = chain[chain.findIndex((message) => message.id === known.id) + 1]
    if (answer !== undefined) {
      const [run] = await store.runs.ofMessage(session.id, answer.id)
      return { kind: 'replay', sessionId: session.id, message: answer, runId: run?.id }
    }
  }
  const model = await options.modelId(modelOf(request) ?? session.model ?? undefined)
  return { kind: 'run', run: await live.start({ session, userMessageId: known.id, request: runRequest(request, model) }) }
}

async function regenerate(request: ChatRequest, session: Session, options: ChatOptions): Promise<ChatTurn> {
  const { store, live } = options
  const at = { sessionId: session.id }
  const target = request.messageId ?? (await lastStored(request, at, store)) ?? (await store.messages.latestLeaf(at))
  const message = target === undefined ? undefined : await store.messages.get(at, target)
  if (message === undefined) throw new NamedError('MessageNotFound', 'There is no such message to answer again.', { status: 404, data: { messageId: target ?? null } })
  const userMessageId = message.role === 'user' ? message.id : message.parentMessageId
  if (userMessageId === null) throw badRequest('That answer has no question.')
  const model = await options.modelId(modelOf(request) ?? session.model ?? undefined)
  refuseBusy(live, session.id)
  const current = await rememberModel(store, session, modelOf(request))
  return { kind: 'run', run: await live.start({ session: current, userMessageId, request: runRequest(request, model) }) }
}

/** The SDK's client sends its copy of the branch; its last message is the one to answer anew. */
async function lastStored(request: ChatRequest, at: { sessionId: string }, store: Store): Promise<string | undefined> {
  const id = idOf(request.message ?? request.messages?.at(-1))
  return id !== undefined && (await store.messages.get(at, id)) !== undefined ? id : undefined
}

/** A POST whose last message is the waiting answer: its answered approvals are given to their asks. */
async function answerApprovals(message: { id: string; parts: unknown[] }, sessionId: string, live: Live): Promise<ChatTurn> {
  const run = live.get(sessionId)
  if (run === undefined || run.messageId !== message.id) {
    throw new NamedError('NoWaitingRun', 'The last message is an answer, and no run waits for approvals of it.', { status: 409, data: { messageId: message.id } })
  }
  const after = run.log.number
  let answered = 0
  for (const part of message.parts) {
    const { state, approval } = part as { state?: string; approval?: { id?: unknown; approved?: unknown; reason?: unknown } }
    if (state !== 'approval-responded' || typeof approval?.id !== 'string' || typeof approval.approved !== 'boolean') continue
    const remark = typeof approval.reason === 'string' && approval.reason !== '' ? { remark: approval.reason } : {}
    const answer: Answer = approval.approved ? { type: 'approve' } : { type: 'deny', ...remark }
    try {
      await live.answer(approval.id, answer)
      answered++
    } catch (error) {
      // The client sends every approval it ever answered; those that are closed are no news.
      if (!(error instanceof NamedError && (error.name === 'AskClosed' || error.name === 'AskNotFound'))) throw error
    }
  }
  if (answered === 0 && run.status === 'waiting') throw new NamedError('NothingAnswered', 'The message answers none of the open approvals.', { status: 409 })
  return { kind: 'run', run, after }
}

/** `parentMessageId`, else the message before it if stored, else the current leaf. */
async function parentOf(request: ChatRequest, session: Session, store: Store): Promise<string | null> {
  if (request.parentMessageId !== undefined) return request.parentMessageId
  const at = { sessionId: session.id }
  const before = idOf(request.messages?.at(-2))
  if (before !== undefined && (await store.messages.get(at, before)) !== undefined) return before
  return (await store.messages.latestLeaf(at)) ?? null
}

async function rememberModel(store: Store, session: Session, model: string | undefined): Promise<Session> {
  if (model !== undefined && model !== session.model) return store.sessions.update(session.id, { model })
  return (await store.sessions.get(session.id)) ?? session
}

function runRequest(request: ChatRequest, model: string, opening: Chunk[] = []): RunRequest {
  return {
    model,
    ...(request.agent !== undefined && { agent: request.agent }),
    ...(request.mode !== undefined && { mode: request.mode }),
    ...(request.clientId !== undefined && { client: request.clientId }),
    ...(request.tabId !== undefined && { tab: request.tabId }),
    ...(request.pageId !== undefined && { page: request.pageId }),
    ...(request.headless === true && { headless: true }),
    ...(request.maxSteps !== undefined && { limits: { steps: request.maxSteps } }),
    ...(opening.length > 0 && { opening }),
  }
}

/** The old spelling is taken too. */
function modelOf(request: ChatRequest): string | undefined {
  return request.model ?? request.chatModelId
}

function refuseBusy(live: Live, sessionId: string): void {
  const busy = live.get(sessionId)
  if (busy !== undefined) throw new NamedError('SessionBusy', 'This session is answering another message. Stop it, or wait for its end.', { status: 409, data: { runId: busy.id } })
}

function isAnswer(message: unknown): message is { id: string; parts: unknown[] } {
  const { role, parts, id } = message as { role?: unknown; parts?: unknown; id?: unknown }
  return role === 'assistant' && Array.isArray(parts) && isId(id)
}

function idOf(message: unknown): string | undefined {
  const id = (message as { id?: unknown } | undefined)?.id
  return isId(id) ? id : undefined
}

function equalParts(a: readonly Part[], b: readonly Part[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function badRequest(message: string): NamedError {
  return new NamedError('BadRequest', message)
}
