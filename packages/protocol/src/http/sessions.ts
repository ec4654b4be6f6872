import { z } from 'zod'
import { idSchema } from '../ids.ts'
import { paramValuesSchema } from '../params.ts'
import type { LogItem } from '../run-log.ts'
import { endpoints } from './endpoint.ts'
import { messageRoleSchema, pageLimitSchema, storedMessageSchema } from './messages.ts'
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
  ownerId: z.string().nullable().describe('the person who started it; null without accounts'),
  visibility: z.enum(['private', 'workspace']).describe('workspace: everyone who may use the workspace reads it'),
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

const oneSessionSchema = z.object({ session: sessionSchema })

const sessionPageSchema = z.object({
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

const stillPublished = z.array(z.string()).describe('places of published pages that could not be deleted')

export const sessionEndpoints = endpoints({
  'GET /ai/sessions': {
    access: { on: 'workspace', right: 'read' },
    summary:
      'Lists sessions of the workspace, newest first. With ?q: those that match, and where. Trashed sessions are only in ?view=trashed.',
    query: z.object({
      q: z.string().max(1000).optional(),
      view: z.enum(['active', 'archived', 'trashed']).optional(),
      folder: idSchema.optional().describe('the id of a folder, or "none"'),
      shared: z
        .literal('0')
        .optional()
        .describe('without the chats that others shared with you, see /ai/shared-sessions'),
      cursor: z.string().max(500).optional(),
      limit: pageLimitSchema,
    }),
    scoped: true,
    answers: { 200: sessionPageSchema },
  },
  'POST /ai/sessions': {
    access: { on: 'workspace', right: 'write' },
    summary: 'Creates an empty session.',
    body: newSessionSchema,
    scoped: true,
    answers: { 201: oneSessionSchema, 403: 'BypassNotAllowed', 409: 'SessionExists', 422: 'UnknownMode, BadParams' },
  },
  'GET /ai/sessions/:id': {
    access: { on: 'session', right: 'read', link: true },
    summary: 'Returns one session.',
    scoped: true,
    answers: { 200: oneSessionSchema, 404: 'SessionNotFound' },
  },
  'PATCH /ai/sessions/:id': {
    access: { on: 'session', right: 'write', fields: { mode: 'approve', archived: 'manage', trashed: 'manage' } },
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
    access: { on: 'session', right: 'manage' },
    summary:
      'Permanently deletes a session and its published pages, whether or not it is in the trash. Stops a live run first.',
    scoped: true,
    answers: { 200: z.object({ deleted: z.string(), stillPublished }), 404: 'SessionNotFound' },
  },
  'POST /ai/sessions/:id/fork': {
    access: { on: 'session', right: 'read', workspace: 'write' },
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
    access: { on: 'workspace', right: 'write' },
    summary: 'Permanently deletes the sessions in the trash and their published pages.',
    scoped: true,
    answers: { 200: z.object({ deleted: z.array(z.string()).describe('session ids'), stillPublished }) },
  },
})

const folderNameSchema = z.string().trim().min(1).max(100)

const newFolderSchema = z.strictObject({
  id: idSchema.optional(),
  name: folderNameSchema,
  parentFolderId: idSchema.nullable().optional(),
})

const folderPatchSchema = z.strictObject({
  name: folderNameSchema.optional(),
  parentFolderId: idSchema.nullable().optional(),
})

const folderSchema = z.object({
  id: z.string(),
  workspaceId: z.string(),
  parentFolderId: z.string().nullable(),
  name: z.string(),
  sessionCount: z.number().describe('active sessions in the folder'),
  createdAt: z.number(),
})

const oneFolderSchema = z.object({ folder: folderSchema })

export const folderEndpoints = endpoints({
  'GET /ai/folders': {
    access: { on: 'workspace', right: 'read' },
    summary: 'Lists folders of sessions by name, each with the number of its active sessions.',
    scoped: true,
    answers: { 200: z.object({ folders: z.array(folderSchema) }) },
  },
  'POST /ai/folders': {
    access: { on: 'workspace', right: 'write' },
    summary: 'Creates a folder, with parentFolderId inside another one. Folders nest one level deep.',
    body: newFolderSchema,
    scoped: true,
    answers: { 201: oneFolderSchema, 404: 'FolderNotFound', 409: 'FolderExists, FolderTooDeep' },
  },
  'PATCH /ai/folders/:id': {
    access: { on: 'workspace', right: 'write' },
    summary: 'Renames or moves a folder.',
    body: folderPatchSchema,
    scoped: true,
    answers: { 200: oneFolderSchema, 404: 'FolderNotFound', 409: 'FolderTooDeep' },
  },
  'DELETE /ai/folders/:id': {
    access: { on: 'workspace', right: 'write' },
    summary: 'Deletes a folder and moves its contents to its parent.',
    scoped: true,
    answers: { 200: z.object({ deleted: z.string() }), 404: 'FolderNotFound' },
  },
})

const runSchema = z.object({
  id: z.string(),
  sessionId: z.string(),
  agentId: z.string().nullable().describe('null for the agent of the session'),
  userMessageId: z.string().describe('the message to answer'),
  messageId: z.string().describe('the answer'),
  status: z.enum(['running', 'waiting', 'done', 'failed', 'aborted', 'interrupted']),
  request: z.record(z.string(), z.unknown()).describe('what resumes the run after a crash: model, agent, mode, limits'),
  fromNumber: z.number().describe('event numbers of the run are greater'),
  createdAt: z.number(),
  endedAt: z.number().nullable(),
  frames: z
    .array(
      z.object({
        runId: z.string(),
        seq: z.number(),
        from: z.number(),
        to: z.number(),
        items: z.array(z.custom<LogItem>()).describe('chunks of the stream, and private notes of the run'),
      }),
    )
    .describe('the log of the run'),
})

/** A message of the AI SDK's `LanguageModelV4Prompt`. */
const promptMessageSchema = z.object({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.unknown(),
  providerOptions: z.record(z.string(), z.unknown()).optional(),
})

export const debugEndpoints = endpoints({
  'GET /ai/debug/:sessionId': {
    access: { on: 'session', right: 'manage' },
    summary: 'Returns the messages up to one, the prompt that the model got to answer it, and the log of that run.',
    query: z.object({ messageId: z.string().max(64).optional() }),
    scoped: true,
    answers: {
      200: z.object({
        session: storedSessionSchema,
        chain: z.array(storedMessageSchema).describe('from the first message to this one'),
        projection: z.array(promptMessageSchema).describe('the prompt, in the format of the AI SDK'),
        runs: z.array(runSchema).describe('the runs that wrote the last answer, newest first'),
        strays: z.array(storedMessageSchema).describe('messages that no branch reaches'),
      }),
      404: 'SessionNotFound, MessageNotFound',
    },
  },
})
