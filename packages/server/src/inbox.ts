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
      const known = await store.asks.open(ask)
      if (known.answer !== null) return known.answer
      signal.throwIfAborted()
      const { promise, resolve, reject } = Promise.withResolvers<Answer>()
      const onAbort = (): void => reject(signal.reason as Error)
      waiters.set(ask.id, resolve)
      signal.addEventListener('abort', onAbort, { once: true })
      onOpen?.()
      try {
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
        throw new NamedError('WrongAnswer', `An ask of kind "${ask.kind}" is answered with ${expected}, not "${answer.type}".`, { status: 422 })
      }
      const answered = await store.asks.answer(id, answer)
      waiters.get(id)?.(answer)
      return answered
    },
    list: (options) => store.asks.list({ ...options, open: true }),
  }
}
