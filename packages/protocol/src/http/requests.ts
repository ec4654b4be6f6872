import { z } from 'zod'
import { idSchema } from '../ids.ts'
import { paramValuesSchema } from '../params.ts'
import { modeNameSchema, rememberScopeSchema, ruleTextsSchema } from './rules.ts'

/** A message as sent by clients. `parseUserMessage` checks the parts by kind. */
export const wireMessageSchema = z.looseObject({
  id: idSchema,
  role: z.enum(['user', 'assistant', 'system']),
  parts: z.array(z.looseObject({ type: z.string() })).max(10_000),
  metadata: z.unknown().optional(),
})

const typedUrlsSchema = z.array(z.string().max(4000)).max(100)

/**
 * `POST /ai/chat`. `chatModelId` and `chatModelSource` are old names for `model`. The AI SDK's `body` may carry fields
 * for others, so unknown ones are ignored. Requests for nonexistent features are refused.
 */
export const chatRequestSchema = z.looseObject({
  id: idSchema.optional(),
  sessionId: idSchema.optional(),
  message: wireMessageSchema.optional(),
  messages: z.array(z.unknown()).max(100_000).optional(),
  parentMessageId: idSchema.nullable().optional(),
  messageId: idSchema.optional(),
  trigger: z.enum(['submit-message', 'regenerate-message', 'continue-message']).optional(),
  agent: z.string().max(200).optional(),
  model: z.string().max(300).optional(),
  chatModelId: z.string().max(300).optional(),
  chatModelSource: z.string().max(100).optional(),
  mode: modeNameSchema.optional(),
  /** Model settings by name, stored with the session. If absent, the session's values apply. */
  params: paramValuesSchema.optional(),
  responseMode: z.enum(['stream', 'json']).optional(),
  /** `image`: generates an image with the image model named in `model`, without asking for approval. */
  intent: z.enum(['chat', 'image']).optional(),
  /** With `intent: "image"`: the workspace folder to save the image in. */
  imageSaveDir: z.string().min(1).max(4096).optional(),
  boardId: z.undefined({ error: 'There are no boards here.' }).optional(),
  projectId: idSchema.nullable().optional(),
  clientId: z.string().max(200).optional(),
  tabId: z.string().max(200).optional(),
  pageId: z.string().max(200).optional(),
  maxSteps: z.int().min(1).max(1000).optional(),
  /** Folder to work in, for programs. The page always uses the server's workspace. */
  workspace: z.string().max(4096).optional(),
  /** URLs in the message that the user typed, not pasted or quoted. `WebFetch` opens these without approval. */
  typedUrls: typedUrlsSchema.optional(),
  /** No user is available for approvals: they are denied with the reason. */
  headless: z.boolean().optional(),
  /** Apply to this run only, in addition to the rules of files and session. */
  rules: z.strictObject({ allow: ruleTextsSchema, ask: ruleTextsSchema, deny: ruleTextsSchema }).optional(),
})
export type ChatRequest = z.infer<typeof chatRequestSchema>

const approvalSchema = z.strictObject({
  type: z.literal('approve'),
  remember: rememberScopeSchema.optional(),
  input: z.unknown().optional(),
  data: z.unknown().optional(),
})
const otherAnswerSchemas = [
  z.strictObject({ type: z.literal('deny'), remark: z.string().max(20_000).optional() }),
  z.strictObject({ type: z.literal('answers'), answers: z.record(z.string(), z.unknown()) }),
  z.strictObject({
    type: z.literal('plan'),
    choice: z.enum(['edit', 'clean', 'continue']),
    remark: z.string().max(20_000).optional(),
  }),
] as const

/** A stored answer. `rule`: a rule remembered while the ask was open approved it, not a person. */
export const answerSchema = z.discriminatedUnion('type', [
  approvalSchema.extend({ rule: z.string().max(2000).optional() }),
  ...otherAnswerSchemas,
])

/** `clientId`: the page that answers. Only the page that owns a browser ask can answer it. */
export const answerRequestSchema = z.strictObject({
  answer: z.discriminatedUnion('type', [approvalSchema, ...otherAnswerSchemas]),
  clientId: z.string().max(200).optional(),
})

export const steerRequestSchema = z.strictObject({
  id: idSchema,
  text: z.string().min(1).max(1_000_000),
  typedUrls: typedUrlsSchema.optional(),
})
