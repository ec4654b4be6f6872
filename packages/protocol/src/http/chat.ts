import { z } from 'zod'
import { endpoints } from './endpoint.ts'
import { storedMessageSchema } from './messages.ts'
import { chatRequestSchema, steerRequestSchema } from './requests.ts'

export const eventNumberSchema = z
  .string()
  .regex(/^\d{1,15}$/, 'a whole number')
  .optional()

export const chatEndpoints = endpoints({
  'POST /ai/chat': {
    summary: 'Sends a message, an edit, a retry, a regeneration, or answers to approvals, and streams the answer.',
    query: z.object({ hold: z.string().optional() }),
    body: chatRequestSchema,
    gives: ['stream', 'json'],
    scoped: true,
    answers: {
      200: z
        .object({ sessionId: z.string(), message: storedMessageSchema.optional(), waiting: z.boolean() })
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
    summary:
      'Resumes and follows the run of a session after the number in Last-Event-ID or ?after. With ?hold=0 it ends where the POST would.',
    query: z.object({ hold: z.string().optional(), after: eventNumberSchema }),
    gives: ['stream'],
    scoped: true,
    answers: { 200: 'UI message stream', 204: 'no run', 404: 'SessionNotFound' },
  },
  'POST /ai/chat/:sessionId/stop': {
    summary: 'Stops the run of a session: provider, tools, and child processes.',
    scoped: true,
    answers: {
      200: z.object({ stopped: z.literal(true), runId: z.string(), ms: z.number() }),
      404: 'SessionNotFound',
      409: 'NoRun',
    },
  },
  'POST /ai/chat/:sessionId/steer': {
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
