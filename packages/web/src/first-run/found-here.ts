import type { ModelInfo } from '../api/model-info.ts'
import type { ProviderInfo } from '../api/provider-info.ts'

/** A provider that can be used without anything being filled in, and the model of it to begin with. */
export interface UsableProvider {
  id: string
  name: string
  how: { kind: 'environment'; variable: string } | { kind: 'settings' } | { kind: 'local' } | { kind: 'open' }
  models: number
  model: ModelInfo
}

/** What was found on this machine: keys, and servers of models. The demo model is always there and is not counted. */
export function findUsableProviders(
  providers: readonly ProviderInfo[],
  models: readonly ModelInfo[],
): UsableProvider[] {
  return providers.flatMap((provider) => {
    const own = models.filter((model) => model.provider === provider.id)
    const model = own[0]
    if (!provider.usable || provider.id === 'demo' || model === undefined) return []
    return [{ id: provider.id, name: provider.name, how: providerSource(provider), models: own.length, model }]
  })
}

function providerSource({ keySource, local }: ProviderInfo): UsableProvider['how'] {
  if (local) return { kind: 'local' }
  if (keySource === null) return { kind: 'open' }
  return keySource === 'settings'
    ? { kind: 'settings' }
    : { kind: 'environment', variable: keySource.replace(/^env:/, '') }
}
