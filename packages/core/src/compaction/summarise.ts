import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { Chunk, Usage } from '../protocol/message.ts'
import { callModel } from '../run/call-model.ts'
import { project } from '../run/project.ts'
import type { Projected } from '../run/compact.ts'
import type { RunInput } from '../run/run-input.ts'

const maxMs = 120_000
const maxOutputTokens = 4000

const request = `The conversation so far is about to be replaced by a summary that you write now, for yourself: you will go on with it and nothing else of the older part.
Write what is needed to go on: the goal and what was decided and why; what was done, with paths, names, commands and figures; what was found out, failed or is still open; what comes next. Facts only, no preamble, at most 800 words.`

/** Has the model put older messages in fewer words. Undefined when it cannot: nothing may depend on it. */
export async function summarise(
  older: readonly Projected[],
  input: Pick<RunInput, 'model' | 'instructions' | 'signal'>,
): Promise<{ text: string; usage?: Usage } | undefined> {
  let text = ''
  const { error, usage } = await call().catch((thrown: unknown) => ({ error: thrown, usage: undefined }))
  input.signal.throwIfAborted()
  if (error !== undefined || text.trim() === '') return undefined
  return { text: text.trim(), ...(usage !== undefined && { usage }) }

  function call() {
    return callModel({
      model: input.model.model,
      options: () => Promise.resolve({ prompt: promptOf(older, input.instructions), maxOutputTokens }),
      tools: [],
      signal: AbortSignal.any([input.signal, AbortSignal.timeout(maxMs)]),
      maxRetries: 1,
      stallMs: 60_000,
      emit(chunk: Chunk) {
        if (chunk.type === 'text-delta') text += chunk.delta
      },
      onCall: () => undefined,
      takeCallId: () => Promise.resolve(true),
    })
  }
}

function promptOf(older: readonly Projected[], instructions: string | undefined): LanguageModelV4Prompt {
  return project([...older, { role: 'user', parts: [{ type: 'text', text: request }] }], instructions, [], 'stranger')
}
