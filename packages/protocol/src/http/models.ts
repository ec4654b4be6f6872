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
export const modelDraftSchema = modelDefinitionSchema.partial().required({ id: true })
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
})
export type ModelList = z.infer<typeof modelListSchema>

export const modelEndpoints = endpoints({
  'GET /ai/models': {
    summary: 'Lists the usable models, or with ?all=1 every known model.',
    query: z.object({ all: z.string().optional() }),
    answers: { 200: modelListSchema },
  },
})
