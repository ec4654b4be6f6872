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
}

/** What tokens cost; undefined where the price is not known. */
export function costOf(usage: Usage | undefined, price: Price | undefined): number | undefined {
  if (usage === undefined || price === undefined) return undefined
  const cached = usage.cachedInputTokens ?? 0
  const millions = (usage.inputTokens - cached) * price.input + cached * (price.cachedInput ?? price.input)
  return (millions + usage.outputTokens * price.output) / 1_000_000
}
