import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { FileKind, MediaKind } from '@troupe/core'
import type { Param } from '@troupe/protocol'
import { z } from 'zod'
import { knownModel } from './known-models.ts'
import type { MediaFactory } from './media-models.ts'

/** USD per million tokens. */
interface Price {
  input: number
  output: number
  cachedInput?: number
  cacheWrite?: number
}

/**
 * What is known about a model. `tags` alone filter and label; `capabilities` pass through as they came, and where they
 * name no `params`, those of its provider are listed. A limit or price that is not known is absent.
 */
export interface ModelDefinition {
  id: string
  name: string
  /** The provider's id. */
  provider: string
  /** The icon: a name that @lobehub/icons knows. */
  familyId: string
  tags: string[]
  contextWindow?: number
  maxOutputTokens?: number
  price?: Price
  capabilities?: Capabilities
  /** Nobody says what it can do: `tags` are a guess by its name. */
  guessed?: true
}

interface Capabilities {
  common?: unknown
  /** What a person can set, see `paramsOf`. */
  params?: unknown
  input?: unknown
  output?: unknown
}

/** A model as a provider's file, its HTTP API or the settings name it. */
export type ModelDraft = Pick<ModelDefinition, 'id'> & Partial<Omit<ModelDefinition, 'id'>>

export interface CreateOptions {
  /** The provider's id, which errors name. */
  id?: string | undefined
  apiKey?: string | undefined
  baseURL?: string | undefined
  headers?: Record<string, string> | undefined
  fetch?: typeof fetch | undefined
}

interface DiscoverOptions extends CreateOptions {
  /** The address is the built-in guess, so whatever answers there must prove what it is. */
  guessed: boolean
  signal?: AbortSignal | undefined
}

/** Makes the models of a provider, as providers of the SDK do: called for a chat model, asked for those of pictures and films. */
export type ModelFactory = ((modelId: string) => LanguageModelV4) & MediaFactory

export interface ProviderDefinition {
  /** The file's name. */
  id: string
  name: string
  /** Which SDK speaks for it. Independent of the id: settings choose it with `type`. */
  adapter: string
  familyId: string
  /** Environment names of the key; the first one that is set wins. */
  env: string[]
  baseURLEnv?: string
  baseURL?: string
  needsKey: boolean
  /** The first is the default of this provider. */
  models: ModelDefinition[]
  /** A server on this machine: it counts as usable once it has answered. */
  local?: boolean
  /** What a person can set for a chat model that does not say so itself. */
  params?(model: ModelDraft): Param[]
  /** What besides text its SDK can carry in a request; others make it throw. Default: images. */
  files?: readonly FileKind[]
  /** Only the listed models exist. */
  closed?: boolean
  /** Turns the value of `baseURLEnv` into a base URL. */
  parseBaseURL?(value: string): string
  /** A sentence that says what is missing on this machine, or nothing. Must not throw. */
  missing?(): string | undefined
  /** Imports its SDK here and not before: most of them are never used in a run of the program. */
  create(options: CreateOptions): Promise<ModelFactory>
  /** The models that the provider's API lists. */
  discover?(options: DiscoverOptions): Promise<ModelDraft[]>
}

export type ProviderDraft = Omit<ProviderDefinition, 'id' | 'models'> & { id?: string; models: ModelDraft[] }

/** A provider is one file in `providers/`; this is its default export. The id is the file's name. */
export function defineProvider(draft: ProviderDraft): ProviderDraft {
  return draft
}

const providerIdSchema = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/i, 'letters, digits, dot, dash and underscore')

const priceSchema = z.strictObject({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cachedInput: z.number().nonnegative().optional(),
  cacheWrite: z.number().nonnegative().optional(),
})

export const modelSettingsSchema = z.strictObject({
  id: z.string().min(1).max(300),
  name: z.string().min(1).max(300).optional(),
  familyId: z.string().max(100).optional(),
  tags: z.array(z.string().max(50)).max(50).optional(),
  contextWindow: z.int().positive().optional(),
  maxOutputTokens: z.int().positive().optional(),
  price: priceSchema.optional(),
  capabilities: z.looseObject({}).optional(),
})

/** One entry of `providers` in config.json. */
export const providerSettingsSchema = z.strictObject({
  type: z.string().min(1).max(100).optional().describe('the adapter that speaks for it, e.g. openai-compatible'),
  name: z.string().min(1).max(200).optional(),
  baseURL: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .optional(),
  apiKey: z.string().max(5000).optional(),
  headers: z.record(z.string().max(200), z.string().max(5000)).optional(),
  models: z
    .array(z.union([z.string().min(1).max(300), modelSettingsSchema]))
    .max(1000)
    .optional()
    .describe('the only models offered; absent or empty: all that the provider has'),
  familyId: z.string().max(100).optional(),
  enabled: z.boolean().optional(),
})
export type ProviderSettings = z.infer<typeof providerSettingsSchema>

/** Checks the default export of a provider's file. Throws a plain Error that says what is wrong with it. */
export function checkProvider(value: unknown, name: string): ProviderDefinition {
  const result = draftSchema.safeParse(value)
  if (!result.success) throw new Error(z.prettifyError(result.error))
  const draft = value as ProviderDraft
  if (draft.id !== undefined && draft.id !== name) {
    throw new Error(`the provider calls itself "${draft.id}", its file "${name}"`)
  }
  const models = draft.models.map((model) => {
    const complete = completeModel(model, { ...draft, id: name })
    const also = isForMedia(complete) ? [] : (knownModel(model.id)?.tags ?? [])
    return { ...complete, tags: [...new Set([...complete.tags, ...also])] }
  })
  return { ...draft, id: name, models }
}

/** A model with everything that may be derived: its name, its provider, its family. */
export function completeModel(
  draft: ModelDraft,
  provider: Pick<ProviderDefinition, 'id' | 'familyId' | 'params' | 'local'>,
): ModelDefinition {
  const model = withFacts(draft, provider.local === true)
  const tags = model.tags ?? [modelKind(model.id)]
  const params = model.capabilities?.params ?? (isForMedia({ tags }) ? undefined : provider.params?.(model))
  return {
    ...model,
    name: model.name ?? model.id,
    provider: provider.id,
    familyId: model.familyId ?? modelFamily(model.id) ?? provider.familyId,
    tags,
    ...(model.tags === undefined && { guessed: true }),
    ...(params !== undefined && { capabilities: { ...model.capabilities, params } }),
  }
}

/** What is not said comes from the public data. What runs on this machine costs nothing that it knows of. */
function withFacts(model: ModelDraft, isLocal: boolean): ModelDraft {
  const kind = model.tags === undefined ? modelKind(model.id) : isForMedia({ tags: model.tags }) ? 'image' : 'chat'
  const facts = kind === 'chat' ? knownModel(model.id) : undefined
  if (facts === undefined) return model
  const { price, ...rest } = facts
  const said = Object.fromEntries(Object.entries(model).filter(([, value]) => value !== undefined))
  return { ...rest, ...(price !== undefined && !isLocal && { price }), ...said, id: model.id }
}

/** The family of a model by its id, which is all that a local server tells. */
function modelFamily(modelId: string): string | undefined {
  const name = modelId.toLowerCase().split('/').at(-1) ?? ''
  return families.find(([pattern]) => pattern.test(name))?.[1]
}

/** What a model makes, by its id, where nothing else tells. */
function modelKind(modelId: string): 'chat' | MediaKind {
  const name = modelId.toLowerCase().split('/').at(-1) ?? ''
  if (/(^|-)(dall-e|gpt-image|chatgpt-image|imagen|image)(-|\d|$)/.test(name)) return 'image'
  return /^(veo|sora|wan\d)|-video(-|\d|$)/.test(name) ? 'video' : 'chat'
}

/** It makes pictures or films and cannot be talked to. */
export function isForMedia({ tags }: Pick<ModelDefinition, 'tags'>): boolean {
  return !tags.includes('chat') && (tags.includes('image') || tags.includes('video'))
}

const families: [RegExp, string][] = [
  [/^(gpt|chatgpt|o\d|codex)/, 'OpenAI'],
  [/^claude/, 'Claude'],
  [/^gemini/, 'Gemini'],
  [/^gemma/, 'Gemma'],
  [/^deepseek/, 'DeepSeek'],
  [/^(kimi|moonshot)/, 'Moonshot'],
  [/^(qwen|qwq|qvq)/, 'Qwen'],
  [/^grok/, 'Grok'],
  [/^(meta-)?llama/, 'Meta'],
  [/^(mistral|mixtral|ministral|codestral|devstral|magistral)/, 'Mistral'],
  [/^glm/, 'ChatGLM'],
  [/^minimax/, 'Minimax'],
]

const draftSchema = z.looseObject({
  id: providerIdSchema.optional(),
  name: z.string().min(1),
  adapter: z.string().min(1),
  familyId: z.string().min(1),
  env: z.array(z.string().regex(/^[A-Z][A-Z0-9_]*$/)),
  baseURLEnv: z.string().optional(),
  baseURL: z.url().optional(),
  needsKey: z.boolean(),
  models: z.array(z.looseObject({ id: z.string().min(1) })),
  create: z.custom((create) => typeof create === 'function', 'create must be a function'),
  discover: z.custom((discover) => discover === undefined || typeof discover === 'function').optional(),
})
