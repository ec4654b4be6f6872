import type { LanguageModelV4 } from '@ai-sdk/provider'
import { describeProviderError, type ErrorInfo } from '@troupe/core'
import type { ModelDraft } from '../../provider.ts'
import type { ConfiguredProvider } from './configured-provider.ts'

export type ProviderTest =
  | { ok: true; id: string; elapsedMs: number; how: 'list' | 'answer'; models?: ModelDraft[] }
  | { ok: false; id: string; elapsedMs: number; error: ErrorInfo }

export interface TestOptions {
  fetch: typeof fetch
  redact: (text: string) => string
  timeoutMs?: number
  /** A model for the smallest possible question, where the provider cannot list its models. */
  model: () => Promise<LanguageModelV4>
}

/** Whether key and address work: by the list of models where the provider has one, else by one tiny question. */
export async function testProvider(provider: ConfiguredProvider, options: TestOptions): Promise<ProviderTest> {
  const started = performance.now()
  const { id } = provider.definition
  const result = <T extends object>(rest: T) => ({ id, elapsedMs: Math.round(performance.now() - started), ...rest })
  const signal = AbortSignal.timeout(options.timeoutMs ?? 15_000)
  try {
    const models = await list(provider, options.fetch, signal)
    if (models) return result({ ok: true, how: 'list', models })
    const model = await options.model()
    const question = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Say OK.' }] }]
    const { stream } = await model.doStream({ prompt: question, maxOutputTokens: 16, abortSignal: signal })
    for await (const part of stream) if (part.type === 'error') throw part.error
    return result({ ok: true, how: 'answer' })
  } catch (error) {
    const { name, message, data } = describeProviderError(error, { provider: id, model: '', redact: options.redact })
    return result({ ok: false, error: { name, message, data } })
  }
}

/** Undefined where the provider has no such list. */
async function list(
  provider: ConfiguredProvider,
  fetch: typeof globalThis.fetch,
  signal: AbortSignal,
): Promise<ModelDraft[] | undefined> {
  const { definition, apiKey, baseURL, headers, guessed } = provider
  try {
    return await definition.discover?.({ apiKey, baseURL, headers, guessed, fetch, signal })
  } catch (error) {
    const status = (error as { statusCode?: number }).statusCode
    if (status === 404 || status === 405) return undefined
    throw error
  }
}
