import { z } from 'zod'
import { idSchema } from '../ids.ts'
import { paramValuesSchema } from '../params.ts'
import { endpoints } from './endpoint.ts'
import { messageRoleSchema, pageLimitSchema } from './messages.ts'
import { effectSchema, modeNameSchema, modeSchema } from './rules.ts'

export const newSessionSchema = z.strictObject({
  id: idSchema.optional(),
  title: z.string().max(500).optional(),
  model: z.string().max(300).nullable().optional(),
  agent: z.string().max(200).nullable().optional(),
  mode: modeNameSchema.optional(),
  params: paramValuesSchema.optional(),
})

export const sessionPatchSchema = z.strictObject({
  title: z.string().min(1).max(500).optional(),
  pinned: z.boolean().optional(),
  archived: z.boolean().optional(),
  trashed: z.boolean().optional(),
  folderId: idSchema.nullable().optional(),
  model: z.string().max(300).nullable().optional(),
  agent: z.string().max(200).nullable().optional(),
  mode: modeNameSchema.optional(),
  params: paramValuesSchema.optional(),
})

export const storedSessionSchema = z.object({
  id: z.string(),
  workspaceId: z.string(),
  projectId: z.string().nullable(),
  title: z.string(),
  renamed: z.boolean().describe('the user set the title'),
  pinned: z.boolean(),
  archived: z.boolean(),
  folderId: z.string().nullable(),
  trashedAt: z.number().nullable().describe('null if it is not in the trash'),
  model: z.string().nullable(),
  agent: z.string().nullable(),
  mode: modeSchema,
  rules: z
    .array(z.object({ text: z.string(), effect: effectSchema }))
    .describe('rules that the user set for this session only'),
  params: paramValuesSchema.optional(),
  messageCount: z.number(),
  createdAt: z.number(),
  updatedAt: z.number(),
})

const sessionSchema = storedSessionSchema.extend({
  run: z
    .object({ id: z.string(), status: z.string(), messageId: z.string(), userMessageId: z.string() })
    .nullable()
    .describe('its live run'),
})
export type ListedSession = z.infer<typeof sessionSchema>

export const oneSessionSchema = z.object({ session: sessionSchema })

export const sessionPageSchema = z.object({
  sessions: z.array(sessionSchema),
  nextCursor: z.string().nullable(),
  hits: z
    .array(
      z.object({
        sessionId: z.string(),
        messageId: z.string(),
        title: z.string(),
        role: messageRoleSchema,
        snippet: z.string().describe('matches are enclosed in U+E000 and U+E001'),
        createdAt: z.number(),
      }),
    )
    .describe('messages that match ?q, at most 50'),
})
export type SessionPage = z.infer<typeof sessionPageSchema>

export const sessionEndpoints = endpoints({
  'GET /ai/sessions': {
    summary:
      'Lists sessions of the workspace, newest first. With ?q: those that match, and where. Trashed sessions are only in ?view=trashed.',
    query: z.object({
      q: z.string().max(1000).optional(),
      view: z.enum(['active', 'archived', 'trashed']).optional(),
      folder: idSchema.optional().describe('the id of a folder, or "none"'),
      cursor: z.string().max(500).optional(),
      limit: pageLimitSchema,
    }),
    scoped: true,
    answers: { 200: sessionPageSchema },
  },
  'POST /ai/sessions': {
    summary: 'Creates an empty session.',
    body: newSessionSchema,
    scoped: true,
    answers: { 201: oneSessionSchema, 403: 'BypassNotAllowed', 409: 'SessionExists', 422: 'UnknownMode, BadParams' },
  },
  'GET /ai/sessions/:id': {
    summary: 'Returns one session.',
    scoped: true,
    answers: { 200: oneSessionSchema, 404: 'SessionNotFound' },
  },
  'PATCH /ai/sessions/:id': {
    summary:
      'Renames, pins, or archives a session, moves it to a folder or to the trash (stopping a live run first), or sets its model, agent, mode, and model settings.',
    body: sessionPatchSchema,
    scoped: true,
    answers: {
      200: oneSessionSchema,
      403: 'BypassNotAllowed',
      404: 'SessionNotFound, FolderNotFound',
      422: 'UnknownMode, BadParams',
    },
  },
  'DELETE /ai/sessions/:id': {
    summary: 'Permanently deletes a session, whether or not it is in the trash. Stops a live run first.',
    scoped: true,
    answers: { 200: z.object({ deleted: z.string() }), 404: 'SessionNotFound' },
  },
  'POST /ai/sessions/:id/fork': {
    summary: 'Creates a session with the messages of this one, up to the given message.',
    body: z.strictObject({ messageId: z.string().min(1).max(64) }),
    scoped: true,
    answers: {
      201: z.object({ session: storedSessionSchema }),
      404: 'SessionNotFound, MessageNotFound',
      409: 'SessionBusy',
    },
  },
  'DELETE /ai/trash': {
    summary: 'Permanently deletes the sessions in the trash.',
    scoped: true,
    answers: { 200: z.object({ deleted: z.array(z.string()).describe('session ids') }) },
  },
})
