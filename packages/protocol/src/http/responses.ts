import { z } from 'zod'
import type { Metadata, Part } from '../message.ts'
import { paramValuesSchema } from '../params.ts'
import { answerSchema } from './requests.ts'

/** What routes answer: the reference is generated from these, handlers and the page are typed by them. */
const modeSchema = z.enum(['default', 'accept-edits', 'plan', 'bypass'])
const effectSchema = z.enum(['allow', 'ask', 'deny'])

const modelSchema = z.object({
  ref: z.string().describe('provider/model: what a request names'),
  id: z.string(),
  name: z.string(),
  provider: z.string(),
  providerName: z.string(),
  usable: z.boolean(),
  tags: z.array(z.string()),
  familyId: z.string(),
  contextWindow: z.number().exactOptional(),
  maxOutputTokens: z.number().exactOptional(),
  price: z
    .object({
      input: z.number(),
      output: z.number(),
      cachedInput: z.number().exactOptional(),
      cacheWrite: z.number().exactOptional(),
    })
    .exactOptional()
    .describe('US dollars per million tokens'),
  capabilities: z
    .object({
      common: z.unknown().exactOptional(),
      params: z.unknown().exactOptional(),
      input: z.unknown().exactOptional(),
      output: z.unknown().exactOptional(),
    })
    .exactOptional(),
  guessed: z.literal(true).exactOptional().describe('nobody says what it can do: tags are a guess by its name'),
})
export type ModelInfo = z.infer<typeof modelSchema>

/** `GET /ai/models`. */
export const modelListSchema = z.object({
  models: z.array(modelSchema),
  defaultModel: z.string().nullable().describe('what is used when nothing is named'),
})
export type ModelList = z.infer<typeof modelListSchema>

/** Its key never comes out. */
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
  probe: z.object({ found: z.boolean(), models: z.number(), error: z.string().exactOptional() }).nullable(),
  problem: z.string().nullable().describe('what keeps it from being used, and what to do about it'),
  models: z.number(),
  onlyModels: z.array(z.string()).nullable().describe('the ids that the settings limit it to; null: all that it has'),
})
export type ProviderInfo = z.infer<typeof providerSchema>

/** `GET /ai/providers`. */
export const providerListSchema = z.object({ providers: z.array(providerSchema) })
/** `PATCH /ai/providers/:provider`; `dropped` names what did not go along to another server. */
export const patchedProviderSchema = z.object({ provider: providerSchema, dropped: z.array(z.string()) })

const ruleSchema = z.object({
  id: z.string(),
  text: z.string(),
  effect: effectSchema,
  layer: z.enum(['managed', 'user', 'project', 'session', 'flag']),
  file: z.string().nullable().describe('null: it is kept with its session'),
  editable: z.boolean().describe('false where the file is changed by hand alone'),
  problem: z.string().exactOptional().describe('why it cannot be read'),
})
export type RuleInfo = z.infer<typeof ruleSchema>

/** `GET /ai/rules`. */
export const ruleListSchema = z.object({
  rules: z.array(ruleSchema),
  warnings: z.array(z.string()).describe('what is wrong with rules or their files, in sentences'),
  mode: modeSchema.describe('what new sessions begin in'),
  bypass: z.boolean().describe('whether sessions may be in the mode in which nothing asks'),
  sandbox: z.object({
    available: z.boolean(),
    text: z.string(),
    fix: z.string().exactOptional().describe('what to do so that there is one'),
  }),
})
export type RuleList = z.infer<typeof ruleListSchema>

const sessionSchema = z.object({
  id: z.string(),
  workspaceId: z.string(),
  projectId: z.string().nullable(),
  title: z.string(),
  renamed: z.boolean(),
  pinned: z.boolean(),
  archived: z.boolean(),
  folderId: z.string().nullable(),
  trashedAt: z.number().nullable(),
  model: z.string().nullable(),
  agent: z.string().nullable(),
  mode: modeSchema,
  rules: z.array(z.object({ text: z.string(), effect: effectSchema })),
  params: paramValuesSchema.exactOptional(),
  messageCount: z.number(),
  createdAt: z.number(),
  updatedAt: z.number(),
  run: z
    .object({ id: z.string(), status: z.string(), messageId: z.string(), userMessageId: z.string() })
    .nullable()
    .describe('what goes on in it'),
})
export type ListedSession = z.infer<typeof sessionSchema>

/** `GET /ai/sessions/:id`. */
export const oneSessionSchema = z.object({ session: sessionSchema })

/** `GET /ai/sessions`. */
export const sessionPageSchema = z.object({
  sessions: z.array(sessionSchema),
  nextCursor: z.string().nullable(),
  hits: z.array(
    z.object({
      sessionId: z.string(),
      messageId: z.string(),
      title: z.string(),
      role: z.enum(['user', 'assistant', 'system']),
      snippet: z.string().describe('matches stand between U+E000 and U+E001'),
      createdAt: z.number(),
    }),
  ),
})
export type SessionPage = z.infer<typeof sessionPageSchema>

const askSchema = z.object({
  id: z.string(),
  kind: z.enum(['approval', 'question', 'plan', 'browser']),
  sessionId: z.string(),
  runId: z.string(),
  agentPath: z.array(z.string()),
  agentId: z.string().exactOptional(),
  toolCallId: z.string(),
  toolName: z.string(),
  input: z.unknown(),
  title: z.string(),
  summary: z.string().exactOptional(),
  content: z.unknown(),
  reason: z.string(),
  rule: z.string().nullable(),
  remember: z.array(z.string()).readonly().exactOptional(),
  commands: z
    .array(z.object({ text: z.string(), note: z.string().exactOptional() }))
    .readonly()
    .optional(),
  client: z.string().exactOptional(),
  tab: z.string().exactOptional(),
  timeoutMs: z.number().exactOptional(),
  createdAt: z.number(),
  closedAt: z.number().nullable(),
  answer: answerSchema.nullable(),
})

/** `GET /ai/asks`. */
export const askListSchema = z.object({ asks: z.array(askSchema) })

/** `GET /ai/sessions/:id/messages`. Parts and metadata are those of the AI SDK's UI messages and ours, see stream parts. */
export const branchPageSchema = z.object({
  leafMessageId: z.string().nullable().describe('null for an empty conversation'),
  messages: z.array(
    z.object({
      id: z.string(),
      parentMessageId: z.string().nullable(),
      role: z.enum(['user', 'assistant', 'system']),
      parts: z.array(z.custom<Part>()),
      metadata: z.custom<Metadata>().exactOptional(),
      createdAt: z.number(),
    }),
  ),
  siblings: z.record(
    z.string(),
    z.object({ index: z.number(), total: z.number(), prev: z.string().nullable(), next: z.string().nullable() }),
  ),
  page: z.object({ hasMore: z.boolean(), before: z.string().nullable() }),
})

const agentSchema = z.object({
  name: z.string(),
  description: z.string(),
  source: z.enum(['built-in', 'database', 'home', 'project']),
  enabled: z.boolean(),
  note: z.string().exactOptional().describe('why it cannot be used, or what should be looked at'),
  systemPrompt: z.string(),
  languages: z.array(z.string()).describe('languages that it has a prompt of its own for'),
  tools: z.array(z.string()).readonly().describe('names of tools and of groups'),
  allowedSubAgents: z.array(z.string()).readonly().exactOptional().describe('absent: the default set; empty: nobody'),
  model: z.string().exactOptional(),
  maxDepth: z.number().exactOptional(),
  maxSteps: z.number().exactOptional(),
  budget: z
    .object({
      steps: z.number().exactOptional(),
      tokens: z.number().exactOptional(),
      cost: z.number().exactOptional(),
      ms: z.number().exactOptional(),
    })
    .exactOptional(),
  params: paramValuesSchema.exactOptional(),
  pageIds: z.array(z.string()).readonly().exactOptional(),
  hidden: z.literal(true).exactOptional().describe('offered nowhere; whoever names it has it all the same'),
  turnedOff: z.literal(true).exactOptional().describe('the person turned it off'),
  path: z.string().exactOptional().describe('the file that it comes from'),
})
export type AgentInfo = z.infer<typeof agentSchema>

/** `GET /ai/agents`; `problems`: files that could not be read. */
export const agentListSchema = z.object({
  agents: z.array(agentSchema),
  problems: z.array(z.object({ path: z.string(), message: z.string() })),
})
export type AgentList = z.infer<typeof agentListSchema>
