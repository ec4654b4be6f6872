import { createModels, type Models } from './models.ts'

/** For programs without a server or a home: the built-in providers, with keys from the environment. */
const environmentModels = (): Models =>
  createModels({ settings: () => ({}), env: process.env, defaultModel: () => process.env['TROUPE_MODEL'] || undefined })

export const getModelDefinition: Models['getModelDefinition'] = (provider, id) =>
  environmentModels().getModelDefinition(provider, id)

export const getProviderDefinition: Models['getProviderDefinition'] = (id) =>
  environmentModels().getProviderDefinition(id)

/** Fails with a named error that says what to set. */
export const resolveChatModel: Models['resolveChatModel'] = (id) => environmentModels().resolveChatModel(id)
