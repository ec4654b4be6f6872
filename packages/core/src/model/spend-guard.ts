import type { LanguageModelV4Prompt, LanguageModelV4Usage } from '@ai-sdk/provider'
import { estimateTokens, type Usage } from '@troupe/protocol'
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

/** A file counts as much as a large picture. */
const fileTokens = 1500

/** Estimates the tokens of a prompt without its tools. */
export function promptTokens(prompt: LanguageModelV4Prompt): number {
  return sumOfPrompt(prompt, estimateTokens)
}

/** Roughly the same for a fraction of the cost: as if every text were English. */
export function roughPromptTokens(prompt: LanguageModelV4Prompt): number {
  return sumOfPrompt(prompt, ({ length }) => Math.ceil(length / 4))
}

function sumOfPrompt(prompt: LanguageModelV4Prompt, tokensOf: (text: string) => number): number {
  let tokens = 0
  for (const { content } of prompt) {
    if (typeof content === 'string') tokens += tokensOf(content)
    else for (const part of content) tokens += partTokens(part, tokensOf)
  }
  return tokens
}

function partTokens(part: { type: string; text?: string }, tokensOf: (text: string) => number): number {
  if (part.type === 'file' || part.type === 'reasoning-file') return fileTokens
  return tokensOf(part.text ?? JSON.stringify(part, withoutBytes))
}

function withoutBytes(_key: string, value: unknown): unknown {
  return value instanceof Uint8Array ? undefined : value
}
