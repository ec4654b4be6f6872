import type { MediaKind, MediaRequest } from '@troupe/core'
import type { ModelDefinition, ModelInfo } from '@troupe/protocol'
import {
  type GeneratedMedia,
  mediaGenerator,
  type VoiceKind,
  voiceModel,
  type VoiceModels,
} from '../providers/shared/media-models.ts'
import {
  type ConfiguredProvider,
  modelNotFound,
  providerNotConfigured,
} from '../providers/shared/provider-directory.ts'
import type { ProviderDefinition } from '../providers/shared/provider.ts'
import type { Connection } from './connections.ts'

export interface VoiceModel<Kind extends VoiceKind> {
  /** `provider/model` */
  id: string
  definition: ModelDefinition
  local: boolean
  model: VoiceModels[Kind]
}

export interface MediaModel {
  /** `provider/model` */
  id: string
  definition: ModelDefinition
  /** Runs on this computer, so it costs nothing. */
  local: boolean
  make(request: MediaRequest, signal: AbortSignal): Promise<GeneratedMedia>
}

interface MediaOptions {
  listUsable(): Promise<ModelInfo[]>
  locate(wanted: string): { provider: ConfiguredProvider; modelId: string }
  connect(provider: ConfiguredProvider): Promise<Connection>
  modelsOf(provider: ConfiguredProvider): ModelDefinition[]
  definitionOf(provider: ConfiguredProvider, modelId: string): ModelDefinition
  /** The chat model of new sessions. */
  defaultModel(): Promise<string>
  configuredModel(kind: MediaKind | VoiceKind): string | undefined
}

/** Finds models that make images and videos, or work with speech. See `Models`. */
export function createMediaModels(options: MediaOptions) {
  const { listUsable, locate, connect, modelsOf, definitionOf, defaultModel, configuredModel } = options
  return { resolveMediaModel, resolveVoiceModel, listMediaModels }

  async function resolveMediaModel(kind: MediaKind, wanted?: string, chatModel?: string): Promise<MediaModel> {
    const listed = await listMediaModels(kind, chatModel)
    const mayBe = (id: string | undefined): boolean => !isDemo(id) || listed.some(({ ref }) => isDemo(ref))
    const configured = configuredModel(kind)
    // The user may name the demo outside a chat. A chat model cannot.
    const named = chatModel === undefined || mayBe(wanted) ? wanted : undefined
    const id = named || (mayBe(configured) ? configured : undefined) || listed[0]?.ref
    const what = kind === 'image' ? 'images' : 'videos'
    if (id === undefined)
      throw modelNotFound(kind, `No ${kind} model is available. Add the API key of a provider that has one.`, [])
    const { provider, modelId } = locate(id)
    const { definition } = provider
    if (provider.problem !== undefined) throw providerNotConfigured(provider, provider.problem)
    const make = mediaGenerator((await connect(provider)).create, kind, modelId)
    const isKnown = modelsOf(provider).some((model) => model.id === modelId && model.tags.includes(kind))
    if (make === undefined || (definition.closed && !isKnown))
      throw modelNotFound(
        id,
        `${id} cannot generate ${what}.`,
        listed.map(({ ref }) => ref),
      )
    return {
      id: `${definition.id}/${modelId}`,
      definition: definitionOf(provider, modelId),
      local: isFree(definition),
      make,
    }
  }

  async function resolveVoiceModel<Kind extends VoiceKind>(kind: Kind): Promise<VoiceModel<Kind>> {
    const listed = await listMediaModels(kind)
    const id = configuredModel(kind) ?? listed[0]?.ref
    if (id === undefined)
      throw modelNotFound(kind, `No ${kind} model is available. Add the API key of a provider that has one.`, [])
    const { provider, modelId } = locate(id)
    if (provider.problem !== undefined) throw providerNotConfigured(provider, provider.problem)
    const model = voiceModel((await connect(provider)).create, kind, modelId)
    if (model === undefined)
      throw modelNotFound(
        id,
        `${id} is not a ${kind} model.`,
        listed.map(({ ref }) => ref),
      )
    return {
      id: `${provider.definition.id}/${modelId}`,
      model,
      definition: definitionOf(provider, modelId),
      local: isFree(provider.definition),
    }
  }

  async function listMediaModels(kind: MediaKind | VoiceKind, chatModel?: string): Promise<ModelInfo[]> {
    const tagged = (await listUsable()).filter((model) => model.tags.includes(kind))
    const makes = await Promise.all(tagged.map(({ ref }) => canMake(kind, ref)))
    const found = tagged.filter((_, index) => makes[index])
    const withDemo = isDemo(chatModel ?? (await defaultModel()))
    return found
      .filter(({ ref }) => withDemo || !isDemo(ref))
      .toSorted((one, other) => Number(isDemo(one.ref)) - Number(isDemo(other.ref)))
  }

  /** Tags come from files or the user, so check that the provider's SDK supports this kind. */
  async function canMake(kind: MediaKind | VoiceKind, ref: string): Promise<boolean> {
    const { provider, modelId } = locate(ref)
    try {
      const { create } = await connect(provider)
      const made =
        kind === 'image' || kind === 'video' ? mediaGenerator(create, kind, modelId) : voiceModel(create, kind, modelId)
      return made !== undefined
    } catch {
      return false
    }
  }
}

/** The demo costs as little as a server on this computer. */
export function isFree({ id, local = false }: ProviderDefinition): boolean {
  return local || isDemo(id)
}

function isDemo(ref: string | undefined): boolean {
  return ref?.split('/', 1)[0] === 'demo'
}
