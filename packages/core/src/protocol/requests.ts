import { z } from 'zod'
import { idSchema } from './ids.ts'

/** A message as clients send it. Parts are checked by kind when they are taken, see `parseUserMessage`. */
export const wireMessageSchema = z.looseObject({
  id: idSchema,
  role: z.enum(['user', 'assistant', 'system']),
  parts: z.array(z.looseObject({ type: z.string() })).max(10_000),
  metadata: z.unknown().optional(),
})

/** `POST /ai/chat`. `chatModelId` and `chatModelSource` are old spellings of `model`. */
export const chatRequestSchema = z.looseObject({
  id: idSchema.optional(),
  sessionId: idSchema.optional(),
  message: wireMessageSchema.optional(),
  messages: z.array(z.unknown()).max(100_000).optional(),
  parentMessageId: idSchema.nullable().optional(),
  messageId: idSchema.optional(),
  trigger: z.enum(['submit-message', 'regenerate-message']).optional(),
  agent: z.string().max(200).optional(),
  model: z.string().max(300).optional(),
  chatModelId: z.string().max(300).optional(),
  chatModelSource: z.string().max(100).optional(),
  mode: z.string().max(50).optional(),
  responseMode: z.enum(['stream', 'json']).optional(),
  clientId: z.string().max(200).optional(),
  tabId: z.string().max(200).optional(),
  pageId: z.string().max(200).optional(),
  maxSteps: z.int().min(1).max(1000).optional(),
  /** The folder to work in, for programs; the page works in the server's own. */
  workspace: z.string().max(4096).optional(),
  /** Nobody is there to ask: what would ask is denied with the reason. */
  headless: z.boolean().optional(),
})
export type ChatRequest = z.infer<typeof chatRequestSchema>

export const answerSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('approve'),
    remember: z.enum(['session', 'project', 'always']).optional(),
    input: z.unknown().optional(),
    data: z.unknown().optional(),
  }),
  z.strictObject({ type: z.literal('deny'), remark: z.string().max(20_000).optional() }),
  z.strictObject({ type: z.literal('answers'), answers: z.record(z.string(), z.unknown()) }),
  z.strictObject({
    type: z.literal('plan'),
    choice: z.enum(['edit', 'clean', 'continue']),
    remark: z.string().max(20_000).optional(),
  }),
])

export const answerRequestSchema = z.strictObject({ answer: answerSchema })
export const steerRequestSchema = z.strictObject({ id: idSchema, text: z.string().min(1).max(1_000_000) })
export const authRequestSchema = z.strictObject({ key: z.string().max(200) })

export const newSessionSchema = z.strictObject({
  id: idSchema.optional(),
  title: z.string().max(500).optional(),
  model: z.string().max(300).nullable().optional(),
  agent: z.string().max(200).nullable().optional(),
})
export const sessionPatchSchema = z.strictObject({
  title: z.string().min(1).max(500).optional(),
  pinned: z.boolean().optional(),
  archived: z.boolean().optional(),
  model: z.string().max(300).nullable().optional(),
  agent: z.string().max(200).nullable().optional(),
})

/** `PATCH /ai/providers/:id`: keys go in and never come out. */
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
