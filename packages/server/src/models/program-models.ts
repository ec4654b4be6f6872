import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { ModelDefinition } from '@troupe/protocol'
import { chatCompletionParams, completeModel } from '../providers/shared/provider.ts'
import { createModels, type Models, type ResolvedModel } from './models.ts'

/**
 * Adds models of an embedding program by full id (`provider/model`), ahead of the providers' models. The first is the
 * default if none is configured.
 */
export function withProgramModels(
  models: Models,
  own: Record<string, LanguageModelV4>,
  configured: () => string | undefined,
): Models {
  const [first] = Object.keys(own)
  const definitions = new Map(Object.keys(own).map((ref) => [ref, programModelDefinition(ref)]))
  const resolved = new Map<string, ResolvedModel>()
  return {
    ...models,
    async resolveChatModel(id) {
      const wanted = id || configured() || first
      const definition = wanted === undefined ? undefined : definitions.get(wanted)
      if (wanted === undefined || definition === undefined) return models.resolveChatModel(id)
      const known = resolved.get(wanted)
      if (known !== undefined) return known
      const local = models.getProviderDefinition(definition.provider)?.local
      const found = { id: wanted, model: own[wanted] as LanguageModelV4, definition, local }
      resolved.set(wanted, found)
      return found
    },
    async listModels(options) {
      const listed = [...definitions].map(([ref, definition]) => ({
        ...definition,
        ref,
        providerName: definition.provider,
        usable: true,
      }))
      return [...listed, ...(await models.listModels(options))]
    },
  }
}

function programModelDefinition(ref: string): ModelDefinition {
  const [provider = '', ...rest] = ref.split('/')
  return completeModel({ id: rest.join('/') }, { id: provider, familyId: provider, params: chatCompletionParams })
}

/** For programs without a server or home: the built-in providers, with keys from the environment. */
const environmentModels = (): Models =>
  createModels({ settings: () => ({}), env: process.env, defaultModel: () => process.env['TROUPE_MODEL'] || undefined })

export const getModelDefinition: Models['getModelDefinition'] = (provider, id) =>
  environmentModels().getModelDefinition(provider, id)

export const getProviderDefinition: Models['getProviderDefinition'] = (id) =>
  environmentModels().getProviderDefinition(id)

/** Throws a named error that says what to configure. */
export const resolveChatModel: Models['resolveChatModel'] = (id) => environmentModels().resolveChatModel(id)
