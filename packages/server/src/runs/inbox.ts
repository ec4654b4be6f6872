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
import { NamedError } from '@troupe/protocol'
import type { PageCalls } from '../tabs/page-calls.ts'

/** Every open ask of every run. An answer given while nobody waits (before a restart is over) is found later. */
export interface Inbox extends Asks {
  /**
   * Throws `AskNotFound` (404), `AskClosed` (409), `WrongAnswer` (422), `ForeignClient` (403), and then nothing has
   * changed. `also` is written in the same commit.
   */
  answer(id: string, answer: Answer, options?: AnswerOptions): Promise<Ask>
  /** An ask by its id. One that a stream has shown and that is just being opened is waited for. */
  find(id: string): Promise<Ask | undefined>
  /** The open ones. Those that a stream has just shown are among them: a page asks for the list when it sees one. */
  list(options: { sessionId?: string; runId?: string }): Promise<Ask[]>
  /** A stream is about to show the id of an ask, which comes in a moment. */
  announce(id: string): void
  /**
   * What a page says of a call. `stored` when its ask is not there yet: it is kept for half a minute, if it comes from the
   * page that `run` belongs to. Throws what `answer` throws, and what `EarlyAnswers.put` does.
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
/** How long a list waits for an ask that was shown: opening one takes a write, and some are never opened. */
const openingMs = 1000

interface Announced extends PromiseWithResolvers<void> {
  at: number
}

/** `pages`: who carries out what pages are asked for. Without them whoever started the run does. */
export function createInbox(store: Pick<Store, 'asks' | 'transaction'>, pages?: PageCalls): Inbox {
  const waiters = new Map<string, (answer: Answer) => void>()
  const early = createEarlyAnswers()
  /** Asks that are about to be opened, and who waits for that. */
  const announced = new Map<string, Announced>()

  const inbox: Inbox = {
    together: true,
    async ask(ask, signal, onOpen) {
      signal.throwIfAborted()
      const { promise, resolve, reject } = Promise.withResolvers<Answer>()
      const onAbort = (): void => reject(signal.reason as Error)
      // Before the ask can be seen: its answer may come at once.
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
          throw new NamedError('AskClosed', 'This was asked before and closed without an answer.')
        signal.throwIfAborted()
        const given = known.kind === 'browser' ? early.take(known) : undefined
        if (given !== undefined) await give(known.id, given).catch(unlessClosed)
        else {
          letGo = await askPages(ask, known, reject)
          onOpen?.()
        }
        if (known.timeoutMs !== undefined) timer = setTimeout(() => void expire(known).catch(reject), timeLeft(known))
        return await promise
      } catch (error) {
        // The run goes on without this call, so nothing else would close it.
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
      if (ask === undefined) throw new NamedError('AskNotFound', 'There is no such ask.', { status: 404 })
      if (ask.kind === 'browser' && !mayAnswer(ask, options.client) && !pages?.isWith(ask.id, options.client))
        throw foreignClient()
      if (!answerTypes[ask.kind].includes(answer.type)) {
        const expected = answerTypes[ask.kind].join(' or ')
        const message = `An ask of kind "${ask.kind}" is answered with ${expected}, not "${answer.type}".`
        throw new NamedError('WrongAnswer', message, { status: 422 })
      }
      const problem = answerProblem(ask, answer)
      if (problem !== undefined) throw new NamedError('WrongAnswer', problem, { status: 422 })
      return give(id, answer, options.also)
    },
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
        // It may have been opened meanwhile, and then either has found the answer or waits for it.
        const late = await askOf(given)
        if (late === undefined) return 'stored'
        if (early.take(given) !== undefined) await inbox.answer(late.id, answer, { client })
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

  /** What a page is asked to do goes to one that can. */
  async function askPages(
    ask: Ask,
    known: Ask,
    onNobody: (error: NamedError) => void,
  ): Promise<(() => void) | undefined> {
    if (known.kind !== 'browser') return undefined
    const isNew = known.createdAt === ask.createdAt
    return pages?.open({ ...ask, createdAt: known.createdAt }, { isNew, onNobody })
  }

  /** The browser ask of a call: the open one, else the last. */
  async function askOf({ sessionId, toolCallId }: EarlyAnswer): Promise<Ask | undefined> {
    const ofCall = (ask: Ask): boolean => ask.kind === 'browser' && ask.toolCallId === toolCallId
    const open = await store.asks.list({ sessionId, open: true })
    return open.find(ofCall) ?? (await store.asks.list({ sessionId })).findLast(ofCall)
  }

  /** Whoever answers in the last moment wins. */
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

/** Of the time since it was first asked, also by a process before this one. */
function timeLeft({ createdAt, timeoutMs = 0 }: Ask): number {
  return Math.min(Math.max(createdAt + timeoutMs - Date.now(), 0), longestAskMs)
}

function foreignClient(): NamedError {
  return new NamedError('ForeignClient', 'Another page was asked, and only that page can answer.', { status: 403 })
}

function unlessClosed(error: unknown): void {
  if (!(error instanceof NamedError && error.name === 'AskClosed')) throw error
}

/** Answers of pages that came before the ask of their call was there. They belong to one session and one client. */
interface EarlyAnswers {
  /** The first of a client stands. Throws `AskClosed` (409), `AnswerTooLarge` (413), `TooManyAnswers` (429). */
  put(early: EarlyAnswer): void
  /** Takes out what a client said of a call. */
  take(of: Pick<EarlyAnswer, 'sessionId' | 'toolCallId'> & { client?: string }): Answer | undefined
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
        throw new NamedError('AnswerTooLarge', 'Nothing waits for this answer yet, and it is too large to be kept.', {
          status: 413,
          data: { largest: maxAnswerLength },
        })
      kept = kept.filter((other) => other.until > clock())
      if (kept.some((other) => isSame(other, early)))
        throw new NamedError('AskClosed', 'This page has told of that call before, and its first word stands.', {
          status: 409,
        })
      const ofSession = kept.filter(({ sessionId }) => sessionId === early.sessionId).length
      if (ofSession >= maxPerSession || kept.length >= maxEarlyAnswers)
        throw new NamedError('TooManyAnswers', 'Too many answers came that nothing waits for.', { status: 429 })
      kept.push({ ...early, until: clock() + earlyAnswerTtlMs })
    },
    take({ sessionId, toolCallId, client }) {
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
 * Whether this page may answer a browser ask: its own may, any may where nobody owns it, and any may where the ask waits
 * for a person, who may sit elsewhere by now.
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
