import { modes } from '@troupe/core'
import {
  answerSchema,
  dataParts,
  feedbackSchema,
  idSchema,
  type Metadata,
  paramValuesSchema,
  type Part,
  type StoredMessage,
} from '@troupe/protocol'
import { z } from 'zod'

const text = z.looseObject({ text: z.string() })

const call = z.union([
  z.looseObject({ toolCallId: z.string(), state: z.literal('output-error'), errorText: z.string() }),
  z.looseObject({
    toolCallId: z.string(),
    state: z.enum([
      'input-streaming',
      'input-available',
      'approval-requested',
      'approval-responded',
      'output-available',
      'output-denied',
    ]),
  }),
])

/** Minimum shape of each part that rendering and sending rely on. */
const schemas = new Map<string, z.ZodType>([
  ['text', text],
  ['reasoning', text],
  ['source-url', z.looseObject({ url: z.string(), title: z.string().optional() })],
  ['source-document', z.looseObject({ title: z.string() })],
  ['file', z.looseObject({ url: z.string(), mediaType: z.string(), filename: z.string().optional() })],
  ['steering-message', z.looseObject({ parts: z.array(z.looseObject({ type: z.string() })) })],
  ['dynamic-tool', z.intersection(call, z.looseObject({ toolName: z.string() }))],
  ...Object.entries(dataParts).map(([name, { schema }]): [string, z.ZodType] => [
    `data-${name}`,
    z.looseObject({ data: schema }),
  ]),
])

/**
 * Reads a part of an exported message. An invalid part is replaced by a note. A file must be one of our blobs: an
 * import fetches nothing from elsewhere.
 */
function readPart(given: { type: string }): Part {
  const schema = given.type.startsWith('tool-') ? call : schemas.get(given.type)
  if (schema?.safeParse(given).success === false) return note(`A part of type "${given.type.slice(0, 100)}"`)
  const part = given as unknown as Part
  if (part.type === 'file' && !/^\/ai\/blobs\/[0-9a-f]{64}$/.test(part.url)) return note(part.filename ?? 'A file')
  if (given.type !== 'steering-message') return part
  const { parts } = given as unknown as { parts: { type: string }[] }
  return { ...given, parts: parts.map(readPart) } as unknown as Part
}

function note(what: string): Part {
  return { type: 'text', text: `[${what} is not in the export.]` }
}

const fields = {
  agent: z.looseObject({ name: z.string(), depth: z.number(), path: z.array(z.string()) }),
  model: z.string(),
  source: z.string(),
  usage: z.looseObject({ inputTokens: z.number(), outputTokens: z.number(), totalTokens: z.number() }),
  contextTokens: z.number(),
  cost: z.number(),
  subAgents: z.looseObject({ tokens: z.number(), cost: z.number().optional() }),
  elapsedMs: z.number(),
  reasoningMs: z.record(z.string(), z.number()),
  stopMs: z.number(),
  finishReason: z.string(),
  stopped: z.looseObject({ reason: z.string(), message: z.string() }),
  error: z.looseObject({ name: z.string(), message: z.string() }),
  continues: z.string(),
  comparison: z.looseObject({
    answers: z.array(z.object({ messageId: idSchema, model: z.string() })).max(4),
    picked: idSchema.optional(),
  }),
  feedback: feedbackSchema,
}

/** Drops fields of the wrong type. */
function readMetadata(given: Record<string, unknown>): Metadata {
  const good = Object.entries(given).filter(
    ([name, value]) => !Object.hasOwn(fields, name) || fields[name as keyof typeof fields].safeParse(value).success,
  )
  return Object.fromEntries(good)
}

type MessageContent = Pick<StoredMessage, 'role' | 'parts'>

/**
 * Anyone can write an import file, so its system messages are untrusted. They become a note in the chat and are not
 * sent to models.
 */
export function noteSystemMessage<T extends MessageContent>(message: T): T {
  if (message.role !== 'system') return message
  const said = message.parts.flatMap((part) => (part.type === 'text' && part.text.trim() !== '' ? [part.text] : []))
  const text =
    said.length === 0
      ? 'The imported conversation had empty instructions here.'
      : `The imported conversation had instructions here, which are not followed:\n\n${said.join('\n\n')}`
  const note: Part = { type: 'data-hint', data: { text } }
  return { ...message, role: 'assistant', parts: [note] }
}

/** Schemas for exported files, which a user or another program may have written. */

/** The maximum value of a Date. */
export const latestTime = 8.64e15

/** Milliseconds, or a date string as other programs write it. Rejects invalid dates, which could never be read back. */
const timeSchema = z
  .union([z.number(), z.string().transform((text) => Date.parse(text))])
  .transform(Math.round)
  .refine((time) => Math.abs(time) <= latestTime, 'it is not a valid time')

export const messageSchema = z
  .object({
    id: idSchema,
    parentMessageId: idSchema.nullable().default(null),
    role: z.enum(['user', 'assistant', 'system']),
    parts: z.array(z.looseObject({ type: z.string() })).transform((parts) => parts.map(readPart)),
    metadata: z.looseObject({}).transform(readMetadata).optional(),
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

/**
 * The settings of an imported session. Allow rules and modes that ask less are dropped, since anyone can write such a
 * file. Deny rules are kept.
 */
export function importedSettings(given: z.infer<typeof sessionSchema>, createdAt: number) {
  return {
    renamed: given.renamed ?? false,
    pinned: given.pinned ?? false,
    archived: given.archived ?? false,
    model: given.model ?? null,
    agent: given.agent ?? null,
    mode: given.mode === 'plan' ? ('plan' as const) : ('default' as const),
    rules: given.rules?.filter((rule) => rule.effect !== 'allow') ?? [],
    params: given.params,
    createdAt,
    updatedAt: given.updatedAt ?? createdAt,
  }
}

const agentDetailsSchema = z.object({
  parentRunId: z.string(),
  toolCallId: z.string(),
  background: z.boolean(),
  setup: z.object({
    // Untrusted like system messages, so dropped.
    prompt: z.string().transform(() => ''),
    tools: z.array(z.string()),
    model: z.string(),
    allowedSubAgents: z.array(z.string()).optional(),
    maxDepth: z.number().optional(),
    unasked: z.array(z.array(z.string())).optional(),
    maxSteps: z.number().optional(),
    params: paramValuesSchema.optional(),
    budget: z
      .object({
        steps: z.number().optional(),
        tokens: z.number().optional(),
        cost: z.number().optional(),
        ms: z.number().optional(),
      })
      .optional(),
  }),
  told: z.array(z.object({ runId: z.string(), message: z.object({ id: z.string(), text: z.string() }) })),
  steps: z.number(),
  tokens: z.number(),
  cost: z.number(),
  earlier: z.object({ steps: z.number(), tokens: z.number(), cost: z.number() }).optional(),
  note: z.string().optional(),
})

export const agentSchema = z.object({
  parentAgentId: idSchema.nullable().default(null),
  name: z.string().default(''),
  task: z.string().default(''),
  agentType: z.string().default(''),
  status: z.string().default('done'),
  title: z.string().default(''),
  runId: z.string().nullable().default(null),
  details: agentDetailsSchema.optional(),
  createdAt: timeSchema.default(0),
  updatedAt: timeSchema.default(0),
})
