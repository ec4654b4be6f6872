import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { FileKind, MediaKind } from '@troupe/core'
import type { ModelDefinition, ModelDraft, Param } from '@troupe/protocol'
import { z } from 'zod'
import { knownModel } from './known-models.ts'
import type { MediaFactory, VoiceKind } from './media-models.ts'

/**
 * Common settings for a provider's `params`. Ranges follow the provider's documentation. A default is given only if it
 * applies to all of its models.
 */

export function temperature(max: number): Param {
  return {
    name: 'temperature',
    type: 'number',
    label: 'Temperature',
    note: 'Lower is more predictable, higher is more varied.',
    min: 0,
    max,
    step: 0.1,
  }
}

export const topP: Param = {
  name: 'topP',
  type: 'number',
  label: 'Top P',
  note: 'Only consider the most likely words up to this total probability.',
  min: 0,
  max: 1,
  step: 0.05,
}

export const topK: Param = {
  name: 'topK',
  type: 'integer',
  label: 'Top K',
  note: 'Only consider this many of the most likely words.',
  min: 1,
  max: 500,
}

/** Limited to the model's maximum, if known. */
export function maxOutputTokens(model: { maxOutputTokens?: number }): Param {
  return {
    name: 'maxOutputTokens',
    type: 'integer',
    label: 'Max output tokens',
    note: 'Longer answers are cut off.',
    min: 1,
    max: model.maxOutputTokens ?? 1_000_000,
  }
}

type Effort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'

export function reasoning(options: Effort[]): Param {
  return {
    name: 'reasoning',
    type: 'choice',
    label: 'Reasoning effort',
    note: 'How much the model thinks before it answers.',
    options,
  }
}

export const presencePenalty = penalty('presencePenalty', 'Presence penalty', 'Above zero favors new topics.')
const frequencyPenalty = penalty('frequencyPenalty', 'Frequency penalty', 'Above zero reduces repetition.')

function penalty(name: string, label: string, note: string): Param {
  return { name, type: 'number', label, note, min: -2, max: 2, step: 0.1, default: 0 }
}

export const seed: Param = {
  name: 'seed',
  type: 'integer',
  label: 'Seed',
  note: 'With the same seed, the provider tries to give the same answer to the same question.',
  min: 0,
  max: 2_147_483_647,
}

export const stopSequences: Param = {
  name: 'stopSequences',
  type: 'texts',
  label: 'Stop sequences',
  note: 'The answer ends before the first of these.',
  max: 4,
}

/** Length of the answer, independent of reasoning. OpenAI's newer models only. */
export const verbosity: Param = {
  name: 'verbosity',
  type: 'choice',
  label: 'Answer length',
  options: ['low', 'medium', 'high'],
  default: 'medium',
  option: { provider: 'openai', key: 'textVerbosity' },
}

export function chatCompletionParams(model: { maxOutputTokens?: number }): Param[] {
  return [
    temperature(2),
    topP,
    maxOutputTokens(model),
    reasoning(['none', 'low', 'medium', 'high']),
    frequencyPenalty,
    presencePenalty,
    seed,
    stopSequences,
  ]
}

/** Checks the tags, or the id for an untagged model if its provider names models that way. */
export function isReasoning({ id, tags }: { id: string; tags?: string[] }, named?: RegExp): boolean {
  return tags?.includes('reasoning') ?? named?.test(id) ?? false
}

export interface CreateOptions {
  /** Provider id for error messages. */
  id?: string | undefined
  apiKey?: string | undefined
  baseURL?: string | undefined
  headers?: Record<string, string> | undefined
  fetch?: typeof fetch | undefined
}

interface DiscoverOptions extends CreateOptions {
  /** True if the address is the built-in default, so the server there must identify itself. */
  guessed: boolean
  signal?: AbortSignal | undefined
}

/** Creates a provider's models like an SDK provider: call it for a chat model, or use its methods for media. */
export type ModelFactory = ((modelId: string) => LanguageModelV4) & MediaFactory

export interface ProviderDefinition {
  /** The file name. */
  id: string
  name: string
  /** The SDK it uses. Independent of the id: settings select it with `type`. */
  adapter: string
  familyId: string
  /** Environment variables for the key. The first one set wins. */
  env: string[]
  baseURLEnv?: string
  baseURL?: string
  needsKey: boolean
  /** Listed first when a model is connected. */
  popular?: true
  /** The page where users create a key. `pattern` matches its keys, if they differ from those of other providers. */
  keys?: { url: string; pattern?: RegExp }
  /** The first is the provider's default. */
  models: ModelDefinition[]
  /** A server on this machine, usable once it has responded. */
  local?: boolean
  /** User settings of a chat model that defines none itself. */
  params?(model: ModelDraft): Param[]
  /** Non-text file types its SDK supports. Others make it throw. Default: images. */
  files?: readonly FileKind[]
  /** True if only the listed models exist. */
  closed?: boolean
  parseBaseURL?(value: string): string
  /** Returns a sentence about missing software, or undefined. Must not throw. */
  missing?(): string | undefined
  /** Imports its SDK lazily, since most SDKs are never used. */
  create(options: CreateOptions): Promise<ModelFactory>
  discover?(options: DiscoverOptions): Promise<ModelDraft[]>
}

type ProviderDraft = Omit<ProviderDefinition, 'id' | 'models'> & { id?: string; models: ModelDraft[] }

/** Defines a provider: the default export of one file in `providers/`. Its id is the file name. */
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

const mediaPriceSchema = z
  .strictObject({
    perImage: z.number().nonnegative().optional(),
    perSecond: z.number().nonnegative().optional(),
    perMillionCharacters: z.number().nonnegative().optional(),
  })
  .describe('US dollars for images, seconds of sound or video, and spoken text')

export const modelSettingsSchema = z.strictObject({
  id: z.string().min(1).max(300),
  name: z.string().min(1).max(300).optional(),
  familyId: z.string().max(100).optional(),
  tags: z.array(z.string().max(50)).max(50).optional(),
  contextWindow: z.int().positive().optional(),
  maxOutputTokens: z.int().positive().optional(),
  price: priceSchema.optional(),
  mediaPrice: mediaPriceSchema.optional(),
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

/** Validates the default export of a provider file. Throws a plain Error with the problem. */
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
    capabilities: params === undefined ? model.capabilities : { ...model.capabilities, params },
  }
}

/** Fills missing fields from public data. A local model gets no price. */
function withFacts(model: ModelDraft, isLocal: boolean): ModelDraft {
  const kind = model.tags === undefined ? modelKind(model.id) : isForMedia({ tags: model.tags }) ? 'image' : 'chat'
  const facts = kind === 'chat' ? knownModel(model.id) : undefined
  if (facts === undefined) return model
  const { price, ...rest } = facts
  const said = Object.fromEntries(Object.entries(model).filter(([, value]) => value !== undefined))
  return { ...rest, price: isLocal ? undefined : price, ...said, id: model.id }
}

/** Infers the family from the id, the only information a local server gives. */
function modelFamily(modelId: string): string | undefined {
  const name = modelId.toLowerCase().split('/').at(-1) ?? ''
  return families.find(([pattern]) => pattern.test(name))?.[1]
}

function modelKind(modelId: string): 'chat' | MediaKind | VoiceKind {
  const name = modelId.toLowerCase().split('/').at(-1) ?? ''
  if (/whisper|transcri|^(parakeet|canary)-|(^|[-_])(asr|stt)([-_]|$)/.test(name)) return 'transcription'
  if (/(^|[-_])tts([-_\d]|$)|^(kokoro|orpheus|piper)([-_]|$)/.test(name)) return 'speech'
  if (/(^|-)(dall-e|gpt-image|chatgpt-image|imagen|image)(-|\d|$)/.test(name)) return 'image'
  return /^(veo|sora|wan\d)|-video(-|\d|$)/.test(name) ? 'video' : 'chat'
}

const mediaTags = new Set(['image', 'video', 'transcription', 'speech'])

/** True if the model makes images or videos or works with speech, and cannot chat. */
export function isForMedia({ tags }: Pick<ModelDefinition, 'tags'>): boolean {
  return !tags.includes('chat') && tags.some((tag) => mediaTags.has(tag))
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
