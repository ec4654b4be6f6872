import { connect } from 'node:net'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import { describeProviderError } from '@troupe/core'
import type { ModelDraft, ProviderTest } from '@troupe/protocol'
import type { ConfiguredProvider } from './provider-directory.ts'

interface TestOptions {
  fetch: typeof fetch
  redact: (text: string) => string
  timeoutMs?: number
  model: () => Promise<LanguageModelV4>
}

/** Tests key and address with the model list, or with one tiny request if there is no list. */
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

export interface ProbeResult {
  found: boolean
  models: ModelDraft[]
  error?: string
}

/**
 * Probes local servers in parallel, for at most 300 ms in total. A closed port costs a millisecond and no HTTP request,
 * since most machines run none and every start probes.
 */
export async function probe(
  providers: ConfiguredProvider[],
  options: { fetch?: typeof fetch | undefined; timeoutMs?: number } = {},
): Promise<Map<string, ProbeResult>> {
  const { timeoutMs = 300 } = options
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(new Error(`no response within ${timeoutMs} ms`)), timeoutMs)
  try {
    const results = await Promise.all(
      providers.map(
        async (provider) => [provider.definition.id, await probeOne(provider, timeout.signal, options.fetch)] as const,
      ),
    )
    return new Map(results)
  } finally {
    clearTimeout(timer)
  }
}

async function probeOne(
  provider: ConfiguredProvider,
  signal: AbortSignal,
  fetch?: typeof globalThis.fetch,
): Promise<ProbeResult> {
  const { definition, apiKey, baseURL, headers, guessed } = provider
  try {
    if (!baseURL || !definition.discover) throw new Error('it has no URL to check')
    await openPort(new URL(baseURL), signal)
    const models = await sooner(definition.discover({ apiKey, baseURL, headers, fetch, signal, guessed }), signal)
    return { found: true, models }
  } catch (error) {
    const reason: unknown = signal.aborted ? signal.reason : error
    return { found: false, models: [], error: reason instanceof Error ? reason.message : String(reason) }
  }
}

function openPort(url: URL, signal: AbortSignal): Promise<void> {
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, signal })
    socket.once('connect', () => {
      socket.destroy()
      resolve()
    })
    socket.once('error', () => reject(new Error(`no response from ${url.host}`)))
  })
}

/** Rejects on abort, even if the work ignores the signal. */
function sooner<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  return Promise.race([work, promise])
}
