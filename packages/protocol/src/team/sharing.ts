import { z } from 'zod'
import { idSchema } from '../ids.ts'
import { endpoints } from '../http/endpoint.ts'
import { rememberScopeSchema } from '../http/rules.ts'
import { linkTokenSchema, personNameSchema } from './people.ts'
import { storedSessionSchema } from '../http/sessions.ts'

export const visibilitySchema = storedSessionSchema.shape.visibility

/** Right that a share grants. `write` and `approve` also require the right to write in the workspace. */
const shareRightSchema = z.enum(['read', 'comment', 'write', 'approve'])
export type ShareRight = z.infer<typeof shareRightSchema>

const shareLinkSchema = z.object({
  id: z.string(),
  createdBy: personNameSchema.nullable(),
  createdAt: z.number(),
  expiresAt: z.number(),
})

const sharingSchema = z.object({
  owner: personNameSchema.nullable(),
  visibility: visibilitySchema,
  shares: z.array(z.object({ person: personNameSchema, right: shareRightSchema })),
  links: z.array(shareLinkSchema).describe('read-only links that still work'),
  own: z.enum(['read', 'comment', 'write', 'approve', 'manage']).describe('what the caller may do'),
  remember: z.array(rememberScopeSchema).describe('how long the caller may remember approvals of this chat'),
})
export type Sharing = z.infer<typeof sharingSchema>

/** Visibility of a chat and its shares. */
export const sharingEndpoints = endpoints({
  'GET /ai/sessions/:id/sharing': {
    access: { on: 'session', right: 'read' },
    team: true,
    summary: 'Says who sees a chat. Links only for those who manage it.',
    answers: { 200: z.object({ sharing: sharingSchema }), 404: 'SessionNotFound' },
  },
  'PATCH /ai/sessions/:id/sharing': {
    access: { on: 'session', right: 'manage' },
    team: true,
    summary: 'Makes a chat private, or visible to everyone in its workspace.',
    body: z.strictObject({ visibility: visibilitySchema }),
    answers: { 200: z.object({ sharing: sharingSchema }), 404: 'SessionNotFound' },
  },
  'PUT /ai/sessions/:id/shares': {
    access: { on: 'session', right: 'manage' },
    team: true,
    summary: 'Shares a chat with a person, or stops sharing it if the right is null.',
    body: z.strictObject({ personId: idSchema, right: shareRightSchema.nullable() }),
    answers: { 200: z.object({ sharing: sharingSchema }), 404: 'SessionNotFound, MemberNotFound' },
  },
  'POST /ai/sessions/:id/links': {
    access: { on: 'session', right: 'manage' },
    team: true,
    summary: 'Creates a link that lets anyone read this chat without signing in.',
    body: z.strictObject({ expiresInDays: z.int().min(1).max(366).default(30) }),
    answers: {
      201: z.object({ link: shareLinkSchema, url: z.string().describe('shown once') }),
      404: 'SessionNotFound',
      409: 'TooManyLinks',
    },
  },
  'DELETE /ai/sessions/:id/links/:linkId': {
    access: { on: 'session', right: 'manage' },
    team: true,
    summary: 'Revokes a link.',
    answers: { 200: z.object({ deleted: z.string() }), 404: 'SessionNotFound, LinkNotFound' },
  },
  'POST /ai/share': {
    access: { on: 'open' },
    team: true,
    summary: 'Opens a share link. Further requests send Authorization: Share <token>.',
    body: z.strictObject({ token: linkTokenSchema }),
    bodyLimit: 8192,
    answers: {
      200: z.object({
        sessionId: z.string(),
        title: z.string(),
        expiresAt: z.number(),
        linkId: z.string().describe('?as= of signed addresses'),
        linkKey: z.string().describe('signs the addresses of images'),
      }),
      403: 'LinkInvalid',
      429: 'TooManyRequests',
    },
  },
  'GET /ai/shared-sessions': {
    access: { on: 'self', right: 'read' },
    team: true,
    summary: 'Lists the chats that others shared with the caller, in all workspaces, newest first.',
    answers: {
      200: z.object({
        sessions: z
          .array(storedSessionSchema.extend({ owner: personNameSchema.nullable(), right: shareRightSchema }))
          .describe('at most 200'),
      }),
    },
  },
})

const commentSchema = z.object({
  id: z.string(),
  sessionId: z.string(),
  messageId: z.string(),
  author: personNameSchema.nullable().describe('null: a former member'),
  text: z.string(),
  mentions: z.array(personNameSchema),
  createdAt: z.number(),
})
export type Comment = z.infer<typeof commentSchema>

/** People's comments on messages, and the list of watchers. Agents never read them. */
export const commentEndpoints = endpoints({
  'GET /ai/sessions/:id/comments': {
    access: { on: 'session', right: 'read' },
    team: true,
    summary: 'Lists the comments in a chat, oldest first.',
    answers: { 200: z.object({ comments: z.array(commentSchema) }), 404: 'SessionNotFound' },
  },
  'POST /ai/sessions/:id/comments': {
    access: { on: 'session', right: 'comment' },
    team: true,
    summary: 'Comments on a message. People who cannot read the chat cannot be mentioned.',
    body: z.strictObject({
      messageId: idSchema,
      text: z.string().trim().min(1).max(10_000),
      mentions: z.array(idSchema).max(50).default([]).describe('ids of people'),
    }),
    answers: {
      201: z.object({ comment: commentSchema }),
      404: 'SessionNotFound, MessageNotFound, MemberNotFound',
      409: 'TooManyComments',
    },
  },
  'DELETE /ai/sessions/:id/comments/:commentId': {
    access: { on: 'session', right: 'comment' },
    team: true,
    summary: 'Deletes a comment of the caller. Who manages the chat may delete any.',
    answers: { 200: z.object({ deleted: z.string() }), 404: 'SessionNotFound, CommentNotFound' },
  },
  'GET /ai/mentions': {
    access: { on: 'self', right: 'read' },
    team: true,
    summary: 'Lists the newest comments that mention the caller.',
    answers: {
      200: z.object({
        mentions: z
          .array(commentSchema.extend({ sessionTitle: z.string(), seen: z.boolean() }))
          .describe('at most 100'),
      }),
    },
  },
  'POST /ai/mentions/seen': {
    access: { on: 'self', right: 'read' },
    team: true,
    summary: 'Marks the mentions up to now as seen.',
    answers: { 204: 'done' },
  },
  'POST /ai/sessions/:id/presence': {
    access: { on: 'session', right: 'read' },
    team: true,
    summary:
      'Says that the caller watches this chat, and lists who does. Pages repeat it every 20 seconds. A live stream also reports changes, as the event "session-presence".',
    body: z.strictObject({ left: z.boolean().default(false).describe('no longer watches it') }),
    answers: {
      200: z.object({ people: z.array(personNameSchema.extend({ since: z.number() })) }),
      404: 'SessionNotFound',
    },
  },
})
