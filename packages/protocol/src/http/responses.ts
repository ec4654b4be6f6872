import { z } from 'zod'
import { paramValuesSchema } from '../params.ts'

/** Response schemas. They generate the API reference and type the handlers and the page. */
const modelSchema = z.object({
  ref: z.string().describe('provider/model: what a request names'),
  id: z.string(),
  name: z.string(),
  provider: z.string(),
  providerName: z.string(),
  usable: z.boolean(),
  tags: z.array(z.string()),
  familyId: z.string(),
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
    .object({
      common: z.unknown().optional(),
      params: z.unknown().optional(),
      input: z.unknown().optional(),
      output: z.unknown().optional(),
    })
    .optional(),
  guessed: z.literal(true).optional().describe('nobody says what it can do: tags are a guess by its name'),
})
export type ModelInfo = z.infer<typeof modelSchema>

/** `GET /ai/models`. */
export const modelListSchema = z.object({
  models: z.array(modelSchema),
  defaultModel: z.string().nullable().describe('what is used when nothing is named'),
})
export type ModelList = z.infer<typeof modelListSchema>

/** Never includes the key. */
export const providerSchema = z.object({
  id: z.string(),
  name: z.string(),
  adapter: z.string(),
  familyId: z.string(),
  usable: z.boolean(),
  enabled: z.boolean().describe('it is not switched off'),
  needsKey: z.boolean(),
  keySource: z.string().nullable().describe('settings, or env: and the name of the variable'),
  env: z.array(z.string()).describe('environment variables that may hold the key'),
  baseURL: z.string().nullable(),
  local: z.boolean().describe('a server on this machine'),
  inSettings: z.boolean(),
  probe: z.object({ found: z.boolean(), models: z.number(), error: z.string().optional() }).nullable(),
  problem: z.string().nullable().describe('what keeps it from being used, and what to do about it'),
  models: z.number(),
  onlyModels: z.array(z.string()).nullable().describe('the ids that the settings limit it to; null: all that it has'),
})
export type ProviderInfo = z.infer<typeof providerSchema>

/** `GET /ai/providers`. */
export const providerListSchema = z.object({ providers: z.array(providerSchema) })
/** `PATCH /ai/providers/:provider`. `dropped` names the settings that were not kept for another server. */
export const patchedProviderSchema = z.object({ provider: providerSchema, dropped: z.array(z.string()) })

const agentSchema = z.object({
  name: z.string(),
  description: z.string(),
  source: z.enum(['built-in', 'database', 'home', 'project']),
  enabled: z.boolean(),
  note: z.string().optional().describe('why it cannot be used, or what should be looked at'),
  systemPrompt: z.string(),
  languages: z.array(z.string()).describe('languages that it has a prompt of its own for'),
  tools: z.array(z.string()).readonly().describe('names of tools and of groups'),
  allowedSubAgents: z.array(z.string()).readonly().optional().describe('absent: the default set; empty: nobody'),
  model: z.string().optional(),
  maxDepth: z.number().optional(),
  maxSteps: z.number().optional(),
  budget: z
    .object({
      steps: z.number().optional(),
      tokens: z.number().optional(),
      cost: z.number().optional(),
      ms: z.number().optional(),
    })
    .optional(),
  params: paramValuesSchema.optional(),
  pageIds: z.array(z.string()).readonly().optional(),
  hidden: z.literal(true).optional().describe('offered nowhere; whoever names it has it all the same'),
  turnedOff: z.literal(true).optional().describe('the person turned it off'),
  path: z.string().optional().describe('the file that it comes from'),
})
export type AgentInfo = z.infer<typeof agentSchema>

/** `GET /ai/agents`. `problems`: files that could not be read. */
export const agentListSchema = z.object({
  agents: z.array(agentSchema),
  problems: z.array(z.object({ path: z.string(), message: z.string() })),
})
export type AgentList = z.infer<typeof agentListSchema>
