import { z } from 'zod'
import { endpoints } from './endpoint.ts'

const kindSchema = z.enum(['html', 'svg', 'markdown', 'csv', 'mermaid', 'jsx'])

const artifactSchema = z.object({
  id: z.string().describe('stable: from the page’s id or title, or from the file’s path'),
  title: z.string().describe('the title of its newest version'),
  kind: kindSchema,
  path: z.string().describe('the file of its newest version'),
  versions: z.number(),
  updatedAt: z.number(),
})
export type Artifact = z.infer<typeof artifactSchema>

const versionSchema = z.object({
  version: z.number().describe('from 1'),
  title: z.string(),
  path: z.string(),
  size: z.number().describe('bytes'),
  messageId: z.string().describe('the answer that made it'),
  toolCallId: z.string(),
  createdAt: z.number(),
})
export type ArtifactVersionInfo = z.infer<typeof versionSchema>

const versionNumber = z.coerce.number().int().min(1)
const artifactId = z.string().min(1).max(100)

export const artifactEndpoints = endpoints({
  'GET /ai/sessions/:id/artifacts': {
    summary: 'Lists the pages, drawings and documents that the session’s tools wrote, newest first.',
    scoped: true,
    answers: { 200: z.object({ artifacts: z.array(artifactSchema) }), 404: 'SessionNotFound' },
  },
  'GET /ai/sessions/:id/artifact': {
    summary: 'Returns one artifact with all its versions, by ?artifact or by the ?path of any of its files.',
    query: z.object({ artifact: artifactId.optional(), path: z.string().max(4096).optional() }),
    scoped: true,
    answers: {
      200: z.object({ artifact: artifactSchema, versions: z.array(versionSchema) }),
      404: 'SessionNotFound, ArtifactNotFound',
    },
  },
  'GET /ai/sessions/:id/artifact/version': {
    summary: 'Returns the content of a version.',
    query: z.object({ artifact: artifactId, version: versionNumber }),
    scoped: true,
    answers: {
      200: z.object({ version: versionSchema.extend({ kind: kindSchema, text: z.string() }) }),
      404: 'SessionNotFound, ArtifactNotFound',
      410: 'VersionGone',
    },
  },
  'GET /ai/sessions/:id/artifact/diff': {
    summary: 'Compares two versions of an artifact.',
    query: z.object({ artifact: artifactId, from: versionNumber, to: versionNumber }),
    scoped: true,
    answers: {
      200: z.object({
        diff: z.string().describe('unified hunks without file headers'),
        added: z.number(),
        removed: z.number(),
        cut: z.boolean().optional().describe('true if the diff was too long'),
      }),
      404: 'SessionNotFound, ArtifactNotFound',
      410: 'VersionGone',
    },
  },
  'POST /ai/print': {
    summary:
      'Prints an HTML page as PDF, or takes a picture of it, with the server’s Chromium. The page has no network.',
    body: z.object({
      html: z.string().min(1).max(20_000_000),
      as: z.enum(['pdf', 'png']),
      width: z.number().int().min(200).max(4000).optional().describe('of the picture, in pixels; default 1200'),
      dark: z.boolean().optional(),
    }),
    gives: ['bytes'],
    answers: {
      200: 'the PDF or PNG',
      429: 'PrintersBusy',
      500: 'PrintFailed',
      503: 'NoChromium',
      504: 'PrintTimeout',
    },
  },
})
