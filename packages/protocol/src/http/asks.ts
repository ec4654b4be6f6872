import { z } from 'zod'
import { endpoints } from './endpoint.ts'
import { rememberScopeSchema } from './rules.ts'

const approvalSchema = z.strictObject({
  type: z.literal('approve'),
  remember: rememberScopeSchema.optional(),
  input: z.unknown().optional(),
  hunks: z
    .array(z.string().max(40))
    .max(10_000)
    .optional()
    .describe(
      'Ids of the hunks to accept, from the diffs in the content of the ask. The rest of the change is rejected. If the file no longer is as shown, nothing is changed. Empty denies the call. Not with "input" or "remember".',
    ),
  remark: z.string().max(20_000).optional().describe('note for the model about the rejected hunks'),
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

/** An open or closed request to a person: an approval, a question, a plan, or a browser action. */
export const askSchema = z.object({
  id: z.string(),
  kind: z.enum(['approval', 'question', 'plan', 'browser']),
  sessionId: z.string(),
  runId: z.string(),
  agentPath: z.array(z.string()),
  agentId: z.string().optional(),
  toolCallId: z.string(),
  toolName: z.string(),
  input: z.unknown(),
  title: z.string(),
  summary: z.string().optional(),
  content: z.unknown(),
  reason: z.string(),
  rule: z.string().nullable(),
  remember: z.array(z.string()).readonly().optional(),
  commands: z
    .array(z.object({ text: z.string(), note: z.string().optional() }))
    .readonly()
    .optional(),
  client: z.string().optional(),
  tab: z.string().optional(),
  timeoutMs: z.number().optional(),
  createdAt: z.number(),
  closedAt: z.number().nullable(),
  answer: answerSchema.nullable(),
})

const listedAskSchema = askSchema.extend({
  sessionTitle: z.string(),
  folder: z
    .object({ id: z.string(), name: z.string(), path: z.string() })
    .nullable()
    .describe('the folder of the session; null if the request is about that folder'),
})
export type ListedAsk = z.infer<typeof listedAskSchema>

export const askEndpoints = endpoints({
  'GET /ai/asks': {
    access: { on: 'workspace', right: 'read' },
    summary: 'Lists the open asks of every run of the workspace, of one session, or with ?folders=all of all folders.',
    query: z.object({ sessionId: z.string().max(64).optional(), folders: z.literal('all').optional() }),
    scoped: true,
    answers: {
      200: z.object({ asks: z.array(listedAskSchema) }),
      404: 'SessionNotFound',
    },
  },
  'POST /ai/asks/:id': {
    access: { on: 'session', right: 'approve', by: 'ask' },
    summary: 'Answers an ask. A remembered rule also answers the open asks that it covers.',
    body: answerRequestSchema,
    scoped: true,
    answers: {
      200: z.object({ ask: askSchema, settled: z.array(z.string()) }),
      403: 'ForeignClient',
      404: 'AskNotFound',
      409: 'AskClosed',
      422: 'WrongAnswer, WrongInput, NothingToRemember',
    },
  },
})
