import { connect } from 'node:net'
import type { ModelDraft } from '../../provider.ts'
import type { ConfiguredProvider } from './configured-provider.ts'

export interface ProbeResult {
  found: boolean
  models: ModelDraft[]
  /** Why it was not found. */
  error?: string
}

/**
 * Looks for the given local servers, all at once, for 300 ms in total at most. A closed port costs a millisecond and no
 * HTTP: most machines run none of them, and every start asks.
 */
export async function probe(
  providers: ConfiguredProvider[],
  options: { fetch?: typeof fetch | undefined; timeoutMs?: number } = {},
): Promise<Map<string, ProbeResult>> {
  const { timeoutMs = 300 } = options
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
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
    if (!baseURL || !definition.discover) throw new Error('it has no address to look at')
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
    socket.once('error', () => reject(new Error(`nothing answers at ${url.host}`)))
  })
}

/** A promise that loses to the signal, should the work not listen to it. */
function sooner<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  return Promise.race([work, promise])
}
