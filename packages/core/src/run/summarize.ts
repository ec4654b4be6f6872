import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { type CallNotes, type Chunk, NamedError, type Part, stepNumbers, type Usage } from '@troupe/protocol'
import { addUsage } from '../model/check-answer.ts'
import { readContextLimit } from '../model/provider-error.ts'
import type { PromptMessage, TokenGauge } from '../prompt/apply-compactions.ts'
import { project } from '../prompt/project.ts'
import { loadFiles } from '../prompt/prompt-files.ts'
import { callModel } from './call-model.ts'
import type { RunInput } from './run-input.ts'

const maxMs = 120_000
const maxOutputTokens = 4000

const request = `The conversation so far is about to be replaced by a summary. Write that summary now, for yourself: it is all you will have of the earlier conversation.
Include everything needed to continue: the goal; decisions and their reasons; what was done, with paths, names, commands and numbers; findings, failures and open questions; the next steps. Facts only, no preamble, at most 800 words.`

/** Maximum number of parts when one call cannot hold the history. Longer histories are shortened. */
const maxParts = 6

/**
 * Summarizes older messages, in several model calls if they exceed the window. Returns undefined on failure, so nothing
 * may depend on it.
 */
export async function summarize(
  older: readonly PromptMessage[],
  input: Pick<RunInput, 'model' | 'instructions' | 'signal' | 'blobs'>,
  gauge: TokenGauge,
  window: number | undefined,
): Promise<Summary | undefined> {
  const total = gauge.messages(older)
  const fixed = gauge.text(input.instructions ?? '') + gauge.text(request)
  let budget = window === undefined ? Infinity : roomIn(window)
  // The provider may report a smaller window than expected.
  for (let attempt = 0; attempt < 4; attempt++) {
    const summary = await inParts(budget >= total ? [older] : splitHistory(older, gauge, budget, maxParts))
    if (summary === undefined || !('tooLong' in summary)) return summary
    const { limit = Infinity } = summary.tooLong
    budget = Math.min(roomIn(limit) * 0.8, Math.min(budget, total) / 2)
  }
  return undefined

  function roomIn(tokens: number): number {
    return Math.max(tokens - fixed - Math.min(maxOutputTokens, tokens / 4), tokens / 4)
  }

  async function inParts(parts: readonly (readonly PromptMessage[])[]): Promise<Summary | Refusal | undefined> {
    let found: Summary | undefined
    for (const part of parts) {
      const before: PromptMessage[] =
        found === undefined ? [] : [{ role: 'user', parts: [{ type: 'text', text: `Summary so far:\n${found.text}` }] }]
      const written = await requestSummary([...before, ...part], input)
      if (written === undefined || 'tooLong' in written) return written
      found = { text: written.text, usage: addUsage(found?.usage, written.usage) }
    }
    return found
  }
}

interface Summary {
  text: string
  usage: Usage | undefined
}

interface Refusal {
  tooLong: { limit?: number }
}

async function requestSummary(
  messages: readonly PromptMessage[],
  input: Pick<RunInput, 'model' | 'instructions' | 'signal' | 'blobs'>,
): Promise<Summary | Refusal | undefined> {
  let text = ''
  const { error, usage } = await call().catch((thrown: unknown) => ({ error: thrown, usage: undefined }))
  input.signal.throwIfAborted()
  if (error instanceof NamedError && error.name === 'ContextTooLong')
    return { tooLong: readContextLimit(error.message) }
  return error !== undefined || text.trim() === '' ? undefined : { text: text.trim(), usage }

  function call() {
    return callModel({
      model: input.model.model,
      options: async () => ({ prompt: await summaryPrompt(messages, input), maxOutputTokens }),
      tools: [],
      guard: input.model.guard,
      signal: AbortSignal.any([input.signal, AbortSignal.timeout(maxMs)]),
      maxRetries: 1,
      stallMs: 60_000,
      emit(chunk: Chunk) {
        if (chunk.type === 'text-delta') text += chunk.delta
        if (chunk.type === 'reset-step') text = ''
      },
      said: () => text,
      onCall: () => undefined,
      reserveCallId: () => Promise.resolve(true),
    })
  }
}

/** Names files instead of sending them, since a summary is text. */
function summaryPrompt(
  messages: readonly PromptMessage[],
  { instructions, model, blobs }: Pick<RunInput, 'model' | 'instructions' | 'blobs'>,
): Promise<LanguageModelV4Prompt> {
  const asked: PromptMessage = { role: 'user', parts: [{ type: 'text', text: request }] }
  return loadFiles(project([...messages, asked], instructions, [], 'stranger'), blobs, {
    provider: model.model.provider,
    accepts: [],
  })
}

/**
 * Splits a history into a limited number of parts with a token limit each. Cuts between messages and steps. An
 * oversized piece keeps its beginning and end. If that is still too much, the oldest pieces are dropped.
 */
function splitHistory(
  messages: readonly PromptMessage[],
  gauge: TokenGauge,
  budget: number,
  most: number,
): (readonly PromptMessage[])[] {
  const units = messages.flatMap(({ id, role, parts }): PromptMessage[] =>
    role === 'assistant' ? splitSteps(parts).map((step) => ({ id, role, parts: step })) : [{ id, role, parts }],
  )
  const total = gauge.messages(units)
  const perUnit = Math.min(
    budget * 0.8,
    Math.max((most * budget * 0.8) / units.length, total > most * budget ? 0 : budget * 0.8),
  )
  const groups: { tokens: number; units: PromptMessage[] }[] = []
  for (const unit of units) {
    const tokens = gauge.messages([unit])
    const kept = tokens > perUnit ? shortened(unit, perUnit / tokens) : unit
    const counted = Math.min(tokens, perUnit)
    const group = groups.at(-1)
    if (group === undefined || group.tokens + counted > budget * 0.9) groups.push({ tokens: counted, units: [kept] })
    else {
      group.tokens += counted
      group.units.push(kept)
    }
  }
  return groups.slice(-most).map((group) => group.units)
}

/** Shortens a message or step to about this share. Drops reasoning. */
function shortened({ parts, ...message }: PromptMessage, share: number): PromptMessage {
  return {
    ...message,
    parts: parts.flatMap((part): Part[] => {
      if (part.type === 'reasoning') return []
      if (part.type === 'text') return [{ ...part, text: keepEnds(part.text, share) }]
      if (!('toolCallId' in part)) return part.type.startsWith('data-') ? [] : [part]
      const { input, output, toolMetadata } = part as {
        input?: unknown
        output?: unknown
        toolMetadata?: { troupe?: CallNotes }
      }
      const told = toolMetadata?.troupe?.modelText ?? toText(output)
      const troupe = { ...toolMetadata?.troupe, modelText: keepEnds(told, share) }
      return [
        {
          ...part,
          input: { input: keepEnds(toText(input), share) },
          toolMetadata: { ...toolMetadata, troupe },
        } as Part,
      ]
    }),
  }
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

function keepEnds(text: string, share: number): string {
  const length = Math.floor(text.length * share * 0.9)
  if (length >= text.length) return text
  const head = Math.floor(length * 0.7)
  const tail = text.slice(text.length - (length - head))
  return `${text.slice(0, head)} […] ${tail}`.toWellFormed()
}

/** A position where a conversation can be cut: after a user message, or after a step of an answer. */
export interface Boundary {
  upTo: { messageId: string; step: number }
  after: number
}

/**
 * Returns all boundaries in order. The last message may still grow, so only steps that have begun can be cut from it.
 */
export function findBoundaries(messages: readonly PromptMessage[], gauge: TokenGauge): Boundary[] {
  const found: Boundary[] = []
  let after = 0
  for (const [index, { id, role, parts }] of messages.toReversed().entries()) {
    if (role === 'system') continue
    if (role !== 'assistant') {
      if (id !== undefined) found.push({ upTo: { messageId: id, step: 0 }, after })
      after += gauge.messages([{ role, parts }])
      continue
    }
    const steps = splitSteps(parts)
    const isOpen = index === 0
    const begun = parts.filter(({ type }) => type === 'step-start').length
    for (let step = steps.length; step > 0; step--) {
      if (id !== undefined && (step <= begun || !isOpen)) found.push({ upTo: { messageId: id, step }, after })
      after += gauge.messages([{ role, parts: steps[step - 1] ?? [] }])
    }
  }
  return found.toReversed()
}

/** Returns the parts of each step. Parts before the first step belong to it. */
function splitSteps(parts: PromptMessage['parts']): PromptMessage['parts'][] {
  const steps: PromptMessage['parts'][] = []
  for (const [index, step] of stepNumbers(parts).entries())
    (steps[Math.max(step, 1) - 1] ??= []).push(parts[index] as Part)
  return Array.from(steps, (step) => step ?? [])
}
