import type { LanguageModelV4Prompt, LanguageModelV4Usage } from '@ai-sdk/provider'
import type { Usage } from '@troupe/protocol'
import { toUsage } from './check-answer.ts'

/** Counts the cost of all model calls of the process, and stops them when the user's budget is used up. */
export interface SpendGuard {
  /**
   * Admits one model call. Waits while calls in flight may use up the rest of the budget. Throws `BudgetExceeded` (402)
   * when it is used up, and the reason of the signal.
   */
  admit(request: SpendRequest, signal: AbortSignal): Promise<SpendTicket>
}

export interface SpendRequest {
  prompt: LanguageModelV4Prompt
  maxOutputTokens?: number | undefined
}

/** An admitted model call. */
export interface SpendTicket {
  /** Must be called once. Without the provider's count, the cost is estimated from what arrived. */
  close(usage: Usage | undefined, outputCharacters: number): void
}

/** Makes a model call without a stream under the guard. */
export async function guarded<Result extends { usage: LanguageModelV4Usage }>(
  guard: SpendGuard | undefined,
  request: SpendRequest,
  signal: AbortSignal,
  call: () => PromiseLike<Result>,
): Promise<Result> {
  const ticket = await guard?.admit(request, signal)
  let usage: Usage | undefined
  try {
    const result = await call()
    usage = toUsage(result.usage)
    return result
  } finally {
    ticket?.close(usage, 0)
  }
}
