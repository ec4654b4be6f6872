import { z } from 'zod'
import { feedbackReasons, type Metadata, type Part } from '../message.ts'
import { endpoints } from './endpoint.ts'

export const messageRoleSchema = z.enum(['user', 'assistant', 'system'])

/** A stored message. Parts and metadata are those of the AI SDK's UI messages plus ours; see stream parts. */
export const storedMessageSchema = z.object({
  id: z.string(),
  parentMessageId: z.string().nullable().describe('null for the first message of a branch'),
  role: messageRoleSchema,
  parts: z.array(z.custom<Part>()),
  metadata: z.custom<Metadata>().optional(),
  createdAt: z.number(),
})

export const pageLimitSchema = z
  .string()
  .regex(/^\d{1,3}$/, 'a whole number below 1,000')
  .optional()

export const branchQuerySchema = z.object({
  leaf: z.string().max(64).optional(),
  before: z.string().max(64).optional(),
  limit: pageLimitSchema,
})

/** A page of messages from the end of one branch. */
export const branchPageSchema = z.object({
  leafMessageId: z.string().nullable().describe('null for an empty conversation'),
  messages: z.array(storedMessageSchema),
  siblings: z
    .record(
      z.string(),
      z.object({ index: z.number(), total: z.number(), prev: z.string().nullable(), next: z.string().nullable() }),
    )
    .describe('by message id: its position among its siblings, starting at 1'),
  page: z.object({
    hasMore: z.boolean(),
    before: z.string().nullable().describe('what the next request passes as ?before'),
  }),
})

const treeMessageSchema = z.object({
  id: z.string(),
  parentMessageId: z.string().nullable(),
  role: messageRoleSchema,
  text: z.string().describe('its first words, or the names of its first tool calls'),
  createdAt: z.number(),
  model: z.string().optional(),
  tokens: z.number().optional().describe('includes its sub-agents, as does the cost'),
  cost: z.number().optional().describe('US dollars'),
  ending: z.enum(['failed', 'stopped']).optional(),
})

const textMatchSchema = z.object({
  messageId: z.string(),
  role: messageRoleSchema,
  count: z.number(),
  calls: z
    .array(z.object({ toolCallId: z.string(), after: z.number() }))
    .describe('matching tool calls, each with the number of text matches before it'),
  snippet: z.string().describe('matches are enclosed in U+E000 and U+E001'),
  isOnBranch: z.boolean(),
})

const removalSchema = z.object({
  deleted: z.array(z.string()).describe('message ids'),
  removalId: z.string().describe('for undo, possible for a day'),
})

const messageIdSchema = z.string().min(1).max(64)

const reasonSchema = z.enum([...new Set([...feedbackReasons.up, ...feedbackReasons.down])])

export const feedbackSchema = z.object({
  rating: z.enum(['up', 'down']),
  reasons: z.array(reasonSchema).max(10),
  text: z.string().max(4000).optional().describe("in the user's words"),
  at: z.number().describe('time of the last change'),
})

const feedbackInputSchema = z.strictObject({
  rating: z.enum(['up', 'down']),
  reasons: z.array(reasonSchema).max(10).optional(),
  text: z.string().max(4000).optional(),
})

const listedFeedbackSchema = feedbackSchema.extend({
  sessionId: z.string(),
  messageId: z.string().describe('the rated answer'),
  userMessageId: z.string().nullable().describe('the message that it answers'),
  runId: z.string().nullable().describe('null if the answer was imported'),
  model: z.string().nullable(),
  agent: z.string().nullable(),
  answeredAt: z.number(),
})
export type ListedFeedback = z.infer<typeof listedFeedbackSchema>

export const feedbackEndpoints = endpoints({
  'GET /ai/feedback': {
    access: { on: 'workspace', right: 'read' },
    summary: 'Lists rated answers of the workspace, newest answer first, with run, model and agent.',
    query: z.object({
      rating: z.enum(['up', 'down']).optional(),
      sessionId: z.string().max(64).optional(),
      cursor: z.string().max(200).optional(),
      limit: pageLimitSchema,
    }),
    scoped: true,
    answers: {
      200: z.object({ feedback: z.array(listedFeedbackSchema), nextCursor: z.string().nullable() }),
      404: 'SessionNotFound',
    },
  },
  'PUT /ai/sessions/:id/messages/:messageId/feedback': {
    access: { on: 'session', right: 'comment' },
    summary: 'Rates an answer, or changes its rating. The rating is stored with the answer and never sent to a model.',
    body: feedbackInputSchema,
    scoped: true,
    answers: {
      200: z.object({ feedback: feedbackSchema }),
      400: 'BadRequest',
      404: 'SessionNotFound, MessageNotFound',
      409: 'SessionBusy',
    },
  },
  'DELETE /ai/sessions/:id/messages/:messageId/feedback': {
    access: { on: 'session', right: 'comment' },
    summary: 'Removes the rating of an answer.',
    scoped: true,
    answers: {
      200: z.object({ deleted: z.literal(true) }),
      404: 'SessionNotFound, MessageNotFound',
      409: 'SessionBusy',
    },
  },
})

export const messageEndpoints = endpoints({
  'GET /ai/sessions/:id/messages': {
    access: { on: 'session', right: 'read', link: true },
    summary:
      'Returns a page from the end of one branch: the newest, or the newest through the message in ?leaf. ?end=1 ends it at that message.',
    query: branchQuerySchema.extend({ end: z.literal('1').optional() }),
    scoped: true,
    answers: { 200: branchPageSchema, 404: 'SessionNotFound, MessageNotFound' },
  },
  'GET /ai/sessions/:id/tree': {
    access: { on: 'session', right: 'read', link: true },
    summary: 'Lists every message of a session in short form: parent, role, first words, model, tokens, cost.',
    scoped: true,
    answers: { 200: z.object({ messages: z.array(treeMessageSchema) }), 404: 'SessionNotFound' },
  },
  'GET /ai/sessions/:id/matches': {
    access: { on: 'session', right: 'read', link: true },
    summary: 'Finds messages of a session that contain a text. Those of the branch that ends at ?leaf come first.',
    query: z.object({ text: z.string().max(500).optional(), leaf: messageIdSchema.optional() }),
    scoped: true,
    answers: {
      200: z.object({
        matches: z.array(textMatchSchema),
        isCut: z.boolean().describe('true if there are more matches than listed'),
      }),
      404: 'SessionNotFound',
    },
  },
  'DELETE /ai/sessions/:id/messages/:messageId': {
    access: { on: 'session', right: 'write' },
    summary: 'Deletes a message and everything below it. Stops a live run there first. Can be undone for a day.',
    scoped: true,
    answers: { 200: removalSchema, 404: 'SessionNotFound, MessageNotFound' },
  },
  'POST /ai/sessions/:id/keep': {
    access: { on: 'session', right: 'write' },
    summary:
      'Deletes every branch except the newest through this message. Stops a live run elsewhere first. Can be undone for a day.',
    body: z.strictObject({ messageId: messageIdSchema }),
    scoped: true,
    answers: { 200: removalSchema, 404: 'SessionNotFound, MessageNotFound' },
  },
  'POST /ai/sessions/:id/pick': {
    access: { on: 'session', right: 'write' },
    summary:
      'Continues with one of the answers of compared models. Stops the others, which stay as branches, and sets the model of the session.',
    body: z.strictObject({ messageId: messageIdSchema }),
    scoped: true,
    answers: {
      200: z.object({
        messageId: z.string().describe('the user message'),
        answers: z.array(z.object({ messageId: z.string(), model: z.string() })),
        picked: z.string(),
      }),
      404: 'SessionNotFound, MessageNotFound',
      409: 'NotCompared',
    },
  },
  'POST /ai/sessions/:id/removals/:removalId/undo': {
    access: { on: 'session', right: 'write' },
    summary: 'Restores deleted messages.',
    scoped: true,
    answers: {
      200: z.object({ restored: z.array(z.string()).describe('message ids') }),
      404: 'SessionNotFound, RemovalNotFound',
      409: 'ParentGone, MessageExists',
    },
  },
})
