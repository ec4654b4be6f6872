import path from 'node:path'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import { type ModelDefinition, NamedError } from '@troupe/protocol'
import type { ConfigFile } from '../config/config.ts'
import { chatCompletionParams, completeModel, type ProviderSettings } from '../providers/shared/provider.ts'
import { createModels, type Models, type ResolvedModel } from './models.ts'

/** Opens the models of the providers, of an embedding program, and in team mode those of each person. */
export function openModels(
  options: { models?: Record<string, LanguageModelV4>; probe?: boolean },
  given: {
    home: { path: string }
    env: NodeJS.ProcessEnv
    config: ConfigFile
    governance:
      | {
          policy: { allowsModel(ref: string): boolean }
          personKeys: { of(person: string): Promise<Record<string, ProviderSettings> | undefined> }
        }
      | undefined
  },
): Models {
  const { home, env, config, governance } = given
  const defaultModel = (): string | undefined => env['TROUPE_MODEL'] || config.get().model || undefined
  const create = (own: Record<string, ProviderSettings> = {}): Models => {
    const configured = createModels({
      settings: () => withOwnKeys(config.get().providers ?? {}, own),
      env,
      defaultModel: () => defaultModel() ?? Object.keys(options.models ?? {})[0],
      mediaModel: (kind) => config.get().media?.[kind],
      learnedFile: path.join(home.path, 'model-windows.json'),
      probe: options.probe,
    })
    const models =
      options.models === undefined ? configured : withProgramModels(configured, options.models, defaultModel)
    return governance === undefined ? models : withModelPolicy(models, governance.policy.allowsModel)
  }
  return governance === undefined ? create() : withPersonModels(create(), { keysOf: governance.personKeys.of, create })
}

function withOwnKeys(
  settings: Record<string, ProviderSettings>,
  own: Record<string, ProviderSettings>,
): Record<string, ProviderSettings> {
  const names = Object.keys(own)
  if (names.length === 0) return settings
  return { ...settings, ...Object.fromEntries(names.map((name) => [name, { ...settings[name], ...own[name] }])) }
}

/**
 * Adds models of an embedding program by full id (`provider/model`), ahead of the providers' models. The first is the
 * default if none is configured.
 */
function withProgramModels(
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

/** Refuses models that an administrator does not allow, and does not list them. */
function withModelPolicy(models: Models, allows: (ref: string) => boolean): Models {
  const check = <T extends { id: string }>(found: T): T => {
    if (allows(found.id)) return found
    throw new NamedError('ModelNotAllowed', `The policy of the organization does not allow the model ${found.id}.`, {
      status: 403,
      data: { model: found.id },
    })
  }
  return {
    ...models,
    resolveChatModel: async (id) => check(await models.resolveChatModel(id)),
    resolveMediaModel: async (...given) => check(await models.resolveMediaModel(...given)),
    resolveVoiceModel: async (kind) => check(await models.resolveVoiceModel(kind)),
    listModels: async (options) => (await models.listModels(options)).filter(({ ref }) => allows(ref)),
    listMediaModels: async (...given) => (await models.listMediaModels(...given)).filter(({ ref }) => allows(ref)),
  }
}

const maxPeople = 500

/** Adds `of`: the models of a person who has keys of their own. They win over the keys of the organization. */
function withPersonModels(
  shared: Models,
  options: {
    keysOf(person: string): Promise<Record<string, ProviderSettings> | undefined>
    create(own: Record<string, ProviderSettings>): Models
  },
): Models {
  const known = new Map<string, { keys: Record<string, ProviderSettings>; models: Models }>()
  return {
    ...shared,
    async of(person) {
      const keys = await options.keysOf(person)
      if (keys === undefined) {
        known.delete(person)
        return shared
      }
      const before = known.get(person)
      if (before?.keys === keys) return before.models
      const models = options.create(keys)
      if (known.size >= maxPeople) known.delete(known.keys().next().value as string)
      known.set(person, { keys, models })
      return models
    },
  }
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
