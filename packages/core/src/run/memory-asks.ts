import type { Answer, Ask, Asks } from '../asks.ts'
import { askTimeout, longestAskMs } from './ask-timeout.ts'

/** An inbox for programs without a store: `answer` is called for each ask, and its promise is waited for. */
export function createMemoryAsks(answer: (ask: Ask) => Answer | Promise<Answer>): Asks {
  return {
    async ask(ask, signal, onOpen) {
      signal.throwIfAborted()
      const { promise, reject } = Promise.withResolvers<never>()
      const onAbort = (): void => reject(signal.reason as Error)
      signal.addEventListener('abort', onAbort, { once: true })
      const { timeoutMs } = ask
      const timer =
        timeoutMs === undefined
          ? undefined
          : setTimeout(() => reject(askTimeout(ask)), Math.min(timeoutMs, longestAskMs))
      onOpen?.()
      try {
        return await Promise.race([answer(ask), promise])
      } finally {
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
      }
    },
  }
}
