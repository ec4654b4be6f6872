import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider'
import { NamedError, type Usage } from '@troupe/protocol'

type Finish = Extract<LanguageModelV4StreamPart, { type: 'finish' }>

interface FinishedAnswer {
  finish: Pick<Finish, 'finishReason' | 'providerMetadata'>
  provider: string
  model: string
  /** This model call produced text, a tool call, a file, or a source. */
  hasText: boolean
  /** Tool calls to run here. */
  calls: number
  /** Earlier steps of the same answer produced content. */
  hasEarlierText: boolean
}

/**
 * Returns the error of an answer that ended normally but was refused, filtered, malformed, or empty. `data.again`:
 * retrying the same request may succeed.
 */
export function answerError(answer: FinishedAnswer): NamedError | undefined {
  const { finish, provider, model, hasText: said, calls, hasEarlierText: saidBefore } = answer
  const { unified, raw = '' } = finish.finishReason
  const who = providerName(provider)
  const notes = readFinishNotes(finish.providerMetadata)
  const fault = (name: string, message: string, again = false): NamedError =>
    new NamedError(name, endSentence(message), {
      status: 502,
      data: { provider, model, retryable: false, finishReason: raw || unified, again: again || undefined },
    })
  const told = notes.explanation === undefined ? '' : `: ${notes.explanation}`

  if (malformedPattern.test(raw))
    return fault('AnswerMalformed', `${who} sent an invalid tool call (${raw})${told}`, true)
  if (unified === 'content-filter' || (unified === 'other' && filterPattern.test(raw))) {
    if (notes.blocked !== undefined)
      return fault('AnswerFiltered', `${who} blocked the request (${notes.blocked})${told}`)
    if (/refus/i.test(raw) || raw === '' || raw === 'stop')
      return fault('AnswerRefused', `${who} refused to answer${inBrackets(notes.category)}${told}`)
    const what = said ? 'cut the answer off' : 'withheld the answer'
    return fault(
      'AnswerFiltered',
      `${who} ${what}: its content filter reported ${raw}${inBrackets(notes.rated)}${told}`,
    )
  }
  if (unified === 'error' || (unified === 'other' && failurePattern.test(raw)))
    return fault('ProviderError', `${who} failed and ended the answer${inBrackets(raw)}${told}`, !said)
  if (said || calls > 0 || raw === 'pause_turn') return undefined
  if (unified === 'length')
    return fault('AnswerEmpty', `${who} reached the model's output limit before it wrote an answer${told}`)
  if (unified === 'stop' && saidBefore) return undefined
  return fault('AnswerEmpty', `${who} sent an empty answer${inBrackets(raw)}${told}`)
}

const malformedPattern =
  /malformed|unexpected_tool_call|too_many_tool_calls|missing_thought_signature|invalid_tool_call/i

/** Provider-specific filter reasons that the SDKs do not map. */
const filterPattern =
  /safety|filter|block|refus|sensitive|prohibited|spii|recitation|^language$|moderation|violation|guardrail|model_armor/i

const failurePattern = /^(?:error|failed|network_error|insufficient_system_resource|engine_overloaded|server_error)$/i

interface FinishNotes {
  explanation?: string | undefined
  category?: string | undefined
  blocked?: string | undefined
  rated?: string | undefined
}

function readFinishNotes(metadata: Finish['providerMetadata']): FinishNotes {
  const notes: FinishNotes = {}
  for (const entry of Object.values(metadata ?? {})) {
    const { stopDetails, promptFeedback, finishMessage, safetyRatings } = entry as Record<string, unknown>
    notes.explanation ??= textIn(stopDetails, 'explanation') ?? textIn({ finishMessage }, 'finishMessage')
    notes.category ??= textIn(stopDetails, 'category')
    notes.blocked ??= textIn(promptFeedback, 'blockReason')
    notes.explanation ??= textIn(promptFeedback, 'blockReasonMessage')
    if (Array.isArray(safetyRatings)) {
      const rated = (safetyRatings as unknown[]).filter((rating) => (rating as { blocked?: unknown })?.blocked === true)
      notes.rated ??= rated.map((rating) => textIn(rating, 'category') ?? '').join(', ') || undefined
    }
  }
  if (notes.blocked === 'BLOCK_REASON_UNSPECIFIED') notes.blocked = undefined
  return notes
}

function inBrackets(text: string | undefined): string {
  return text === undefined || text === '' ? '' : ` (${text})`
}

function textIn(value: unknown, field: string): string | undefined {
  const text = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[field] : undefined
  return typeof text === 'string' && text.trim() !== '' ? text.trim().slice(0, 2000) : undefined
}

export function toUsage(usage: LanguageModelV4Usage): Usage {
  const inputTokens = usage.inputTokens.total ?? 0
  const outputTokens = usage.outputTokens.total ?? 0
  return {
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    reasoningTokens: usage.outputTokens.reasoning,
    cachedInputTokens: usage.inputTokens.cacheRead,
    cacheWriteTokens: usage.inputTokens.cacheWrite,
  }
}

export function addUsage(a: Usage | undefined, b: Usage | undefined): Usage | undefined {
  if (a === undefined || b === undefined) return a ?? b
  const sum: Usage = { ...a }
  for (const [key, value] of Object.entries(b) as [keyof Usage, number | undefined][])
    if (value !== undefined) sum[key] = (sum[key] ?? 0) + value
  return sum
}

/** Returns the tokens of a model call that stay in the context: the prompt and the answer, without reasoning. */
export function contextFill({ inputTokens, outputTokens, reasoningTokens = 0 }: Usage): number {
  return inputTokens + Math.max(0, outputTokens - reasoningTokens)
}

export interface Price {
  /** Per million tokens. */
  input: number
  output: number
  cachedInput?: number
  cacheWrite?: number
}

/** Undefined if the price is unknown. */
export function costOf(usage: Usage | undefined, price: Price | undefined): number | undefined {
  if (usage === undefined || price === undefined) return undefined
  const { inputTokens, cachedInputTokens: read = 0, cacheWriteTokens: written = 0 } = usage
  const millions =
    Math.max(0, inputTokens - read - written) * price.input +
    read * (price.cachedInput ?? price.input) +
    written * (price.cacheWrite ?? price.input)
  return (millions + usage.outputTokens * price.output) / 1_000_000
}

/** Provider name that people know. SDKs use names such as `openai.responses`. */
export function providerName(provider: string): string {
  return provider.split('.')[0] ?? provider
}

/**
 * True if the stream was cut at a clean boundary without a finish from the provider. SDKs report this as a finish
 * reason, not an error, and emit half-received tool calls before it.
 */
export function isUnfinished(finishReason: { unified: string; raw: string | undefined }): boolean {
  return finishReason.unified === 'interrupted' || (finishReason.unified === 'other' && finishReason.raw === undefined)
}

export function endSentence(text: string): string {
  return /[.!?。！？…]["'”)\]]*$/.test(text) ? text : `${text}.`
}
