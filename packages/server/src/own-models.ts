import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { Models } from './models.ts'
import { chatCompletionParams } from './providers/shared/params.ts'
import { completeModel, type ModelDefinition } from './provider.ts'

/**
 * Models that a program brings along, by their full id (`provider/model`), before those of the providers. Where no
 * default is configured, the first of them is it.
 */
export function withProgramModels(
  models: Models,
  own: Record<string, LanguageModelV4>,
  configured: () => string | undefined,
): Models {
  const [first] = Object.keys(own)
  return {
    ...models,
    async resolveChatModel(id) {
      const wanted = id || configured() || first
      const model = wanted !== undefined && Object.hasOwn(own, wanted) ? own[wanted] : undefined
      if (wanted === undefined || model === undefined) return models.resolveChatModel(id)
      return { id: wanted, model, definition: programModelDefinition(wanted) }
    },
    async listModels(options) {
      const listed = Object.keys(own).map((ref) => ({
        ...programModelDefinition(ref),
        ref,
        providerName: programModelDefinition(ref).provider,
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
