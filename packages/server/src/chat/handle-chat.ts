import type { Blobs, RunRecord, Session, Store } from '@troupe/core'
import {
  type Author,
  type ChatRequest,
  type Chunk,
  type Comparison,
  NamedError,
  type Part,
  type SessionRight,
  sessionRights,
  type StoredMessage,
} from '@troupe/protocol'
import { answerCommand, findBuiltIn } from '../commands/expand-message.ts'
import type { Commands } from '../commands/open-commands.ts'
import type { BlobScopes, Rights } from '../http/principal.ts'
import { sessionNotFound, sessionTrashed } from '../http/scope.ts'
import { checkParams } from '../models/call-settings.ts'
import type { Models } from '../models/models.ts'
import type { Permissions } from '../permission/permissions.ts'
import type { LiveRun, RunManager, RunRequest } from '../runs/run-manager.ts'
import { replayEvents } from '../runs/stored-answer.ts'
import {
  badRequest,
  blobsIn,
  checkAttachments,
  editId,
  equalParts,
  incomingId,
  isAnswer,
  mayBeCommand,
  newMessage,
  parseUserMessage,
  requestedModel,
  resolveParent,
  ruleTexts,
  runRequest,
  storedId,
  storeUploads,
  type TypedAddresses,
  type UserMessage,
  writtenParts,
} from './chat-request.ts'
import {
  assertCanRetry,
  handOver,
  newComparison,
  openComparison,
  pickedByReply,
  retryColumn,
  startColumns,
  storeColumns,
  storePick,
} from './compare-models.ts'
import { type ChatTurn, continueAnswer } from './continue-answer.ts'

export interface ChatContext {
  store: Store
  blobs: Blobs
  blobScopes: Pick<BlobScopes, 'of' | 'attach'>
  runs: RunManager
  models: Pick<Models, 'resolveChatModel' | 'of'>
  /** The sender of the request, in team mode. */
  from?: Pick<RunRequest, 'person' | 'requestId'>
  permissions: Pick<Permissions, 'checkMode' | 'initialMode' | 'modeOf' | 'setMode'>
  commands: Commands
  typedAddresses: TypedAddresses
  /** The usable default model of a folder or project, if it names one. */
  folderModel(at: { workspaceId: string; projectId?: string | null }): Promise<string | undefined>
}

export interface ChatOptions extends ChatContext {
  sessionId: string
  workspaceId: string
  /** The sender, who owns a new session. Null without accounts. */
  ownerId: string | null
  author?: Author | undefined
  rights: Pick<Rights, 'session'>
}

/**
 * Handles one chat request: a new message, retry, edit, regeneration, continuation or approval responses. Validates
 * everything before writing, and stores the user message before running. Callers must serialize the requests of one
 * session.
 */
export async function handleChat(request: ChatRequest, options: ChatOptions): Promise<ChatTurn> {
  const { store, runs, sessionId } = options
  if (request.mode !== undefined) options.permissions.checkMode(request.mode)
  if (request.rules !== undefined) ruleTexts(request.rules)
  if (request.imageSaveDir !== undefined) throw badRequest('imageSaveDir requires intent "image".')
  const session = await requestedSession(request, options)
  if (request.trigger === 'regenerate-message' || request.trigger === 'continue-message') {
    if (session === undefined) throw sessionNotFound(sessionId)
    return request.trigger === 'continue-message'
      ? continueCutAnswer(request, session, options)
      : regenerate(request, session, options)
  }
  const last = newMessage(request)
  if (last === undefined) throw badRequest('message (or messages) is missing.')
  if (isAnswer(last)) {
    if (session === undefined) throw sessionNotFound(sessionId)
    return continueAnswer(last, session.id, { store, runs })
  }
  const message = parseUserMessage(last)
  await checkAttachments(message, options.blobs)
  const known = session === undefined ? undefined : await store.messages.get({ sessionId }, message.id)
  if (session === undefined || known === undefined) return sendMessage({ message, request, session }, options)
  if (known.role !== 'user') throw badRequest(`The id ${message.id} belongs to an answer.`)
  if (equalParts(writtenParts(known.parts), message.parts)) return retryMessage(known, request, session, options)
  const edited = await store.messages.get({ sessionId }, editId(message))
  if (edited !== undefined) return retryMessage(edited, request, session, options, [branchPart(edited.id, known.id)])
  return sendMessage({ message, request, session, replaces: known }, options)
}

/** Returns the requested session if it exists. Throws if it cannot be used or belongs to another project. */
export async function requestedSession(request: ChatRequest, options: ChatOptions): Promise<Session | undefined> {
  const { store, sessionId, workspaceId } = options
  const { projectId } = request
  const session = await store.sessions.get(sessionId)
  if (session !== undefined && session.workspaceId !== workspaceId) throw sessionNotFound(sessionId)
  // Somebody else may have created it since the request was checked.
  if (session !== undefined && !includesWrite(await options.rights.session(session))) throw sessionNotFound(sessionId)
  if (session !== undefined && session.trashedAt !== null) throw sessionTrashed()
  if (projectId === undefined || projectId === null) return session
  if (!(await store.workspaces.projects(workspaceId)).some(({ id }) => id === projectId))
    throw new NamedError('ProjectNotFound', 'This project does not exist in this workspace.', {
      status: 404,
      data: { projectId },
    })
  if (session !== undefined && session.projectId !== projectId)
    throw new NamedError('OtherProject', 'This chat belongs to another project or to none.', {
      status: 409,
      data: { projectId: session.projectId },
    })
  return session
}

function includesWrite(right: SessionRight | undefined): boolean {
  return right !== undefined && sessionRights.indexOf(right) >= sessionRights.indexOf('write')
}

interface PendingMessage {
  message: UserMessage
  request: ChatRequest
  session: Session | undefined
  replaces?: StoredMessage
}

async function sendMessage(
  { message, request, session, replaces }: PendingMessage,
  options: ChatOptions,
): Promise<ChatTurn> {
  const { store, runs, sessionId, workspaceId } = options
  const at = { sessionId }
  const parentMessageId = replaces === undefined ? await resolveParent(request, at, store) : replaces.parentMessageId
  const chain = (): Promise<StoredMessage[]> =>
    parentMessageId === null ? Promise.resolve([]) : store.messages.chain(at, parentMessageId)
  const taken = await options.commands.expandMessage({ parts: message.parts, workspaceId, session, chain })
  const builtIn = mayBeCommand(taken.parts) && findBuiltIn(taken.parts) !== undefined
  const models = builtIn ? undefined : await comparedModels(request, options)
  const isCompared = parentMessageId !== null && (await store.messages.comparisonOf(at, parentMessageId)) !== undefined
  const picked = isCompared ? await pickedByReply(store, sessionId, parentMessageId) : undefined
  const model = models?.[0] ?? (await chosenModel(taken.parts, request, picked ?? session, options))
  const mode = session === undefined ? await options.permissions.initialMode(workspaceId) : session.mode
  await runs.assertFree(sessionId)
  await storeUploads(message, options.blobs)
  const opening: Chunk[] = [...taken.hints]
  const id = replaces === undefined ? message.id : editId(message)
  if (replaces !== undefined) opening.push(branchPart(id, replaces.id))
  const comparison = models && newComparison(models)
  const storeMessage = async (inside: Store): Promise<{ current: Session; records: RunRecord[] }> => {
    const { agent, projectId = null } = request
    if (session === undefined)
      await inside.sessions.create({
        id: sessionId,
        workspaceId,
        projectId,
        model,
        mode,
        agent,
        ownerId: options.ownerId,
      })
    const typed = options.typedAddresses.seal({ sessionId, messageId: id }, message.parts, request.typedUrls)
    const stored = { id, role: 'user' as const, parts: taken.parts, parentMessageId, createdAt: Date.now() }
    const { author } = options
    const hasMetadata = typed !== undefined || comparison !== undefined || author !== undefined
    const metadata = hasMetadata ? { typed, comparison, author } : undefined
    if (picked !== undefined) await storePick(inside, sessionId, picked)
    await inside.messages.add(at, { ...stored, metadata })
    const current = await rememberChoices(inside, sessionId, request)
    if (current.title !== (session?.title ?? ''))
      opening.push({ type: 'data-session-title', data: { title: current.title }, transient: true })
    if (builtIn) return { current, records: [] }
    const run = answerRequest(current, taken.parts, runRequest(request, model, { opening, ...options.from }))
    const start = { session: current, userMessageId: id, request: run }
    if (comparison !== undefined) return { current, records: await storeColumns(start, comparison, runs, inside) }
    return { current, records: [await runs.store(start, inside)] }
  }
  // One commit for the message and its run: a crash from here on does not leave the message unanswered.
  const { current, records } = await store.transaction(storeMessage, { exportLater: true, canGather: true })
  await options.blobScopes.attach(sessionId, blobsIn(taken.parts))
  const question = { id, parts: taken.parts }
  const [record] = records
  try {
    if (picked !== undefined) await handOver(runs, sessionId, picked)
    if (comparison !== undefined) {
      const started = await startColumns(await inMode(current, request, options), records, runs)
      return columnsOf(id, comparison, started)
    }
    return await startAnswer(
      current,
      question,
      request,
      runRequest(request, model, { opening, ...options.from }),
      options,
      record,
    )
  } catch (error) {
    // Another node has the chat and continues what is stored.
    const isElsewhere = error instanceof NamedError && (error.name === 'NotHere' || error.name === 'NodeLost')
    if (!isElsewhere) for (const one of records) await runs.withdraw(one)
    throw error
  }
}

/** Handles a message that is already stored: joins its run, replays its answer, or starts the missing run. */
async function retryMessage(
  known: StoredMessage,
  request: ChatRequest,
  session: Session,
  options: ChatOptions,
  opening: Chunk[] = [],
): Promise<ChatTurn> {
  const { store, runs } = options
  const at = { sessionId: session.id }
  const underWay = runs.get(session.id)
  const { comparison } = known.metadata ?? {}
  if (comparison !== undefined && (underWay === undefined || underWay.isCompared))
    return columnsOf(known.id, comparison)
  if (underWay?.userMessageId === known.id) return { kind: 'run', run: underWay }
  const leaf = await store.messages.latestLeaf(at, known.id)
  if (leaf !== undefined && leaf !== known.id) {
    const chain = await store.messages.chain(at, leaf)
    const answer = chain[chain.findIndex((message) => message.id === known.id) + 1]
    if (answer?.role === 'assistant') {
      return {
        kind: 'replay',
        sessionId: session.id,
        messageId: answer.id,
        events: await replayEvents(store, session.id, answer),
      }
    }
  }
  const model = await chosenModel(known.parts, request, session, options)
  await runs.assertFree(session.id)
  return startAnswer(session, known, request, runRequest(request, model, { opening, ...options.from }), options)
}

async function regenerate(request: ChatRequest, session: Session, options: ChatOptions): Promise<ChatTurn> {
  const { store, runs } = options
  const at = { sessionId: session.id }
  const named = request.messageId ?? incomingId(request.message ?? request.messages?.at(-1))
  let target = named === undefined ? undefined : await storedId(named, request, at, store)
  // A client that names a message wants exactly that one. One that sends its branch wants the last message stored here.
  if (request.messageId === undefined) target ??= await store.messages.latestLeaf(at)
  const message = target === undefined ? undefined : await store.messages.get(at, target)
  if (message === undefined) {
    throw new NamedError('MessageNotFound', 'The message to answer again does not exist.', {
      status: 404,
      data: { messageId: named ?? null },
    })
  }
  const userMessageId = message.role === 'user' ? message.id : message.parentMessageId
  const question = userMessageId === null ? undefined : await store.messages.get(at, userMessageId)
  if (question === undefined) throw badRequest('That answer has no user message.')
  const compared = openComparison(question, message.id)
  if (compared !== undefined) {
    const [before] = await store.runs.ofMessage(session.id, message.id)
    const asked = requestedModel(request) ?? before?.request['model'] ?? message.metadata?.model
    const model = await chosenModel([], { ...request, model: asked as string | undefined }, session, options)
    const run = answerRequest(session, question.parts, runRequest(request, model, { ...options.from }))
    await assertCanRetry(runs, session.id, question, message.id)
    await retryColumn(
      await inMode(session, request, options),
      compared,
      { messageId: message.id, request: run },
      options,
    )
    const now = (await store.messages.get(at, question.id))?.metadata?.comparison
    return columnsOf(question.id, now ?? compared.metadata.comparison)
  }
  const model = await chosenModel(question.parts, request, session, options)
  await runs.assertFree(session.id)
  const current = await rememberChoices(store, session.id, request)
  const opening = question.role === 'assistant' ? [continuesPart(question.id)] : []
  return startAnswer(current, question, request, runRequest(request, model, { opening, ...options.from }), options)
}

function columnsOf(userMessageId: string, { answers }: Comparison, started?: readonly LiveRun[]): ChatTurn {
  return { kind: 'columns', userMessageId, answers: answers.map(({ messageId }) => messageId), started }
}

/** Returns the models to compare. Throws if one is unavailable, or rejects the request's settings. */
async function comparedModels(request: ChatRequest, { models }: ChatContext): Promise<string[] | undefined> {
  if (request.models === undefined) return undefined
  const found = await Promise.all(request.models.map((model) => models.resolveChatModel(model)))
  for (const { definition } of found) if (request.params !== undefined) checkParams(request.params, definition)
  const ids = [...new Set(found.map(({ id }) => id))]
  if (ids.length < found.length) throw badRequest('Each model can be named only once.')
  return ids
}

/** Applies the requested mode to the session. */
async function inMode(session: Session, { mode }: ChatRequest, { permissions }: ChatContext): Promise<Session> {
  const wanted = mode === undefined ? permissions.modeOf(session) : permissions.checkMode(mode)
  return wanted === permissions.modeOf(session) ? session : permissions.setMode(session.id, wanted)
}

/** Continues an interrupted answer as a new message below it, so both stay intact. */
async function continueCutAnswer(request: ChatRequest, session: Session, options: ChatOptions): Promise<ChatTurn> {
  const { store, runs } = options
  const { messageId } = request
  if (messageId === undefined) throw badRequest('messageId is missing: the answer to continue.')
  const answer = await store.messages.get({ sessionId: session.id }, messageId)
  if (answer === undefined)
    throw new NamedError('MessageNotFound', 'This answer does not exist.', { status: 404, data: { messageId } })
  if (answer.role !== 'assistant') throw badRequest('Only an answer can be continued.')
  const model = await chosenModel([], request, session, options)
  await runs.assertFree(session.id)
  const current = await rememberChoices(store, session.id, request)
  const opening = [continuesPart(answer.id)]
  return startAnswer(
    current,
    { id: answer.id, parts: [] },
    request,
    runRequest(request, model, { opening, ...options.from }),
    options,
  )
}

/** Tells pages that missed the start of the run which answer it continues. */
function continuesPart(messageId: string): Chunk {
  return { type: 'message-metadata', messageMetadata: { continues: messageId } }
}

async function startAnswer(
  session: Session,
  question: Pick<StoredMessage, 'id' | 'parts'>,
  asked: ChatRequest,
  given: RunRequest,
  options: ChatContext,
  record?: RunRecord,
): Promise<ChatTurn> {
  const { runs, permissions, commands } = options
  const request = answerRequest(session, question.parts, given)
  const current = await inMode(session, asked, options)
  const userMessageId = question.id
  const builtIn = mayBeCommand(question.parts) ? findBuiltIn(question.parts) : undefined
  if (builtIn === undefined) {
    const start = { session: current, userMessageId, request, record }
    return { kind: 'run', run: await runs.start(start) }
  }
  const workspace = await commands.context.workspace(session)
  const turn = { session: current, workspace, userMessageId, opening: request.opening ?? [] }
  const outcome = await answerCommand(builtIn, turn, commands.context)
  if (outcome.kind === 'run') {
    const moved = outcome.mode === undefined ? current : await permissions.setMode(session.id, outcome.mode)
    const run = await runs.start({ session: moved, userMessageId, request: { ...request, ...outcome.run } })
    return { kind: 'run', run }
  }
  const events = outcome.chunks.map((chunk) => ({ chunk }))
  return { kind: 'replay', sessionId: session.id, messageId: outcome.message.id, events }
}

function answerRequest({ params }: Session, parts: readonly Part[], given: RunRequest): RunRequest {
  const { agent } = commandOverrides(parts)
  return { ...given, params: params ?? given.params, agent: agent ?? given.agent }
}

function commandOverrides(parts: readonly Part[]): { agent?: string; model?: string } {
  const part = parts.find(({ type }) => type === 'data-command')
  return part !== undefined && 'data' in part ? (part.data as { agent?: string; model?: string }) : {}
}

/** Returns the model to answer with. Throws if it is unavailable or rejects the request's settings. */
async function chosenModel(
  parts: readonly Part[],
  request: ChatRequest,
  session: (Pick<Session, 'model'> & { projectId?: string | null }) | undefined,
  { models, folderModel, workspaceId }: ChatContext & { workspaceId: string },
): Promise<string> {
  const wanted =
    commandOverrides(parts).model ??
    requestedModel(request) ??
    session?.model ??
    (await folderModel({ workspaceId, projectId: session?.projectId ?? request.projectId }))
  const { id, definition } = await models.resolveChatModel(wanted)
  if (request.params !== undefined) checkParams(request.params, definition)
  return id
}

function branchPart(messageId: string, replaces: string): Chunk {
  return { type: 'data-branch', data: { messageId, replaces } }
}

async function rememberChoices(store: Store, sessionId: string, request: ChatRequest): Promise<Session> {
  const { params } = request
  const model = requestedModel(request)
  const session = await store.sessions.get(sessionId)
  if (session === undefined) throw sessionNotFound(sessionId)
  const changed = model === session.model ? undefined : model
  if (changed === undefined && params === undefined) return session
  return store.sessions.update(sessionId, { model: changed, params })
}
