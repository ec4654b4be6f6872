import { z } from 'zod'
import { endpoints } from './endpoint.ts'

/**
 * Facts about a model. Only `tags` filter and label. `capabilities` pass through unchanged; if they contain no
 * `params`, the provider's are used. Unknown limits and prices are absent.
 */
const modelDefinitionSchema = z.object({
  id: z.string(),
  name: z.string(),
  provider: z.string(),
  familyId: z.string().describe('name of its icon in @lobehub/icons'),
  tags: z.array(z.string()),
  contextWindow: z.number().optional(),
  maxOutputTokens: z.number().optional(),
  price: z
    .object({
      input: z.number(),
      output: z.number(),
      cachedInput: z.number().optional(),
      cacheWrite: z.number().optional(),
    })
    .optional()
    .describe('US dollars per million tokens'),
  mediaPrice: z
    .object({
      perImage: z.number().optional(),
      perSecond: z.number().optional().describe('of sound or video'),
      perMillionCharacters: z.number().optional().describe('of spoken text'),
    })
    .optional()
    .describe('US dollars, for models that make or read images, videos and speech'),
  capabilities: z
    .looseObject({
      common: z.unknown().optional(),
      params: z.unknown().optional().describe('settings that a user can change'),
      input: z.unknown().optional(),
      output: z.unknown().optional(),
    })
    .optional(),
  guessed: z.literal(true).optional().describe('capabilities are unknown, and the tags are guessed from the name'),
})
export type ModelDefinition = z.infer<typeof modelDefinitionSchema>

/** A model as given by a provider file, its HTTP API or the settings. */
const modelDraftSchema = modelDefinitionSchema.partial().required({ id: true })
export type ModelDraft = z.infer<typeof modelDraftSchema>

export const modelSchema = modelDefinitionSchema.extend({
  ref: z.string().describe('provider/model, as used in requests'),
  providerName: z.string(),
  usable: z.boolean(),
})
export type ModelInfo = z.infer<typeof modelSchema>

const modelListSchema = z.object({
  models: z.array(modelSchema),
  defaultModel: z.string().nullable().describe('the model of requests that name none'),
  openProviders: z
    .array(z.object({ id: z.string(), name: z.string() }))
    .describe('usable providers that accept any model id, listed or not'),
})
export type ModelList = z.infer<typeof modelListSchema>

export const modelEndpoints = endpoints({
  'GET /ai/models': {
    access: { on: 'workspace', right: 'read' },
    summary: 'Lists the usable models, or with ?all=1 every known model.',
    query: z.object({
      all: z.string().optional(),
      also: z
        .string()
        .max(8000)
        .optional()
        .describe('more models to list with what is known about them, as refs separated by spaces'),
    }),
    scoped: true,
    answers: { 200: modelListSchema },
  },
})

/** Public information about a provider. Never includes its key. */
const providerSchema = z.object({
  id: z.string(),
  name: z.string(),
  adapter: z.string(),
  familyId: z.string(),
  usable: z.boolean(),
  enabled: z.boolean().describe('false if the settings turn it off'),
  needsKey: z.boolean(),
  popular: z.boolean().describe('listed first when a model is connected'),
  keySource: z.string().nullable().describe('settings, or env: and the name of the variable'),
  keyURL: z.string().nullable().describe('the page where users create a key'),
  keyPattern: z.string().nullable().describe('a regular expression that its keys match'),
  env: z.array(z.string()).describe('environment variables that may hold the key'),
  baseURL: z.string().nullable(),
  local: z.boolean().describe('a server on this machine'),
  inSettings: z.boolean(),
  probe: z.object({ found: z.boolean(), models: z.number(), error: z.string().optional() }).nullable(),
  problem: z.string().nullable().describe('the reason it cannot be used, and how to fix it'),
  models: z.number(),
  onlyModels: z.array(z.string()).nullable().describe('model ids that the settings allow; null: all'),
})
export type ProviderInfo = z.infer<typeof providerSchema>

const providerTestSchema = z.discriminatedUnion('ok', [
  z.object({
    ok: z.literal(true),
    id: z.string(),
    elapsedMs: z.number(),
    how: z.enum(['list', 'answer']).describe('it listed its models, or answered a small request'),
    models: z.array(modelDraftSchema).optional(),
  }),
  z.object({
    ok: z.literal(false),
    id: z.string(),
    elapsedMs: z.number(),
    error: z.object({
      name: z.string(),
      message: z.string(),
      data: z.record(z.string(), z.unknown()).optional(),
    }),
  }),
])
export type ProviderTest = z.infer<typeof providerTestSchema>

/** Keys are write-only. */
export const providerPatchSchema = z.strictObject({
  type: z.string().max(100).optional(),
  baseURL: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .nullable()
    .optional(),
  apiKey: z.string().max(5000).nullable().optional(),
  models: z.array(z.string().max(300)).max(1000).nullable().optional(),
  enabled: z.boolean().optional(),
})

export const providerEndpoints = endpoints({
  'GET /ai/providers': {
    access: { on: 'organization', right: 'manage' },
    summary: 'Lists the providers, whether they can be used, and what is missing.',
    answers: { 200: z.object({ providers: z.array(providerSchema) }) },
  },
  'POST /ai/providers': {
    access: { on: 'organization', right: 'manage' },
    summary: 'Adds a provider, or imports a list of providers from a file or URL of templates.',
    body: z.union([
      z.strictObject({ templates: z.string().max(4000) }),
      providerPatchSchema.extend({ id: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/i) }),
    ]),
    answers: {
      201: z.union([
        z.object({ provider: providerSchema }),
        z.object({
          imported: z.array(z.string()).describe('ids of the imported providers'),
          problems: z.array(z.object({ id: z.string(), message: z.string() })).describe('templates that were skipped'),
        }),
      ]),
      400: 'BadRequest',
      409: 'ProviderExists',
    },
  },
  'PATCH /ai/providers/:provider': {
    access: { on: 'organization', right: 'manage' },
    summary:
      'Sets the key, the address or the models of a provider, or turns it on or off. Null removes a field. The key and the headers are dropped if the address changes to another server.',
    body: providerPatchSchema,
    answers: {
      200: z.object({
        provider: providerSchema,
        dropped: z.array(z.string()).describe('settings dropped because the address is another server'),
      }),
      404: 'ProviderNotFound',
    },
  },
  'POST /ai/providers/:provider/test': {
    access: { on: 'organization', right: 'manage' },
    summary: 'Makes one small request to check the key and the address.',
    answers: { 200: z.object({ test: providerTestSchema }), 404: 'ProviderNotFound' },
  },
  'POST /ai/providers/:provider/try-key': {
    access: { on: 'organization', right: 'manage' },
    summary: 'Makes one small request with the given key. Stores nothing, so a refused key replaces no working one.',
    body: z.strictObject({
      apiKey: z.string().min(1).max(5000),
      baseURL: z
        .url({ protocol: /^https?$/ })
        .max(2000)
        .optional()
        .describe('default: the current address of the provider'),
    }),
    answers: {
      200: z.object({ test: providerTestSchema }),
      400: 'BadRequest, ProviderNotConfigured',
      404: 'ProviderNotFound',
    },
  },
  'DELETE /ai/providers/:provider': {
    access: { on: 'organization', right: 'manage' },
    summary: 'Removes a provider from the settings.',
    answers: { 200: z.object({ deleted: z.string() }), 404: 'ProviderNotFound' },
  },
})
