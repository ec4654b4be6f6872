import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { Chunk, Usage } from '../protocol/message.ts'
import { NamedError } from '../error.ts'
import { callModel } from '../run/call-model.ts'
import { readContextLimit } from '../run/context-limit.ts'
import { loadFiles } from '../run/load-files.ts'
import { project } from '../run/project.ts'
import type { PromptMessage } from '../run/compact.ts'
import type { RunInput } from '../run/run-input.ts'
import { addUsage } from '../run/usage.ts'
import { splitHistory } from './split-history.ts'
import type { TokenGauge } from './token-gauge.ts'

const maxMs = 120_000
const maxOutputTokens = 4000

const request = `The conversation so far is about to be replaced by a summary that you write now, for yourself: you will go on with it and nothing else of the older part.
Write what is needed to go on: the goal and what was decided and why; what was done, with paths, names, commands and figures; what was found out, failed or is still open; what comes next. Facts only, no preamble, at most 800 words.`

/** Parts that a history is read in where one call cannot hold it; more are shortened. */
const maxParts = 6

/**
 * Has the model put older messages in fewer words, in several calls where they are more than its window holds.
 * Undefined when it cannot: nothing may depend on it.
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
  // A window that is smaller than was thought is told by the provider.
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
      signal: AbortSignal.any([input.signal, AbortSignal.timeout(maxMs)]),
      maxRetries: 1,
      stallMs: 60_000,
      emit(chunk: Chunk) {
        if (chunk.type === 'text-delta') text += chunk.delta
        if (chunk.type === 'reset-step') text = ''
      },
      said: () => text,
      onCall: () => undefined,
      takeCallId: () => Promise.resolve(true),
    })
  }
}

/** Files are named and not sent: a summary is made of words. */
function summaryPrompt(
  messages: readonly PromptMessage[],
  { instructions, model, blobs }: Pick<RunInput, 'model' | 'instructions' | 'blobs'>,
): Promise<LanguageModelV4Prompt> {
  const asked: PromptMessage = { role: 'user', parts: [{ type: 'text', text: request }] }
  return loadFiles(project([...messages, asked], instructions, [], 'stranger'), blobs, {
    provider: model.model.provider,
    takes: [],
  })
}
