import {
  type Answer,
  answerProblem,
  type Ask,
  type AskKind,
  type Asks,
  askTimeout,
  longestAskMs,
  type Store,
} from '@troupe/core'
import { NamedError, type Chunk, type DataParts } from '@troupe/protocol'
import type { PageCalls } from '../tabs/page-calls.ts'

/** All open asks of all runs. An answer given while nobody waits (during a restart) is found later. */
export interface Inbox extends Asks {
  /**
   * Throws `AskNotFound` (404), `AskClosed` (409), `WrongAnswer` (422), `ForeignClient` (403), and changes nothing
   * then. `also` is written in the same commit.
   */
  answer(id: string, answer: Answer, options?: AnswerOptions): Promise<Ask>
  /** Returns an ask by id. Waits for one that a stream has shown but that is still being opened. */
  find(id: string): Promise<Ask | undefined>
  /** Returns open asks, including those a stream has just shown: a page requests the list when it sees one. */
  list(options: { sessionId?: string; runId?: string }): Promise<Ask[]>
  /** True while an answer for a run of the session is being stored, and the run does not know it yet. */
  isAnswering(sessionId: string): boolean
  /** Called before a stream shows the id of an ask that is about to open. */
  announce(id: string): void
  /**
   * Handles a page's report about a call. Returns `stored` if its ask does not exist yet: the report is kept for 30
   * seconds if it comes from the page that owns `run`. Throws the errors of `answer` and `EarlyAnswers.put`.
   */
  acknowledge(early: EarlyAnswer, run?: { client?: string | undefined }): Promise<'resolved' | 'stored'>
}

export interface AnswerOptions {
  client?: string
  also?: (store: Store) => Promise<void>
}

const answerTypes: Record<AskKind, readonly Answer['type'][]> = {
  approval: ['approve', 'deny'],
  question: ['answers', 'deny'],
  plan: ['plan', 'deny'],
  browser: ['answers', 'deny'],
}

const maxAnnounced = 1000
/** Time a list waits for a shown ask. Opening takes one write, and some asks are never opened. */
const openingMs = 1000

interface Announced extends PromiseWithResolvers<void> {
  at: number
}

/** `pages` executes browser asks. Without it, the client that started the run does. */
export function createInbox(store: Pick<Store, 'asks' | 'transaction'>, pages?: PageCalls): Inbox {
  const waiters = new Map<string, (answer: Answer) => void>()
  const early = createEarlyAnswers()
  const answering: string[] = []
  /** Asks about to open, with their waiters. */
  const announced = new Map<string, Announced>()

  const inbox: Inbox = {
    together: true,
    async ask(ask, signal, onOpen) {
      signal.throwIfAborted()
      const { promise, resolve, reject } = Promise.withResolvers<Answer>()
      const onAbort = (): void => reject(signal.reason as Error)
      // Register before the ask is visible, since its answer may arrive immediately.
      waiters.set(ask.id, resolve)
      signal.addEventListener('abort', onAbort, { once: true })
      promise.catch(() => undefined)
      let timer: NodeJS.Timeout | undefined
      let letGo: (() => void) | undefined
      try {
        const known = await store.asks.open(ask)
        announced.get(ask.id)?.resolve()
        announced.delete(ask.id)
        if (known.answer !== null) return known.answer
        if (known.closedAt !== null)
          throw new NamedError('AskClosed', 'This request was already closed without an answer.')
        signal.throwIfAborted()
        const given = known.kind === 'browser' ? early.claim(known) : undefined
        if (given !== undefined) await give(known.id, given).catch(unlessClosed)
        else {
          letGo = await askPages(ask, known, reject)
          onOpen?.()
        }
        if (known.timeoutMs !== undefined) timer = setTimeout(() => void expire(known).catch(reject), timeLeft(known))
        return await promise
      } catch (error) {
        // The run continues without this call, so nothing else would close the ask.
        if (error instanceof NamedError && ['Refused', 'NoPage'].includes(error.name)) await store.asks.close(ask.id)
        throw error
      } finally {
        clearTimeout(timer)
        letGo?.()
        waiters.delete(ask.id)
        signal.removeEventListener('abort', onAbort)
      }
    },
    async find(id) {
      const ask = await store.asks.get(id)
      const coming = announced.get(id)
      if (ask !== undefined || coming === undefined) return ask
      await waitAtMost(earlyAnswerTtlMs, coming.promise)
      return store.asks.get(id)
    },
    async answer(id, answer, options = {}) {
      const ask = await inbox.find(id)
      if (ask === undefined) throw new NamedError('AskNotFound', 'This request does not exist.', { status: 404 })
      if (ask.kind === 'browser' && !mayAnswer(ask, options.client) && !pages?.isWith(ask.id, options.client))
        throw foreignClient()
      if (!answerTypes[ask.kind].includes(answer.type)) {
        const expected = answerTypes[ask.kind].join(' or ')
        const message = `A request of kind "${ask.kind}" needs the answer ${expected}, not "${answer.type}".`
        throw new NamedError('WrongAnswer', message, { status: 422 })
      }
      const problem = ask.kind === 'question' ? answerProblem(ask, answer) : undefined
      if (problem !== undefined) throw new NamedError('WrongAnswer', problem, { status: 422 })
      answering.push(ask.sessionId)
      try {
        return await give(id, answer, options.also)
      } finally {
        answering.splice(answering.indexOf(ask.sessionId), 1)
      }
    },
    isAnswering: (sessionId) => answering.includes(sessionId),
    async list(options) {
      const now = performance.now()
      const coming = [...announced.values()].filter(({ at }) => now - at < openingMs)
      if (coming.length > 0) await waitAtMost(openingMs, Promise.all(coming.map(({ promise }) => promise)))
      return store.asks.list({ ...options, open: true })
    },
    announce(id) {
      if (waiters.has(id) || announced.has(id)) return
      if (announced.size >= maxAnnounced) announced.delete(announced.keys().next().value as string)
      announced.set(id, { ...Promise.withResolvers<void>(), at: performance.now() })
    },
    async acknowledge(given, run = {}) {
      const { answer, client } = given
      const known = await askOf(given)
      if (known === undefined) {
        if (!mayAnswer({ client: run.client }, client)) throw foreignClient()
        early.put(given)
        // The ask may have opened meanwhile. Then it has found the answer or waits for it.
        const late = await askOf(given)
        if (late === undefined) return 'stored'
        if (early.claim(given) !== undefined) await inbox.answer(late.id, answer, { client })
      } else await inbox.answer(known.id, answer, { client })
      return 'resolved'
    },
  }
  return inbox

  async function give(id: string, answer: Answer, also?: AnswerOptions['also']): Promise<Ask> {
    const answered =
      also === undefined
        ? await store.asks.answer(id, answer)
        : await store.transaction(async (inside) => {
            const closed = await inside.asks.answer(id, answer)
            await also(inside)
            return closed
          })
    waiters.get(id)?.(answer)
    return answered
  }

  async function askPages(
    ask: Ask,
    known: Ask,
    onNobody: (error: NamedError) => void,
  ): Promise<(() => void) | undefined> {
    if (known.kind !== 'browser') return undefined
    const isNew = known.createdAt === ask.createdAt
    return pages?.open({ ...ask, createdAt: known.createdAt }, { isNew, onNobody })
  }

  /** Returns a call's open browser ask, else its last one. */
  async function askOf({ sessionId, toolCallId }: EarlyAnswer): Promise<Ask | undefined> {
    const ofCall = (ask: Ask): boolean => ask.kind === 'browser' && ask.toolCallId === toolCallId
    const open = await store.asks.list({ sessionId, open: true })
    return open.find(ofCall) ?? (await store.asks.list({ sessionId })).findLast(ofCall)
  }

  /** An answer that arrives at the last moment wins. */
  async function expire(ask: Ask): Promise<void> {
    await store.asks.close(ask.id)
    if ((await store.asks.get(ask.id))?.answer == null) throw askTimeout(ask)
  }
}

async function waitAtMost(ms: number, promise: Promise<unknown>): Promise<void> {
  const { promise: tooLong, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  await Promise.race([promise, tooLong])
  clearTimeout(timer)
}

/** Counts from the first time it was asked, including in earlier processes. */
function timeLeft({ createdAt, timeoutMs = 0 }: Ask): number {
  return Math.min(Math.max(createdAt + timeoutMs - Date.now(), 0), longestAskMs)
}

function foreignClient(): NamedError {
  return new NamedError('ForeignClient', 'Only the page that was asked can answer.', { status: 403 })
}

function unlessClosed(error: unknown): void {
  if (!(error instanceof NamedError && error.name === 'AskClosed')) throw error
}

/** Page answers that arrived before their call's ask. Each belongs to one session and client. */
interface EarlyAnswers {
  /** Keeps only a client's first answer. Throws `AskClosed` (409), `AnswerTooLarge` (413), `TooManyAnswers` (429). */
  put(early: EarlyAnswer): void
  claim(of: Pick<EarlyAnswer, 'sessionId' | 'toolCallId'> & { client?: string }): Answer | undefined
}

export interface EarlyAnswer {
  sessionId: string
  toolCallId: string
  client: string
  answer: Answer
}

export const earlyAnswerTtlMs = 30_000
const maxAnswerLength = 1 << 18
const maxPerSession = 20
const maxEarlyAnswers = 200

export function createEarlyAnswers(clock: () => number = Date.now): EarlyAnswers {
  let kept: (EarlyAnswer & { until: number })[] = []

  return {
    put(early) {
      if (JSON.stringify(early.answer).length > maxAnswerLength)
        throw new NamedError('AnswerTooLarge', 'Nothing is waiting for this answer yet, and it is too large to keep.', {
          status: 413,
          data: { largest: maxAnswerLength },
        })
      kept = kept.filter((other) => other.until > clock())
      if (kept.some((other) => isSame(other, early)))
        throw new NamedError('AskClosed', 'This page already answered that tool call. The first answer counts.', {
          status: 409,
        })
      const ofSession = kept.filter(({ sessionId }) => sessionId === early.sessionId).length
      if (ofSession >= maxPerSession || kept.length >= maxEarlyAnswers)
        throw new NamedError('TooManyAnswers', 'Too many unexpected answers.', { status: 429 })
      kept.push({ ...early, until: clock() + earlyAnswerTtlMs })
    },
    claim({ sessionId, toolCallId, client }) {
      const found = kept.find(
        (early) =>
          early.until > clock() &&
          early.sessionId === sessionId &&
          early.toolCallId === toolCallId &&
          mayAnswer({ client }, early.client),
      )
      kept = kept.filter((early) => early !== found)
      return found?.answer
    },
  }
}

/**
 * True if this page may answer a browser ask. Its owner may. Any page may if the ask has no owner, or waits for the
 * user, who may have switched pages.
 */
function mayAnswer(ask: { client?: string | undefined; content?: unknown }, client: string | undefined): boolean {
  return ask.client === undefined || ask.client === client || isForPerson(ask.content)
}

function isForPerson(content: unknown): boolean {
  return (content as { byPerson?: unknown } | null | undefined)?.byPerson === true
}

function isSame(one: EarlyAnswer, other: EarlyAnswer): boolean {
  return one.sessionId === other.sessionId && one.toolCallId === other.toolCallId && one.client === other.client
}

/** A client can answer before the ask is registered, so announce it first. */
export function announce(inbox: Pick<Inbox, 'announce'>, chunk: Chunk): void {
  if (chunk.type === 'tool-approval-request') {
    if (chunk.isAutomatic !== true) inbox.announce(chunk.approvalId)
  } else if (chunk.type === 'data-ask') inbox.announce((chunk.data as DataParts['ask']).id)
  else if (chunk.type === 'data-sub-agent-chunk') {
    for (const inner of (chunk.data as DataParts['sub-agent-chunk']).chunks) announce(inbox, inner as Chunk)
  }
}
