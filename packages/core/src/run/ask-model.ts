import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { SpendGuard } from '../model/spend-guard.ts'
import { callModel } from './call-model.ts'

const maxMs = 60_000

export interface AskModelOptions {
  maxOutputTokens?: number | undefined
  signal?: AbortSignal | undefined
  guard?: SpendGuard | undefined
}

/** Asks a model one question, without tools and outside any chat. Throws a NamedError when it fails. */
export async function askModel(
  request: string,
  model: LanguageModelV4,
  { maxOutputTokens = 2000, signal, guard }: AskModelOptions = {},
): Promise<string> {
  let answer = ''
  const { error } = await callModel({
    model,
    options: () =>
      Promise.resolve({
        prompt: [{ role: 'user', content: [{ type: 'text', text: request.toWellFormed() }] }],
        maxOutputTokens,
      }),
    tools: [],
    guard,
    signal: AbortSignal.any([AbortSignal.timeout(maxMs), ...(signal === undefined ? [] : [signal])]),
    maxRetries: 1,
    stallMs: maxMs,
    emit(chunk) {
      if (chunk.type === 'text-delta') answer += chunk.delta
      if (chunk.type === 'reset-step') answer = ''
    },
    said: () => answer,
    onCall: () => undefined,
    reserveCallId: () => Promise.resolve(true),
  })
  if (error !== undefined) throw error
  return answer
}
