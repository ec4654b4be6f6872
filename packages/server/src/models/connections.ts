import type { LanguageModelV4 } from '@ai-sdk/provider'
import {
  accountFingerprint,
  type ConfiguredProvider,
  providerNotConfigured,
} from '../providers/shared/provider-directory.ts'
import type { ModelFactory } from '../providers/shared/provider.ts'

/** A provider's SDK, set up with one key and address. */
export interface Connection {
  create: ModelFactory
  /** See `accountFingerprint`. */
  source: string
  /** Kept, because an SDK builds its schemas for each model object. */
  chatModels: Map<string, LanguageModelV4>
}

/** Returns a function that loads the SDK on first use. A changed key or address makes a new connection. */
export function createConnections(
  fetch: typeof globalThis.fetch,
  redact: (text: string) => string,
): (provider: ConfiguredProvider) => Promise<Connection> {
  const connections = new Map<string, { made: string; opening: Promise<Connection> }>()
  return async (provider) => {
    const { definition, apiKey, baseURL, headers } = provider
    const made = JSON.stringify([definition.adapter, apiKey, baseURL, headers])
    let known = connections.get(definition.id)
    if (known?.made !== made) {
      const source = accountFingerprint(provider)
      const opening = definition
        .create({ id: definition.id, apiKey, baseURL, headers, fetch })
        .then((create) => ({ create, source, chatModels: new Map<string, LanguageModelV4>() }))
      known = { made, opening }
      connections.set(definition.id, known)
    }
    try {
      return await known.opening
    } catch (error) {
      connections.delete(definition.id)
      const reason = redact(error instanceof Error ? error.message : String(error))
      throw providerNotConfigured(provider, `${definition.name} is not available: ${reason}`, error)
    }
  }
}
