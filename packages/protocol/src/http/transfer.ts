import { z } from 'zod'
import { endpoints } from './endpoint.ts'

const importReportSchema = z.object({
  sessions: z.array(
    z.object({
      sessionId: z.string(),
      title: z.string(),
      source: z.string().describe('the program that the chat comes from'),
      state: z
        .enum(['added', 'grown', 'known'])
        .describe('grown: messages were added to an existing session; known: nothing new'),
      added: z.number().describe('messages'),
      conflicts: z.number().describe('existing messages with different content, which stay unchanged'),
    }),
  ),
  problems: z
    .array(z.object({ where: z.string(), message: z.string() }))
    .describe('items that could not be imported; the rest was'),
})
export type FileImportReport = z.infer<typeof importReportSchema>

const importProgressSchema = z.object({ bytes: z.number(), of: z.number(), sessions: z.number() })
export type ImportProgress = z.infer<typeof importProgressSchema>

/** A line of the answer to an import. The last one has a report or an error. */
export const importLineSchema = z.union([
  z.object({ progress: importProgressSchema }),
  z.object({ report: importReportSchema }),
  z.object({ error: z.object({ name: z.string(), message: z.string() }) }),
])
export type ImportLine = z.infer<typeof importLineSchema>

export const transferEndpoints = endpoints({
  'GET /ai/sessions/:id/export': {
    access: { on: 'session', right: 'read' },
    linkable: true,
    summary:
      'Downloads a session as Markdown, as an HTML page that replays it (both one branch), or as JSON that can be imported (all branches, unless ?branch names one).',
    query: z.object({
      format: z.enum(['md', 'json', 'html']).optional().describe('default: md'),
      branch: z.string().max(64).optional().describe('the last message of the branch to export'),
      lang: z
        .string()
        .regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/)
        .max(35)
        .optional()
        .describe('language of headings and labels: en or zh'),
      print: z.enum(['1']).optional().describe('with format=html: shows the page, which then prints itself'),
    }),
    scoped: true,
    gives: ['bytes'],
    answers: { 200: 'the file', 404: 'SessionNotFound, MessageNotFound' },
  },
  'POST /ai/sessions/import': {
    access: { on: 'workspace', right: 'write' },
    summary:
      'Imports an export of Troupe, ChatGPT, Claude, LibreChat, or Open WebUI: a zip or JSON file of at most 2 GiB, sent as raw bytes. Returns lines of JSON: {progress} while it works, then {report} or {error}.',
    body: 'upload',
    scoped: true,
    gives: ['bytes'],
    answers: {
      200: 'lines of {progress: {bytes, of, sessions}}, then {report: {sessions, problems}} or {error}',
      413: 'BodyTooLarge',
    },
  },
})

const webAddress = z.url({ protocol: /^https?$/ }).max(2000)

const bucketFields = {
  endpoint: webAddress.describe('the address of the S3-compatible service'),
  region: z.string().min(1).max(100).describe('such as eu-central-1, or auto'),
  bucket: z.string().min(1).max(200),
  prefix: z.string().max(500).optional().describe('the start of every name, such as chats/'),
  accessKeyId: z.string().min(1).max(500),
  secretAccessKey: z.string().min(1).max(500),
}

/** The folder or bucket that chats are published to. Part of `config.json`. */
export const publishSchema = z.strictObject({
  folder: z.string().min(1).max(4000).optional().describe('an absolute path'),
  bucket: z.strictObject(bucketFields).optional(),
  url: webAddress.optional().describe('the public address of the folder or bucket, to make links'),
})
export type PublishSettings = z.infer<typeof publishSchema>

const { secretAccessKey, ...shownBucket } = bucketFields

const targetSchema = z.object({
  folder: z.string().optional(),
  bucket: z.object({ ...shownBucket, hasKey: z.boolean() }).optional(),
  url: z.string().optional(),
})
export type PublishTarget = z.infer<typeof targetSchema>

const publishedSchema = z.object({
  name: z.string().describe('the file name, which cannot be guessed'),
  place: z.string().describe('the path of the file, or its place in the bucket'),
  url: z.string().nullable().describe('the link, if a public address is configured'),
  publishedAt: z.number(),
})
export type PublishedChat = z.infer<typeof publishedSchema>

const shown = z.object({
  published: publishedSchema.nullable().describe('the page in the current folder or bucket'),
  elsewhere: z.array(publishedSchema).describe('pages in folders and buckets of earlier settings'),
})

const pageSchema = publishedSchema.extend({
  sessionId: z.string(),
  title: z.string().nullable().describe('null after the session was deleted'),
})
export type PublishedPage = z.infer<typeof pageSchema>

export const publishEndpoints = endpoints({
  'GET /ai/publish': {
    access: { on: 'organization', right: 'read' },
    summary: 'Returns where chats are published. Never returns a secret key.',
    answers: { 200: z.object({ target: targetSchema.nullable() }) },
  },
  'PUT /ai/publish': {
    access: { on: 'organization', right: 'manage' },
    summary:
      'Sets where chats are published: a folder or a bucket. An omitted secret key stays if endpoint and key id stay the same. Null removes the setting; published files stay.',
    body: z.strictObject({
      target: publishSchema
        .extend({
          bucket: z.strictObject({ ...shownBucket, secretAccessKey: secretAccessKey.optional() }).optional(),
        })
        .nullable(),
    }),
    answers: { 200: z.object({ target: targetSchema.nullable() }), 400: 'BadRequest' },
  },
  'GET /ai/publish/pages': {
    access: { on: 'organization', right: 'manage' },
    summary: 'Lists all published pages, also those in places of earlier settings and of deleted sessions.',
    answers: { 200: z.object({ pages: z.array(pageSchema) }) },
  },
  'DELETE /ai/publish/pages/:name': {
    access: { on: 'organization', right: 'manage' },
    summary: 'Deletes a published page where it was published. `forget=1` only removes it from the list.',
    query: z.strictObject({ forget: z.literal('1').optional() }),
    answers: {
      200: z.object({ deleted: z.string() }),
      404: 'PageNotFound',
      409: 'PublishTargetUnknown',
      502: 'PublishFailed',
    },
  },
  'GET /ai/sessions/:id/publish': {
    access: { on: 'session', right: 'read' },
    summary: 'Returns the published pages of a session.',
    scoped: true,
    answers: { 200: shown, 404: 'SessionNotFound' },
  },
  'POST /ai/sessions/:id/publish': {
    access: { on: 'session', right: 'manage' },
    summary: 'Publishes a branch of a session as an HTML page, or replaces the published page under the same link.',
    body: z.strictObject({
      branch: z.string().max(64).optional().describe('the last message of the branch'),
      lang: z.string().max(35).optional(),
    }),
    scoped: true,
    answers: { 200: shown, 404: 'SessionNotFound, MessageNotFound', 409: 'NoPublishTarget', 502: 'PublishFailed' },
  },
  'DELETE /ai/sessions/:id/publish': {
    access: { on: 'session', right: 'manage' },
    summary: 'Deletes the published pages of a session, wherever they were published.',
    scoped: true,
    answers: { 200: shown, 404: 'SessionNotFound', 409: 'PublishTargetUnknown', 502: 'PublishFailed' },
  },
})
