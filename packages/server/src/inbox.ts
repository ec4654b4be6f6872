import { NamedError, type Answer, type Ask, type AskKind, type Asks, type Store } from '@troupe/core'

/** Every open ask of every run. An answer given while nobody waits (before a restart is over) is found later. */
export interface Inbox extends Asks {
  answer(id: string, answer: Answer): Promise<Ask>
  list(options: { sessionId?: string; runId?: string }): Promise<Ask[]>
}

const answersOf: Record<AskKind, readonly Answer['type'][]> = {
  approval: ['approve', 'deny'],
  question: ['answers', 'deny'],
  plan: ['plan', 'deny'],
  browser: ['answers', 'deny'],
}

export function createInbox(store: Pick<Store, 'asks'>): Inbox {
  const waiters = new Map<string, (answer: Answer) => void>()
  return {
    async ask(ask, signal, onOpen) {
      signal.throwIfAborted()
      const { promise, resolve, reject } = Promise.withResolvers<Answer>()
      const onAbort = (): void => reject(signal.reason as Error)
      // Before the ask can be seen: its answer may come at once.
      waiters.set(ask.id, resolve)
      signal.addEventListener('abort', onAbort, { once: true })
      promise.catch(() => undefined)
      try {
        const known = await store.asks.open(ask)
        if (known.answer !== null) return known.answer
        if (known.closedAt !== null)
          throw new NamedError('AskClosed', 'This was asked before and closed without an answer.')
        signal.throwIfAborted()
        onOpen?.()
        return await promise
      } finally {
        waiters.delete(ask.id)
        signal.removeEventListener('abort', onAbort)
      }
    },
    async answer(id, answer) {
      const ask = await store.asks.get(id)
      if (ask === undefined) throw new NamedError('AskNotFound', 'There is no such ask.', { status: 404 })
      if (!answersOf[ask.kind].includes(answer.type)) {
        const expected = answersOf[ask.kind].join(' or ')
        const message = `An ask of kind "${ask.kind}" is answered with ${expected}, not "${answer.type}".`
        throw new NamedError('WrongAnswer', message, { status: 422 })
      }
      const answered = await store.asks.answer(id, answer)
      waiters.get(id)?.(answer)
      return answered
    },
    list: (options) => store.asks.list({ ...options, open: true }),
  }
}
