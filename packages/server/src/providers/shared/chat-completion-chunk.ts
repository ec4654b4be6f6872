import type { StreamingToolCallDelta } from '@ai-sdk/provider-utils'

/** A chunk of a streamed chat completion, as far as it is read. */
export interface Chunk {
  id?: string | null
  created?: number | null
  model?: string | null
  choices: { delta?: Delta | null; finish_reason?: string | null }[]
  usage?: TokenUsage | null
}

interface TokenUsage {
  completion_tokens_details?: {
    accepted_prediction_tokens?: number | null
    rejected_prediction_tokens?: number | null
  } | null
}

export interface Delta {
  content?: string | ({ type: string } & Record<string, unknown>)[] | null
  refusal?: string | null
  reasoning_content?: string | null
  reasoning?: string | null
  tool_calls?: ToolCallDelta[] | null
}

export type ToolCallDelta = StreamingToolCallDelta & {
  extra_content?: { google?: { thought_signature?: string | null } | null } | null | undefined
}

/** Keys of an object's prototype, which the SDK refuses, in plain text or escaped. */
const isSuspect = /__proto__|constructor|\\u00[567]/

/** Reads a chunk of the usual shape. Returns undefined for any other, which the SDK then validates. */
export function readChunk(text: string): Chunk | undefined {
  if (isSuspect.test(text)) return undefined
  let chunk: unknown
  try {
    chunk = JSON.parse(text)
  } catch {
    return undefined
  }
  return isUsual(chunk) ? chunk : undefined
}

function isUsual(chunk: unknown): chunk is Chunk {
  if (!isObject(chunk) || 'error' in chunk) return false
  const { id, created, model, choices, usage } = chunk
  if (!isText(id) || !isNumber(created) || !isText(model) || !isUsage(usage)) return false
  if (!Array.isArray(choices) || choices.length > 1) return false
  return choices.length === 0 || isChoice(choices[0])
}

function isChoice(choice: unknown): boolean {
  if (!isObject(choice) || !isText(choice['finish_reason'])) return false
  const { delta } = choice
  if (delta == null) return true
  if (!isObject(delta)) return false
  const { role, content, refusal, reasoning_content: thinking, reasoning, tool_calls: calls } = delta
  if (role != null && role !== 'assistant' && role !== '') return false
  if (!isText(content) || !isText(refusal) || !isText(thinking) || !isText(reasoning)) return false
  return calls == null || (Array.isArray(calls) && calls.every(isCall))
}

function isCall(call: unknown): boolean {
  if (!isObject(call) || !isNumber(call['index']) || !isText(call['id']) || call['extra_content'] != null) return false
  const { function: called } = call
  return isObject(called) && isText(called['name']) && isText(called['arguments'])
}

function isUsage(usage: unknown): boolean {
  if (usage == null) return true
  if (!isObject(usage)) return false
  const { prompt_tokens_details: input, completion_tokens_details: output } = usage
  return (
    isNumber(usage['prompt_tokens']) &&
    isNumber(usage['completion_tokens']) &&
    isNumber(usage['total_tokens']) &&
    (input == null || (isObject(input) && isNumber(input['cached_tokens']))) &&
    (output == null ||
      (isObject(output) &&
        isNumber(output['reasoning_tokens']) &&
        isNumber(output['accepted_prediction_tokens']) &&
        isNumber(output['rejected_prediction_tokens'])))
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isText(value: unknown): value is string | null | undefined {
  return value == null || typeof value === 'string'
}

function isNumber(value: unknown): value is number | null | undefined {
  return value == null || Number.isFinite(value)
}
