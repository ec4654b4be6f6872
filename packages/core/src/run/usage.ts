import type { LanguageModelV4Usage } from '@ai-sdk/provider'
import type { Usage } from '../protocol/message.ts'

export function toUsage(usage: LanguageModelV4Usage): Usage {
  const inputTokens = usage.inputTokens.total ?? 0
  const outputTokens = usage.outputTokens.total ?? 0
  return {
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    ...(usage.outputTokens.reasoning !== undefined && { reasoningTokens: usage.outputTokens.reasoning }),
    ...(usage.inputTokens.cacheRead !== undefined && { cachedInputTokens: usage.inputTokens.cacheRead }),
    ...(usage.inputTokens.cacheWrite !== undefined && { cacheWriteTokens: usage.inputTokens.cacheWrite }),
  }
}

export function addUsage(a: Usage | undefined, b: Usage | undefined): Usage | undefined {
  if (a === undefined || b === undefined) return a ?? b
  const sum: Usage = { ...a }
  for (const [key, value] of Object.entries(b) as [keyof Usage, number][]) sum[key] = (sum[key] ?? 0) + value
  return sum
}

export interface Price {
  /** Per million tokens. */
  input: number
  output: number
  cachedInput?: number
  /** Of tokens that are put into the provider's cache. */
  cacheWrite?: number
}

/** What tokens cost; undefined where the price is not known. */
export function costOf(usage: Usage | undefined, price: Price | undefined): number | undefined {
  if (usage === undefined || price === undefined) return undefined
  const { inputTokens, cachedInputTokens: read = 0, cacheWriteTokens: written = 0 } = usage
  const millions =
    Math.max(0, inputTokens - read - written) * price.input +
    read * (price.cachedInput ?? price.input) +
    written * (price.cacheWrite ?? price.input)
  return (millions + usage.outputTokens * price.output) / 1_000_000
}
