import type { Media } from '@troupe/core'
import {
  chatEndpoints,
  type Chunk,
  formatEvent,
  NamedError,
  type StoredMessage,
  type ChatRequest,
} from '@troupe/protocol'
import { expandSteering } from '../commands/expand-message.ts'
import { authorOf, personIdOf, type Principal } from '../http/principal.ts'
import { type Ctx, implement, resumeAfter, type Route, streamHeaders, streamResponse } from '../http/route.ts'
import { findSession, sessionNotFound } from '../http/scope.ts'
import type { TurnDescription } from '../http/turn-description.ts'
import type { Permissions } from '../permission/permissions.ts'
import { noRun } from '../runs/run-errors.ts'
import type { LogEvent } from '../runs/subscriber.ts'
import type { Payer } from '../usage/budget-accounts.ts'
import type { KeyedMutex } from '../util/concurrency.ts'
import { streamColumns } from './column-stream.ts'
import { type ChatContext, type ChatOptions, requestedSession, sendMessage, branchPart } from './send-message.ts'
import { handleImageRequest } from './image-answer.ts'
import {
  claimedAddresses,
  requestedModel,
  badRequest,
  checkAttachments,
  editId,
  equalParts,
  isAnswer,
  newMessage,
  parseUserMessage,
  ruleTexts,
  writtenParts,
} from './chat-request.ts'
import { type ChatTurn, continueAnswer } from './continue-answer.ts'
import { retryMessage, regenerate, continueCutAnswer } from './answer-again.ts'

interface ChatRoutesOptions extends ChatContext {
  media: Media
  lock: KeyedMutex
  permissions: ChatContext['permissions'] & Pick<Permissions, 'noteUserHosts'>
  /** In a cluster, the response for a node that forwarded the request and follows the runs itself. */
  describeTurn?: ((c: Ctx, turn: TurnDescription) => Response | undefined) | undefined
  /** Only in team mode. */
  governance?: { limits: { admitRun(payer: Payer): Promise<void> } } | undefined
}

export function chatRoutes(options: ChatRoutesOptions): Route[] {
  const { runs, store } = options
  const stored = (sessionId: string, messageId: string): Promise<StoredMessage | undefined> =>
    store.messages.get({ sessionId }, messageId)

  return implement(chatEndpoints, {
    'POST /ai/chat': async ({ principal, rights, requestId, body, query, workspaceId }, c) => {
      const sessionId = body.sessionId ?? body.id
      if (sessionId === undefined) throw new NamedError('BadRequest', 'sessionId (or id) is missing.')
      const given = {
        ...options,
        ...(await admit(principal, requestedModel(body), { workspaceId, requestId })),
        sessionId,
        workspaceId,
        ownerId: personIdOf(principal) ?? null,
        author: authorOf(principal),
        rights,
        blobs: options.blobScopes.of(principal),
      }
      const turn =
        body.intent === 'image'
          ? await handleImageRequest(body, given)
          : await options.lock(sessionId, async () => {
              await runs.closed(sessionId)
              return handleChat(body, given)
            })
      if (turn.kind === 'replay') {
        if (body.responseMode !== 'json') return replayResponse(c, turn.events)
        return { sessionId, message: await stored(sessionId, turn.messageId), waiting: false }
      }
      const untilWaiting = query.hold !== '1'
      if (turn.kind === 'columns') {
        if (body.responseMode === 'json') return columnsAnswer(sessionId, turn.answers)
        const { userMessageId, started } = turn
        const described = options.describeTurn?.(c, { sessionId, userMessageId })
        if (described !== undefined) return described
        return streamResponse(c, streamColumns({ sessionId, userMessageId, started, after: [], untilWaiting }, options))
      }
      const { run, after } = turn
      if (body.responseMode === 'json') {
        await run.settled()
        const waiting = run.status === 'waiting'
        if (!waiting) await run.done
        return { sessionId, message: await stored(sessionId, run.messageId), waiting }
      }
      const { userMessageId } = run
      const described = options.describeTurn?.(c, { sessionId, userMessageId, runId: run.id, after })
      return described ?? streamResponse(c, (sink) => run.subscribe(sink, { untilWaiting, after }))
    },
    'GET /ai/chat/:sessionId/stream': async ({ params, query, workspaceId }, c) => {
      const { id: sessionId } = await findSession(store, params.sessionId, workspaceId)
      const run = runs.get(sessionId)
      if (run === undefined) return undefined
      const { userMessageId } = run
      const after = resumeAfter(c, query.after)
      const untilWaiting = query.hold === '0'
      if (run.isCompared)
        return streamResponse(c, streamColumns({ sessionId, userMessageId, after, untilWaiting }, options))
      return streamResponse(c, (sink) => run.subscribe(sink, { after, untilWaiting }))
    },
    'POST /ai/chat/:sessionId/stop': async ({ params, query, workspaceId }) => {
      const { id } = await findSession(store, params.sessionId, workspaceId)
      const stopped = await runs.stop(id, query.messageId)
      if (stopped === undefined) throw noRun()
      return { stopped: true as const, ...stopped }
    },
    'POST /ai/chat/:sessionId/steer': async ({ principal, params, body, workspaceId }) => {
      const session = await findSession(store, params.sessionId, workspaceId)
      if (runs.get(session.id) === undefined) throw noRun()
      const { message, hints } = await expandSteering(body, session, options)
      options.permissions.noteUserHosts(session.id, claimedAddresses(body.text, body.typedUrls))
      await runs.steer(session.id, { ...message, author: authorOf(principal) })
      return { id: body.id, hints }
    },
  })

  /** In team mode, checks the caller's rates, and returns the models with their keys. */
  async function admit(
    principal: Principal,
    model: string | undefined,
    { workspaceId, requestId }: { workspaceId: string; requestId: string | undefined },
  ): Promise<Partial<Pick<ChatContext, 'from' | 'models'>>> {
    if (options.governance === undefined) return {}
    const person = principal.kind === 'person' ? principal.person.id : undefined
    const folder = (await store.workspaces.get(workspaceId))?.path
    await options.governance.limits.admitRun({ person, folder, model })
    if (person === undefined) return { from: { requestId } }
    return { from: { person, requestId }, models: (await options.models.of?.(person)) ?? options.models }
  }

  async function columnsAnswer(sessionId: string, answers: readonly string[]) {
    const live = runs.all(sessionId).filter(({ messageId }) => answers.includes(messageId))
    await Promise.all(live.map((run) => run.settled()))
    await Promise.all(live.flatMap((run) => (run.status === 'waiting' ? [] : [run.done])))
    const all = await Promise.all(answers.map((messageId) => stored(sessionId, messageId)))
    const messages = all.filter((message) => message !== undefined)
    return { sessionId, message: messages[0], messages, waiting: live.some(({ status }) => status === 'waiting') }
  }
}

/** Streams a finished answer to a client that retries after missing the end. */
function replayResponse(c: Ctx, events: (LogEvent | { chunk: Chunk })[]): Response {
  const text = events.map((event) =>
    'number' in event ? formatEvent(event.number, event.chunk) : `data: ${JSON.stringify(event.chunk)}\n\n`,
  )
  return c.body(`${text.join('')}data: [DONE]\n\n`, 200, streamHeaders)
}

/**
 * Handles one chat request: a new message, retry, edit, regeneration, continuation or approval responses. Validates
 * everything before writing, and stores the user message before running. Callers must serialize the requests of one
 * session.
 */
async function handleChat(request: ChatRequest, options: ChatOptions): Promise<ChatTurn> {
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
