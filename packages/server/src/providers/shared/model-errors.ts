import { NamedError } from '@troupe/core'
import type { ConfiguredProvider } from './configured-provider.ts'
import { similarNames } from './near-names.ts'

export function providerNotFound(name: string, names: string[]): NamedError {
  const near = similarNames(name, names)
  const message = `There is no provider "${name}".${suggest(near)} Add it in the settings under Models and keys.`
  return new NamedError('ProviderNotFound', message, { status: 404, data: { provider: name, near } })
}

export function providerNotConfigured(
  { definition }: ConfiguredProvider,
  message: string,
  cause?: unknown,
): NamedError {
  return new NamedError('ProviderNotConfigured', message, {
    data: { provider: definition.id, env: definition.env, setting: `providers.${definition.id}` },
    cause,
  })
}

export function modelNotFound(wanted: string, message: string, names: string[]): NamedError {
  const similar = similarNames(wanted, names)
  const near = similar.length > 0 || names.length > 5 ? similar : names
  return new NamedError('ModelNotFound', `${message}${suggest(near)}`, { status: 404, data: { model: wanted, near } })
}

export function modelsUnavailable(problems: { path: string; message: string }[]): NamedError {
  const message = 'No model can be used. Set the key of a provider in the settings under Models and keys.'
  return new NamedError('ModelsUnavailable', message, { status: 503, data: { problems } })
}

function suggest(near: string[]): string {
  return near.length === 0 ? '' : ` Did you mean ${near.join(', ')}?`
}
