import { z } from 'zod'
import { idSchema } from '../ids.ts'
import { workspaceRights } from '../http/access.ts'
import { endpoints } from '../http/endpoint.ts'
import { emailSchema, personNameSchema, personSchema, roleSchema } from './people.ts'

const memberSchema = personSchema.extend({
  secondFactor: z.boolean(),
  createdAt: z.number(),
})
export type Member = z.infer<typeof memberSchema>

const invitationSchema = z.object({
  id: z.string(),
  email: z.string(),
  role: roleSchema,
  invitedBy: personNameSchema.nullable(),
  createdAt: z.number(),
  expiresAt: z.number(),
})
export type Invitation = z.infer<typeof invitationSchema>

/** People and their roles. */
export const memberEndpoints = endpoints({
  'GET /ai/members': {
    access: { on: 'organization', right: 'read' },
    team: true,
    operator: true,
    summary: 'Lists the members. Only owners and admins see e-mail addresses of others.',
    answers: {
      200: z.object({ members: z.array(memberSchema.extend({ email: z.string().nullable() })) }),
    },
  },
  'PATCH /ai/members/:id': {
    access: { on: 'organization', right: 'manage' },
    team: true,
    summary: 'Changes the role of a member. Only owners make or change owners, and one owner must remain.',
    body: z.strictObject({ role: roleSchema }),
    answers: { 200: z.object({ member: memberSchema }), 403: 'Forbidden', 404: 'MemberNotFound', 409: 'LastOwner' },
  },
  'DELETE /ai/members/:id': {
    access: { on: 'organization', right: 'manage' },
    team: true,
    summary:
      'Removes a member. Their sessions and tokens end immediately, their runs stop, and their chats are transferred to the caller.',
    answers: {
      200: z.object({
        removed: z.string(),
        stopped: z.number().describe('runs that were stopped'),
        chats: z.number().describe('chats that changed their owner'),
      }),
      403: 'Forbidden',
      404: 'MemberNotFound',
      409: 'LastOwner',
    },
  },
  'GET /ai/invitations': {
    access: { on: 'organization', right: 'manage' },
    team: true,
    summary: 'Lists the open invitations.',
    answers: { 200: z.object({ invitations: z.array(invitationSchema) }) },
  },
  'POST /ai/invitations': {
    access: { on: 'organization', right: 'manage' },
    team: true,
    summary: 'Invites a person by e-mail address. Send them the link: it works once, and proves the address.',
    body: z.strictObject({
      email: emailSchema,
      role: roleSchema.default('member'),
      expiresInDays: z.int().min(1).max(30).default(7),
    }),
    answers: {
      201: z.object({ invitation: invitationSchema, url: z.string().describe('shown once') }),
      403: 'Forbidden',
      409: 'PersonExists',
    },
  },
  'DELETE /ai/invitations/:id': {
    access: { on: 'organization', right: 'manage' },
    team: true,
    summary: 'Withdraws an invitation.',
    answers: { 200: z.object({ deleted: z.string() }), 404: 'InvitationNotFound' },
  },
})

const subjectSchema = z.union([
  z.strictObject({ personId: idSchema }),
  z.strictObject({ role: z.enum(['member', 'viewer']) }),
])

const grantSchema = z.object({
  subject: z.union([z.object({ personId: z.string(), name: z.string() }), z.object({ role: roleSchema })]),
  right: z.enum(workspaceRights).describe('read: see its files and shared chats; write: also chat and change files'),
})
export type WorkspaceGrant = z.infer<typeof grantSchema>

/** Grants on a workspace. Owners and admins need none. */
export const grantEndpoints = endpoints({
  'GET /ai/workspaces/:id/grants': {
    access: { on: 'workspace', right: 'manage' },
    team: true,
    summary: 'Lists the people and roles that may use a workspace.',
    answers: { 200: z.object({ grants: z.array(grantSchema) }), 404: 'WorkspaceNotFound' },
  },
  'PUT /ai/workspaces/:id/grants': {
    access: { on: 'workspace', right: 'manage' },
    team: true,
    summary: 'Sets what a person or a role may do in a workspace. A null right removes the grant.',
    body: z.strictObject({ subject: subjectSchema, right: z.enum(workspaceRights).nullable() }),
    answers: { 200: z.object({ grants: z.array(grantSchema) }), 404: 'WorkspaceNotFound, MemberNotFound' },
  },
})
