import type { RunRecord, Session, Store } from '@troupe/core'
import { type Comparison, NamedError, newId, type StoredMessage } from '@troupe/protocol'
import type { LiveRun, RunRequest } from '../runs/run-manager.ts'
import type { RunManager } from '../runs/run-types.ts'
import { sessionBusy } from '../runs/run-errors.ts'

/** A message that several models answer, each in its own run. */
interface Compared {
  session: Session
  userMessageId: string
  /** Without the model, which differs by column. */
  request: RunRequest
}

export function newComparison(models: readonly string[]): Comparison {
  return { answers: models.map((model) => ({ messageId: newId('msg_'), model })) }
}

/** Stores a run per column, in the transaction that stores the user message. */
export async function storeColumns(
  { session, userMessageId, request }: Compared,
  { answers }: Comparison,
  runs: RunManager,
  inside: Store,
): Promise<RunRecord[]> {
  const records: RunRecord[] = []
  for (const [index, { messageId, model }] of answers.entries()) {
    // The hints for the message are shown once.
    const opening = index === 0 ? request.opening : undefined
    const own = { ...request, model, opening, column: { index, messageId } }
    records.push(await runs.store({ session, userMessageId, request: own, messageId }, inside))
  }
  return records
}

/** Starts stored columns. One that cannot start becomes a failed answer next to the others. */
export async function startColumns(
  session: Session,
  records: readonly RunRecord[],
  runs: RunManager,
): Promise<LiveRun[]> {
  const started: LiveRun[] = []
  for (const record of records) {
    const { userMessageId, request } = record
    try {
      started.push(await runs.start({ session, userMessageId, request: request as RunRequest, record }))
    } catch (error) {
      await runs.withdraw(record, error)
    }
  }
  return started
}

/** Throws `SessionBusy` (409) if the answer is still written, or if a live run is not one of its columns. */
export async function assertCanRetry(
  runs: RunManager,
  sessionId: string,
  question: StoredMessage,
  messageId: string,
): Promise<void> {
  await runs.closed(sessionId)
  const busy = runs
    .all(sessionId)
    .find((run) => run.messageId === messageId || run.column === undefined || run.userMessageId !== question.id)
  if (busy !== undefined) throw sessionBusy(busy)
}

/** Answers a column again. The earlier answer stays as a branch. Call `assertCanRetry` first. */
export async function retryColumn(
  session: Session,
  question: StoredMessage & { metadata: { comparison: Comparison } },
  column: { messageId: string; request: RunRequest },
  { store, runs }: { store: Store; runs: RunManager },
): Promise<void> {
  const { comparison } = question.metadata
  const index = comparison.answers.findIndex(({ messageId }) => messageId === column.messageId)
  const messageId = newId('msg_')
  const { model } = column.request
  const answers = comparison.answers.with(index, { messageId, model })
  const request = { ...column.request, column: { index, messageId } }
  const record = await store.transaction(async (inside) => {
    const metadata = { ...question.metadata, comparison: { ...comparison, answers } }
    await inside.messages.replace({ sessionId: session.id }, { ...question, metadata })
    return runs.store({ session, userMessageId: question.id, request, messageId }, inside)
  })
  await startColumns(session, [record], runs)
}

/** The open comparison that an answer belongs to. Undefined once the user continued with an answer. */
export function openComparison(
  question: StoredMessage | undefined,
  answerId: string,
): (StoredMessage & { metadata: { comparison: Comparison } }) | undefined {
  const comparison = question?.metadata?.comparison
  if (question === undefined || comparison === undefined || comparison.picked !== undefined) return undefined
  if (!comparison.answers.some(({ messageId }) => messageId === answerId)) return undefined
  return { ...question, metadata: { ...question.metadata, comparison } }
}

/** The answer of a comparison that the user continues with. */
interface Picked {
  question: StoredMessage
  comparison: Comparison
  messageId: string
  model: string
}

/** A message below one of several answers continues with that answer. */
export async function pickedByReply(
  store: Store,
  sessionId: string,
  parentMessageId: string | null,
): Promise<Picked | undefined> {
  const at = { sessionId }
  const parent = parentMessageId === null ? undefined : await store.messages.get(at, parentMessageId)
  if (parent?.role !== 'assistant' || parent.parentMessageId === null) return undefined
  const question = openComparison(await store.messages.get(at, parent.parentMessageId), parent.id)
  return question && pickedOf(question, question.metadata.comparison, parent.id)
}

function pickedOf(question: StoredMessage, comparison: Comparison, messageId: string): Picked | undefined {
  const chosen = comparison.answers.find((one) => one.messageId === messageId)
  return chosen && { question, comparison, messageId, model: chosen.model }
}

/** Stores the choice. Call `handOver` after the commit. */
export async function storePick(inside: Store, sessionId: string, picked: Picked): Promise<void> {
  const { question, messageId, model } = picked
  const comparison = { ...picked.comparison, picked: messageId }
  await inside.messages.replace({ sessionId }, { ...question, metadata: { ...question.metadata, comparison } })
  await inside.sessions.update(sessionId, { model })
}

/** The chat continues from the picked run. Stops the others. */
export async function handOver(runs: RunManager, sessionId: string, picked: Picked): Promise<void> {
  const { answers } = picked.comparison
  const others = answers.flatMap(({ messageId }) => (messageId === picked.messageId ? [] : [messageId]))
  await runs.pick(sessionId, picked.messageId, others)
}

/**
 * Continues with one of several answers, stored or still being written. Throws `MessageNotFound` (404) and
 * `NotCompared` (409). Callers must serialize the requests of one session.
 */
export async function pickAnswer(
  session: Session,
  messageId: string,
  { store, runs }: { store: Store; runs: RunManager },
): Promise<{ messageId: string; answers: Comparison['answers']; picked: string }> {
  const at = { sessionId: session.id }
  const answer = await store.messages.get(at, messageId)
  const questionId = runs.get(session.id, messageId)?.userMessageId ?? answer?.parentMessageId ?? undefined
  const question = questionId === undefined ? undefined : await store.messages.get(at, questionId)
  if (question === undefined) throw new NamedError('MessageNotFound', 'This message does not exist.', { status: 404 })
  const comparison = question.metadata?.comparison
  const picked = comparison && pickedOf(question, comparison, messageId)
  if (picked === undefined)
    throw new NamedError('NotCompared', 'This answer is not part of a comparison.', { status: 409 })
  await store.transaction((inside) => storePick(inside, session.id, picked))
  await handOver(runs, session.id, picked)
  return { messageId: question.id, answers: picked.comparison.answers, picked: messageId }
}
