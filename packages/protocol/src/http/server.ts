import { z } from 'zod'
import { endpoints } from './endpoint.ts'

/** The one-time key, with the page's public key if it has one, or a challenge signed by the page. */
export const authRequestSchema = z.union([
  z.strictObject({ key: z.string().max(200), publicKey: z.string().max(300).optional() }),
  z.strictObject({ pageId: z.string().max(64), nonce: z.string().max(200), signature: z.string().max(200) }),
])

/** Valid for one origin until the server ends. */
const pageCredentialSchema = z.object({
  credential: z.string().describe('sent as Authorization: Page <credential>'),
  linkKey: z.string().describe('signs URLs that the browser requests itself: images and downloads'),
  pageId: z.string().nullable().describe('null if the page gave no public key'),
})
export type PageCredential = z.infer<typeof pageCredentialSchema>

export const authEndpoints = endpoints({
  'POST /ai/auth': {
    access: { on: 'open' },
    summary:
      'Exchanges the one-time key of the printed address, or a signed challenge, for the credential of the page. It is valid for one origin until the server ends.',
    body: authRequestSchema,
    bodyLimit: 2048,
    answers: { 200: pageCredentialSchema, 401: 'WrongKey, UnknownPage' },
  },
  'POST /ai/auth/challenge': {
    access: { on: 'open' },
    summary: 'Returns a nonce. A known page signs it to get a credential after the server restarted.',
    answers: { 200: z.object({ nonce: z.string() }) },
  },
  'POST /ai/auth/keys': {
    access: { on: 'organization', right: 'manage' },
    summary: 'Creates another one-time key, for programs that hold the token.',
    answers: { 200: z.object({ key: z.string() }), 401: 'Unauthorized' },
  },
})

export const healthEndpoints = endpoints({
  'GET /health': {
    access: { on: 'open' },
    summary: 'Says whether the server is up.',
    answers: { 200: z.object({ ok: z.literal(true), version: z.string() }) },
  },
  'GET /ai/openapi.json': {
    access: { on: 'organization', right: 'read' },
    summary: 'Returns this reference as OpenAPI 3.1.',
    answers: {
      200: z.object({
        openapi: z.string(),
        info: z.object({ title: z.string(), version: z.string(), description: z.string() }),
        servers: z.array(z.object({ url: z.string() })),
        paths: z
          .record(z.string(), z.record(z.string(), z.unknown()))
          .describe('by path and lowercase method: operations of OpenAPI'),
        components: z.object({
          securitySchemes: z.record(z.string(), z.unknown()),
          schemas: z.record(z.string(), z.unknown()),
        }),
      }),
    },
  },
})

const homeUsageSchema = z.object({
  name: z.enum(['database', 'sessions', 'blobs', 'backups', 'other']),
  path: z.string(),
  files: z.number(),
  bytes: z.number(),
})
export type HomeUsage = z.infer<typeof homeUsageSchema>

const backupSchema = z.object({ path: z.string(), createdAt: z.number() })
export type Backup = z.infer<typeof backupSchema>

const findingSchema = z.object({
  status: z.enum(['ok', 'info', 'warn', 'fail']).describe('info is neutral: an optional part is missing'),
  name: z.string(),
  text: z.string(),
  fix: z.string().optional().describe('what to do about it'),
})
export type Finding = z.infer<typeof findingSchema>

export const dataEndpoints = endpoints({
  'GET /ai/data': {
    access: { on: 'organization', right: 'manage' },
    summary: 'Says where the data is stored and how much space it takes, and lists the backups.',
    answers: {
      200: z.object({
        home: z.string(),
        places: z.array(homeUsageSchema),
        backups: z.array(backupSchema).describe('newest first'),
        free: z.number().describe('free bytes on the disk'),
      }),
    },
  },
  'POST /ai/data/backup': {
    access: { on: 'organization', right: 'manage' },
    summary: 'Copies all data that cannot be rebuilt to a new folder in the home.',
    answers: { 201: z.object({ backup: backupSchema }) },
  },
  'GET /ai/doctor': {
    access: { on: 'organization', right: 'manage' },
    summary: 'Runs the checks of "troupe doctor".',
    scoped: true,
    answers: { 200: z.object({ findings: z.array(findingSchema) }) },
  },
})
