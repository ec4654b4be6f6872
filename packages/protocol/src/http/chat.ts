import { z } from 'zod'
import { idSchema } from '../ids.ts'
import { paramValuesSchema } from '../params.ts'
import { endpoints } from './endpoint.ts'
import { messageRoleSchema, storedMessageSchema } from './messages.ts'
import { modeNameSchema, ruleTextsSchema } from './rules.ts'

/** A message as sent by clients. `parseUserMessage` checks the parts by kind. */
export const wireMessageSchema = z.looseObject({
  id: idSchema,
  role: messageRoleSchema,
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
  /** Two to four models that answer the message side by side. The user then continues with one of the answers. */
  models: z
    .array(z.string().min(1).max(300))
    .min(2)
    .max(4)
    .refine((models) => new Set(models).size === models.length, 'Each model can be named only once.')
    .optional(),
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
  boardId: z.undefined({ error: 'Boards are not supported.' }).optional(),
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

export const steerRequestSchema = z.strictObject({
  id: idSchema,
  text: z.string().min(1).max(1_000_000),
  typedUrls: typedUrlsSchema.optional(),
})

/** The number of the last event that the client has. */
export const eventNumberSchema = z
  .string()
  .regex(/^\d{1,15}$/, 'a whole number')
  .optional()

/** Several numbers, if the client has events of several answers. Each belongs to one of them. */
const eventNumbersSchema = z
  .string()
  .regex(/^\d{1,15}(,\d{1,15}){0,7}$/, 'whole numbers, separated by commas')
  .optional()

export const chatEndpoints = endpoints({
  'POST /ai/chat': {
    access: { on: 'session', right: 'write', creates: true, fields: { mode: 'approve', rules: 'approve' } },
    summary:
      'Sends a message, an edit, a retry, a regeneration, or answers to approvals, and streams the answer. With `models`, streams all answers as data-column parts.',
    query: z.object({ hold: z.string().optional() }),
    body: chatRequestSchema,
    gives: ['stream', 'json'],
    scoped: true,
    answers: {
      200: z
        .object({
          sessionId: z.string(),
          message: storedMessageSchema.optional(),
          messages: z.array(storedMessageSchema).optional().describe('with models: their answers'),
          waiting: z.boolean(),
        })
        .describe('with responseMode json; otherwise a UI message stream'),
      400: 'BadRequest, ProviderNotConfigured',
      403: 'BypassNotAllowed',
      404: 'SessionNotFound, MessageNotFound, BlobNotFound, ModelNotFound, ProviderNotFound, ProjectNotFound',
      409: 'SessionBusy, SessionTrashed, OtherProject, NoWaitingRun, NothingAnswered',
      422: 'UnknownMode, BadRule, BadParams, BadSaveDir, CommandUnreadable, CommandArguments',
      502: 'McpFailed, MediaFailed',
    },
  },
  'GET /ai/chat/:sessionId/stream': {
    access: { on: 'session', right: 'read', link: true },
    summary:
      'Resumes and follows the run of a session after the number in Last-Event-ID or ?after. With ?hold=0 it ends where the POST would. While models are compared, ?after takes a number per answer.',
    query: z.object({ hold: z.string().optional(), after: eventNumbersSchema }),
    gives: ['stream'],
    scoped: true,
    answers: { 200: 'UI message stream', 204: 'no run', 404: 'SessionNotFound' },
  },
  'POST /ai/chat/:sessionId/stop': {
    access: { on: 'session', right: 'write' },
    summary:
      'Stops the run of a session: provider, tools, and child processes. While models are compared, ?messageId stops only that answer.',
    query: z.object({ messageId: idSchema.optional() }),
    scoped: true,
    answers: {
      200: z.object({ stopped: z.literal(true), runId: z.string(), ms: z.number() }),
      404: 'SessionNotFound',
      409: 'NoRun',
    },
  },
  'POST /ai/chat/:sessionId/steer': {
    access: { on: 'session', right: 'write' },
    summary: 'Sends a message to the running answer, which reads it at its next step.',
    body: steerRequestSchema,
    scoped: true,
    answers: {
      200: z.object({ id: z.string(), hints: z.array(z.string()) }),
      404: 'SessionNotFound',
      409: 'NoRun, CommandWhileRunning, McpNotRunning',
      422: 'CommandUnreadable, CommandArguments',
      502: 'McpFailed',
    },
  },
})
