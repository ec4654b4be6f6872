import { answerSchema, idSchema, modes, paramValuesSchema } from '@troupe/core'
import { z } from 'zod'
import { readMetadata, readPart } from './exported-part.ts'
import { noteSystemMessage } from './note-system-message.ts'

/** What an import takes from exported files, which a person or another program may have written. */

/** The last moment that a date can be. */
export const latestTime = 8.64e15

/** Milliseconds that are a date; other programs write dates. What is none could never be read again. */
const timeSchema = z
  .union([z.number(), z.string().transform((text) => Date.parse(text))])
  .transform(Math.round)
  .refine((time) => Math.abs(time) <= latestTime, 'it is no moment')

export const messageSchema = z
  .object({
    id: idSchema,
    parentMessageId: idSchema.nullable().default(null),
    role: z.enum(['user', 'assistant', 'system']),
    parts: z.array(z.looseObject({ type: z.string() })).transform((parts) => parts.map(readPart)),
    metadata: z.looseObject({}).transform(readMetadata).exactOptional(),
    createdAt: timeSchema,
  })
  .transform(noteSystemMessage)

export const askSchema = z.object({
  id: idSchema,
  kind: z.enum(['approval', 'question', 'plan', 'browser']),
  runId: z.string(),
  agentPath: z.array(z.string()).default([]),
  agentId: idSchema.optional(),
  toolCallId: z.string(),
  toolName: z.string(),
  input: z.unknown(),
  title: z.string(),
  summary: z.string().optional(),
  content: z.unknown(),
  reason: z.string().default(''),
  rule: z.string().nullable().default(null),
  remember: z.array(z.string()).optional(),
  commands: z.array(z.object({ text: z.string(), note: z.string().optional() })).optional(),
  client: z.string().optional(),
  timeoutMs: z.number().optional(),
  createdAt: timeSchema,
  closedAt: timeSchema.nullable(),
  answer: answerSchema.nullable().default(null),
})

export const sessionSchema = z.looseObject({
  id: idSchema.optional(),
  title: z.string().max(500).optional(),
  renamed: z.boolean().optional(),
  pinned: z.boolean().optional(),
  archived: z.boolean().optional(),
  folder: z.array(z.string().trim().min(1).max(100)).max(2).nullable().optional().catch(null),
  trashedAt: timeSchema.nullable().optional().catch(null),
  model: z.string().nullable().optional(),
  agent: z.string().nullable().optional(),
  mode: z.enum(modes).optional().catch(undefined),
  rules: z
    .array(z.object({ text: z.string().max(2000), effect: z.enum(['allow', 'ask', 'deny']) }))
    .max(10_000)
    .optional(),
  params: paramValuesSchema.optional().catch(undefined),
  project: z.string().nullable().optional(),
  createdAt: timeSchema.optional(),
  updatedAt: timeSchema.optional(),
})

const agentDetailsSchema = z.object({
  parentRunId: z.string(),
  toolCallId: z.string(),
  background: z.boolean(),
  setup: z.object({
    // As with system messages: instructions of a file are nobody's here.
    prompt: z.string().transform(() => ''),
    tools: z.array(z.string()),
    model: z.string(),
    allowedSubAgents: z.array(z.string()).exactOptional(),
    maxDepth: z.number().exactOptional(),
    unasked: z.array(z.array(z.string())).exactOptional(),
    maxSteps: z.number().exactOptional(),
    params: paramValuesSchema.exactOptional(),
    budget: z
      .object({
        steps: z.number().exactOptional(),
        tokens: z.number().exactOptional(),
        cost: z.number().exactOptional(),
        ms: z.number().exactOptional(),
      })
      .exactOptional(),
  }),
  told: z.array(z.object({ runId: z.string(), message: z.object({ id: z.string(), text: z.string() }) })),
  steps: z.number(),
  tokens: z.number(),
  cost: z.number(),
  earlier: z.object({ steps: z.number(), tokens: z.number(), cost: z.number() }).exactOptional(),
  note: z.string().exactOptional(),
})

export const agentSchema = z.object({
  parentAgentId: idSchema.nullable().default(null),
  name: z.string().default(''),
  task: z.string().default(''),
  agentType: z.string().default(''),
  status: z.string().default('done'),
  title: z.string().default(''),
  runId: z.string().nullable().default(null),
  details: agentDetailsSchema.exactOptional(),
  createdAt: timeSchema.default(0),
  updatedAt: timeSchema.default(0),
})
