import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { FileKind, LearnedModelFacts, MediaKind } from '@troupe/core'
import {
  isSameOrigin,
  type ModelDefinition,
  type ModelInfo,
  type ProviderInfo,
  type ProviderTest,
} from '@troupe/protocol'
import { guardFetch } from '../providers/shared/guard-fetch.ts'
import { openLearnedModels } from '../providers/shared/learned-models.ts'
import type { VoiceKind } from '../providers/shared/media-models.ts'
import {
  type ConfiguredProvider,
  createProviderDirectory,
  modelNotFound,
  modelsUnavailable,
  providerNotConfigured,
  providerNotFound,
} from '../providers/shared/provider-directory.ts'
import {
  completeModel,
  isForMedia,
  type ProviderDefinition,
  type ProviderSettings,
} from '../providers/shared/provider.ts'
import { type ImportedTemplates, importTemplates } from '../providers/shared/templates.ts'
import { probe, type ProbeResult, testProvider } from '../providers/shared/test-provider.ts'
import { createConnections } from './connections.ts'
import { createMediaModels, isFree, type MediaModel, type VoiceModel } from './resolve-media.ts'

export type { ImportedTemplates } from '../providers/shared/templates.ts'

export interface ModelsOptions {
  /** Read on each use, so changes take effect immediately. */
  settings: () => Record<string, ProviderSettings>
  env: NodeJS.ProcessEnv
  defaultModel: () => string | undefined
  /** The configured model for this kind of media. */
  mediaModel?: (kind: MediaKind | VoiceKind) => string | undefined
  fetch?: typeof fetch
  /** Probe for model servers on this machine. Default: true. */
  probe?: boolean
  /** Time limit for a probe. Default: 300. */
  probeMs?: number
  log?: (message: string) => void
  /** File for context windows learned from provider errors. Absent: kept in memory only. */
  learnedFile?: string
  /** Folders of provider files. Default: the built-in ones. */
  folders?: string[]
}

export interface ResolvedModel {
  /** `provider/model` */
  id: string
  model: LanguageModelV4
  definition: ModelDefinition
  /** Identifies the address and account. */
  source?: string
  /** File types its provider's SDK supports. Default: images and PDFs. */
  files?: readonly FileKind[]
  /** True if it runs on this computer. */
  local?: boolean
}

export interface Models {
  /** The models with the keys of a person. Only in team mode. */
  of?(person: string): Promise<Models>
  /** Without an id, uses the configured default, else a provider with a key, else a local server, else the demo. */
  resolveChatModel(id?: string): Promise<ResolvedModel>
  /**
   * Without an id, uses the configured model, else the first usable one. Demo media models serve only the demo chat
   * model. Throws `ModelNotFound` (404).
   */
  resolveMediaModel(kind: MediaKind, id?: string, chatModel?: string): Promise<MediaModel>
  /** Uses the configured model, else the first usable one. Throws `ModelNotFound` (404). */
  resolveVoiceModel<Kind extends VoiceKind>(kind: Kind): Promise<VoiceModel<Kind>>
  /**
   * Returns usable models. Demo models are included only if the chat model (default: that of new sessions) is the demo.
   */
  listMediaModels(kind: MediaKind | VoiceKind, chatModel?: string): Promise<ModelInfo[]>
  getModelDefinition(provider: string, id: string): ModelDefinition | undefined
  getProviderDefinition(id: string): ProviderDefinition | undefined
  /** `also` names more models of providers that accept any id. Other refs are ignored. */
  listModels(options?: { all?: boolean; also?: readonly string[] }): Promise<ModelInfo[]>
  /** Returns usable providers that accept any model id. */
  listOpenProviders(): Promise<{ id: string; name: string }[]>
  listProviders(): Promise<ProviderInfo[]>
  testProvider(id: string): Promise<ProviderTest>
  /** Tests a provider with this key instead of its own. Stores nothing. */
  tryKey(id: string, given: { apiKey: string; baseURL?: string | undefined }): Promise<ProviderTest>
  /** Stores facts from a provider error about a model, by its full id. */
  learn(id: string, found: LearnedModelFacts): void
  importTemplates(fileOrUrl: string): Promise<ImportedTemplates>
  /** Returns a provider's key and address, for tools that call it directly. */
  credentials(id: string): { apiKey?: string; baseURL?: string } | undefined
  /** Probes local servers now. Automatic probes run at most every 30 seconds. */
  refresh(): Promise<void>
  redact(text: string): string
  /** Returns the address of a provider's requests under these settings. */
  addressOf(id: string, settings: Record<string, ProviderSettings>): string | undefined
  /** Names of environment variables with keys. Child processes must not inherit them. */
  keyNames(): string[]
  problems(): { path: string; message: string }[]
}

const probeAgainMs = 30_000
const maxChatModels = 200

export function createModels(options: ModelsOptions): Models {
  const { find, all, ...directory } = createProviderDirectory(options)
  const fetch = guardFetch(options.fetch, directory.redact)
  const discovered = new Map<string, ModelDefinition[]>()
  const learned = openLearnedModels(options.learnedFile)
  const connect = createConnections(fetch, directory.redact)
  let probing: { at: number; results: Promise<Map<string, ProbeResult>> } | undefined

  const media = createMediaModels({
    listUsable: async () => (await listEvery({})).filter(({ usable }) => usable),
    locate,
    connect,
    modelsOf,
    definitionOf,
    defaultModel: async () => options.defaultModel() || chooseDefault(),
    configuredModel: (kind) => options.mediaModel?.(kind),
  })

  return {
    ...media,
    resolveChatModel,
    getModelDefinition: (provider, id) => modelsOf(find(provider)).find((model) => model.id === id),
    getProviderDefinition: (id) => find(id)?.definition,
    credentials(id) {
      const { apiKey, baseURL } = find(id) ?? {}
      return apiKey === undefined && baseURL === undefined ? undefined : { apiKey, baseURL }
    },
    listModels,
    listOpenProviders,
    listProviders,
    testProvider: test,
    tryKey,
    learn: learned.add,
    importTemplates: (source) => importTemplates(source, directory.definitions(), options.fetch),
    async refresh() {
      probing = undefined
      await localServers()
    },
    redact: directory.redact,
    addressOf: directory.addressOf,
    keyNames: directory.keyNames,
    problems: directory.problems,
  }

  async function resolveChatModel(wanted?: string): Promise<ResolvedModel> {
    const { provider, modelId } = locate(wanted || options.defaultModel() || (await chooseDefault()))
    const { definition } = provider
    if (provider.problem !== undefined) throw providerNotConfigured(provider, provider.problem)
    const listed = modelsOf(provider)
    const model = listed.find((candidate) => candidate.id === modelId)
    if (!model && definition.closed) {
      throw modelNotFound(modelId, `${definition.name} has no model "${modelId}".`, listed.map(modelRef))
    }
    if (model && isForMedia(model)) {
      throw modelNotFound(modelId, `${model.name} generates or reads media and cannot be used for chat.`, [])
    }
    const { create, source, chatModels } = await connect(provider)
    const created = chatModels.get(modelId) ?? create(modelId)
    if (chatModels.size >= maxChatModels) chatModels.clear()
    chatModels.set(modelId, created)
    const id = `${definition.id}/${modelId}`
    return {
      id,
      model: created,
      source,
      definition: definitionOf(provider, modelId),
      files: learned.takesNone(id) ? [] : (definition.files ?? ['image']),
      local: isFree(definition),
    }
  }

  /** Parses `provider/model`, a provider name, or a model of a usable provider. */
  function locate(wanted: string): { provider: ConfiguredProvider; modelId: string } {
    const [name = '', ...rest] = wanted.split('/')
    const provider = find(name)
    const modelId = rest.join('/')
    if (provider && modelId) return { provider, modelId }
    const first = modelsOf(provider)[0]
    if (provider && first) return { provider, modelId: first.id }
    if (provider?.problem !== undefined) throw providerNotConfigured(provider, provider.problem)
    if (provider) throw modelNotFound(wanted, `Choose a model of ${provider.definition.name}: ${name}/<model>.`, [])
    const usable = all().filter((candidate) => candidate.problem === undefined)
    const owner = usable.find((candidate) => modelsOf(candidate).some((model) => model.id === wanted))
    if (owner) return { provider: owner, modelId: wanted }
    if (modelId === '')
      throw modelNotFound(wanted, `There is no model "${wanted}".`, usable.flatMap(modelsOf).map(modelRef))
    throw providerNotFound(
      name,
      all().map((candidate) => candidate.definition.id),
    )
  }

  /** In name order. A key in the settings takes precedence over one in the environment. */
  async function chooseDefault(): Promise<string> {
    const ready = all().filter((provider) => provider.problem === undefined && provider.definition.id !== 'demo')
    const remote = ready.filter((provider) => !provider.definition.local)
    const found = (providers: ConfiguredProvider[]): string | undefined => {
      const model = providers.flatMap(modelsOf)[0]
      return model && modelRef(model)
    }
    const chosen =
      found(remote.filter((provider) => provider.keySource === 'settings')) ??
      found(remote.filter((provider) => provider.keySource !== null)) ??
      found(remote.filter((provider) => provider.inSettings))
    if (chosen !== undefined) return chosen
    const servers = await localServers()
    const local = found(ready.filter((provider) => servers.get(provider.definition.id)?.found))
    if (local !== undefined) return local
    if (directory.definitions().has('demo')) return 'demo'
    throw modelsUnavailable(directory.problems())
  }

  async function listModels(which: { all?: boolean; also?: readonly string[] } = {}): Promise<ModelInfo[]> {
    const listed = await listEvery(which)
    const known = new Set(listed.map(({ ref }) => ref))
    const open = new Map((await openProviders()).map((provider) => [provider.definition.id, provider]))
    const more = [...new Set(which.also)].flatMap((ref): ModelInfo[] => {
      const [name = '', ...rest] = ref.split('/')
      const provider = open.get(name)
      const id = rest.join('/')
      if (provider === undefined || id === '' || known.has(ref)) return []
      const { definition } = provider
      const model = learned.apply(completeModel({ id }, definition))
      return [{ ...model, ref, providerName: definition.name, usable: true }]
    })
    return [...listed, ...more].filter((model) => !isForMedia(model))
  }

  async function listOpenProviders(): Promise<{ id: string; name: string }[]> {
    return (await openProviders()).map(({ definition: { id, name } }) => ({ id, name }))
  }

  async function openProviders(): Promise<ConfiguredProvider[]> {
    const found = await localServers()
    return all().filter((provider) => provider.definition.closed !== true && isUsable(provider, found))
  }

  async function listEvery({ all: everything = false }): Promise<ModelInfo[]> {
    const found = await localServers()
    return all().flatMap((provider) => {
      const usable = isUsable(provider, found)
      if (!usable && !everything) return []
      const { name } = provider.definition
      return modelsOf(provider).map((model) => ({ ...model, ref: modelRef(model), providerName: name, usable }))
    })
  }

  async function listProviders(): Promise<ProviderInfo[]> {
    const found = await localServers()
    return all().map((provider) => {
      const { definition, keySource, enabled, inSettings } = provider
      const result = found.get(definition.id)
      const unseen =
        definition.local && result && !result.found ? `${definition.name} was not found: ${result.error}.` : undefined
      return {
        id: definition.id,
        name: definition.name,
        adapter: definition.adapter,
        familyId: definition.familyId,
        usable: isUsable(provider, found),
        enabled,
        needsKey: definition.needsKey,
        popular: definition.popular ?? false,
        keySource,
        keyURL: definition.keys?.url ?? null,
        keyPattern: definition.keys?.pattern?.source ?? null,
        env: definition.env,
        baseURL: withoutUser(provider.baseURL),
        local: definition.local ?? false,
        inSettings,
        probe: result
          ? {
              found: result.found,
              models: result.models.length,
              error: result.error,
            }
          : null,
        problem: provider.problem ?? unseen ?? null,
        models: modelsOf(provider).length,
        onlyModels: provider.restricted ? definition.models.map((model) => model.id) : null,
      }
    })
  }

  async function test(id: string): Promise<ProviderTest> {
    const provider = find(id)
    if (!provider)
      throw providerNotFound(
        id,
        all().map((candidate) => candidate.definition.id),
      )
    if (provider.problem !== undefined) throw providerNotConfigured(provider, provider.problem)
    const tested = await testProvider(provider, {
      fetch,
      redact: directory.redact,
      model: async () => (await resolveChatModel(id)).model,
    })
    if (tested.ok && tested.models) remember(provider.definition, tested.models)
    return tested
  }

  function tryKey(id: string, given: { apiKey: string; baseURL?: string | undefined }): Promise<ProviderTest> {
    const settings = options.settings()
    const own = Object.hasOwn(settings, id) ? settings[id] : undefined
    const tried: ProviderSettings = { ...own, enabled: true, apiKey: given.apiKey }
    if (given.baseURL !== undefined) tried.baseURL = given.baseURL
    const next = { ...settings, [id]: tried }
    // Headers can hold secrets of the current server.
    if (!isSameOrigin(directory.addressOf(id, settings), directory.addressOf(id, next))) delete tried.headers
    return createModels({ ...options, settings: () => next, learnedFile: undefined, probe: false }).testProvider(id)
  }

  async function localServers(): Promise<Map<string, ProbeResult>> {
    if (options.probe === false) return new Map()
    if (!probing || Date.now() - probing.at > probeAgainMs) {
      const local = all().filter((provider) => provider.definition.local && provider.enabled)
      probing = { at: Date.now(), results: probe(local, { fetch: options.fetch, timeoutMs: options.probeMs }) }
    }
    const results = await probing.results
    for (const [id, result] of results) {
      const definition = find(id)?.definition
      if (definition && result.found) remember(definition, result.models)
    }
    return results
  }

  function remember(definition: ProviderDefinition, models: ProbeResult['models']): void {
    discovered.set(
      definition.id,
      models.map((model) => completeModel(model, definition)),
    )
  }

  /** Of a listed model, else what its id tells. */
  function definitionOf(provider: ConfiguredProvider, modelId: string): ModelDefinition {
    const listed = modelsOf(provider).find(({ id }) => id === modelId)
    return listed ?? learned.apply(completeModel({ id: modelId }, provider.definition))
  }

  /** Returns the user's list if set, else the file's models followed by others from the provider's own list. */
  function modelsOf(provider: ConfiguredProvider | undefined): ModelDefinition[] {
    if (!provider) return []
    const { models, id, closed } = provider.definition
    const named = new Set(models.map((model) => model.id))
    const others =
      closed === true || provider.restricted ? [] : (discovered.get(id) ?? []).filter((model) => !named.has(model.id))
    return [...models, ...others].map(learned.apply)
  }
}

function isUsable(provider: ConfiguredProvider, found: Map<string, ProbeResult>): boolean {
  if (provider.problem !== undefined) return false
  return !provider.definition.local || provider.restricted || (found.get(provider.definition.id)?.found ?? false)
}

function modelRef(model: ModelDefinition): string {
  return `${model.provider}/${model.id}`
}

function withoutUser(baseURL: string | undefined): string | null {
  if (!baseURL || !URL.canParse(baseURL)) return null
  const url = new URL(baseURL)
  if (!url.username && !url.password) return baseURL
  url.username = ''
  url.password = ''
  return url.href
}
