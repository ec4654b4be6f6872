import type { Session } from '@troupe/core'
import { type ChatRequest, type Chunk, NamedError, type StoredMessage } from '@troupe/protocol'
import { replayEvents } from '../runs/stored-answer.ts'
import { badRequest, incomingId, requestedModel, runRequest, storedId } from './chat-request.ts'
import { assertCanRetry, openComparison, retryColumn } from './compare-models.ts'
import type { ChatTurn } from './continue-answer.ts'
import {
  type ChatOptions,
  columnsOf,
  inMode,
  continuesPart,
  startAnswer,
  answerRequest,
  chosenModel,
  rememberChoices,
} from './send-message.ts'

/** Handles a message that is already stored: joins its run, replays its answer, or starts the missing run. */
export async function retryMessage(
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

export async function regenerate(request: ChatRequest, session: Session, options: ChatOptions): Promise<ChatTurn> {
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

/** Continues an interrupted answer as a new message below it, so both stay intact. */
export async function continueCutAnswer(
  request: ChatRequest,
  session: Session,
  options: ChatOptions,
): Promise<ChatTurn> {
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
