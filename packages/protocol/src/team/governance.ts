import { z } from 'zod'
import { endpoints } from '../http/endpoint.ts'

const millisSchema = z.coerce.number().int().nonnegative().max(8.64e15)

const auditFilter = {
  actor: z.string().max(200).optional().describe('id of a person or alias, or system, local, anonymous'),
  action: z.string().max(100).optional().describe('an action such as policy.change, or the part before its dot'),
  target: z.string().max(500).optional().describe('id of the object'),
  outcome: z.enum(['ok', 'denied', 'failed']).optional(),
  from: millisSchema.optional().describe('milliseconds since 1970, included'),
  to: millisSchema.optional().describe('milliseconds since 1970, excluded'),
  text: z.string().max(500).optional().describe('words that must all occur, also in names of people'),
}

const auditEntrySchema = z.object({
  id: z.string(),
  at: z.number(),
  actor: z.object({
    id: z.string().describe('an alias, which stays if the person is deleted'),
    name: z.string().nullable().describe('null if the person was deleted'),
  }),
  action: z.string(),
  target: z.object({ type: z.string(), id: z.string(), name: z.string().nullable().optional() }).nullable(),
  outcome: z.enum(['ok', 'denied', 'failed']),
  detail: z.record(z.string(), z.unknown()),
  requestId: z.string().nullable(),
  address: z.string().nullable(),
})
export type AuditEntryInfo = z.infer<typeof auditEntrySchema>

/** Only in team mode, for admins. */
export const auditEndpoints = endpoints({
  'GET /ai/audit': {
    access: { on: 'organization', right: 'manage' },
    team: true,
    summary: 'Searches the audit log, newest first.',
    query: z.object({
      ...auditFilter,
      before: z
        .string()
        .regex(/^\d{1,16}$/)
        .optional()
        .describe('"next" of the page before'),
      limit: z.coerce.number().int().min(1).max(500).default(50),
    }),
    answers: {
      200: z.object({ entries: z.array(auditEntrySchema), next: z.string().nullable().describe('null at the end') }),
      404: 'NotTeam',
    },
  },
  'GET /ai/audit/export': {
    access: { on: 'organization', right: 'manage' },
    team: true,
    summary: 'Downloads the entries that match as JSON Lines or CSV.',
    linkable: true,
    query: z.object({ ...auditFilter, format: z.enum(['jsonl', 'csv']).default('jsonl') }),
    gives: ['bytes'],
    answers: { 200: 'the file', 404: 'NotTeam' },
  },
})

const ownKeysSchema = z.object({
  allowed: z.boolean().describe('false if the policy forbids own keys'),
  providers: z.array(z.string()).describe('ids of providers with an own key'),
  available: z
    .array(z.object({ id: z.string(), name: z.string(), keyURL: z.string().nullable() }))
    .describe('providers that an own key can be set for'),
})

/** Only in team mode. */
export const secretEndpoints = endpoints({
  'POST /ai/secrets/rotate': {
    access: { on: 'organization', right: 'manage' },
    team: true,
    operator: true,
    summary: 'Encrypts all stored secrets with the current key.',
    answers: {
      200: z.object({
        rotated: z.number(),
        unreadable: z.number().describe('secrets that no configured key can read'),
        keyId: z.string(),
      }),
      404: 'NotTeam',
    },
  },
  'GET /ai/me/keys': {
    access: { on: 'self', right: 'read' },
    team: true,
    summary: 'Lists the providers for which the caller has set a key. Never returns a key.',
    answers: { 200: ownKeysSchema, 404: 'NotTeam' },
  },
  'POST /ai/me/keys': {
    access: { on: 'self', right: 'manage' },
    team: true,
    summary: "Sets the caller's own key for a provider. It wins in their runs, and nobody else can use or see it.",
    body: z.strictObject({ provider: z.string().min(1).max(100), apiKey: z.string().min(1).max(5000) }),
    answers: { 200: ownKeysSchema, 403: 'OwnKeysForbidden', 404: 'NotTeam, ProviderNotFound' },
  },
  'DELETE /ai/me/keys/:provider': {
    access: { on: 'self', right: 'manage' },
    team: true,
    summary: "Deletes the caller's own key for a provider.",
    answers: { 200: ownKeysSchema, 404: 'NotTeam' },
  },
})

/** Only in team mode: for the person, and for admins. */
export const personDataEndpoints = endpoints({
  'GET /ai/people/:id/data': {
    access: { on: 'self', right: 'manage' },
    team: true,
    operator: true,
    summary:
      'Downloads everything about a person as JSON Lines: chats, messages, files, comments, settings, usage, and audit entries.',
    linkable: true,
    gives: ['bytes'],
    answers: { 200: 'the file', 403: 'Forbidden', 404: 'NotTeam' },
  },
  'DELETE /ai/people/:id/data': {
    access: { on: 'self', right: 'manage' },
    team: true,
    operator: true,
    summary:
      'Deletes everything about a person. What belongs to others stays under a pseudonym: messages in their chats, totals of usage, audit entries.',
    query: z.object({ email: z.string().max(320).optional().describe('also forgotten by the audit log') }),
    answers: {
      200: z.object({
        chats: z.number(),
        blobs: z.number().describe('files that no other chat uses'),
        alias: z.string().describe('of the person in the audit log'),
      }),
      403: 'Forbidden',
      404: 'NotTeam',
    },
  },
})
