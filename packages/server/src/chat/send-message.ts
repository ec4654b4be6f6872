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
import type { LiveRun, RunRequest } from '../runs/run-manager.ts'
import type { RunManager } from '../runs/run-types.ts'
import { isElsewhere } from '../runs/run-errors.ts'
import {
  badRequest,
  blobsIn,
  editId,
  mayBeCommand,
  requestedModel,
  resolveParent,
  runRequest,
  storeUploads,
  type TypedAddresses,
  type UserMessage,
} from './chat-request.ts'
import { handOver, newComparison, pickedByReply, startColumns, storeColumns, storePick } from './compare-models.ts'
import type { ChatTurn } from './continue-answer.ts'

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

export async function sendMessage(
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
    if (!isElsewhere(error)) for (const one of records) await runs.withdraw(one)
    throw error
  }
}

export function columnsOf(userMessageId: string, { answers }: Comparison, started?: readonly LiveRun[]): ChatTurn {
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
export async function inMode(session: Session, { mode }: ChatRequest, { permissions }: ChatContext): Promise<Session> {
  const wanted = mode === undefined ? permissions.modeOf(session) : permissions.checkMode(mode)
  return wanted === permissions.modeOf(session) ? session : permissions.setMode(session.id, wanted)
}

/** Tells pages that missed the start of the run which answer it continues. */
export function continuesPart(messageId: string): Chunk {
  return { type: 'message-metadata', messageMetadata: { continues: messageId } }
}

export async function startAnswer(
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

export function answerRequest({ params }: Session, parts: readonly Part[], given: RunRequest): RunRequest {
  const { agent } = commandOverrides(parts)
  return { ...given, params: params ?? given.params, agent: agent ?? given.agent }
}

function commandOverrides(parts: readonly Part[]): { agent?: string; model?: string } {
  const part = parts.find(({ type }) => type === 'data-command')
  return part !== undefined && 'data' in part ? (part.data as { agent?: string; model?: string }) : {}
}

/** Returns the model to answer with. Throws if it is unavailable or rejects the request's settings. */
export async function chosenModel(
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

export function branchPart(messageId: string, replaces: string): Chunk {
  return { type: 'data-branch', data: { messageId, replaces } }
}

export async function rememberChoices(store: Store, sessionId: string, request: ChatRequest): Promise<Session> {
  const { params } = request
  const model = requestedModel(request)
  const session = await store.sessions.get(sessionId)
  if (session === undefined) throw sessionNotFound(sessionId)
  const changed = model === session.model ? undefined : model
  if (changed === undefined && params === undefined) return session
  return store.sessions.update(sessionId, { model: changed, params })
}
