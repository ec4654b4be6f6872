import { z } from 'zod'
import { documentLayoutSchema } from '../document-layout.ts'
import { endpoints } from './endpoint.ts'

const fileSchema = z.object({
  path: z.string(),
  kind: z.enum(['text', 'image', 'binary']),
  bytes: z.number().describe('size of the file'),
  text: z.string().optional().describe('for kind "text"'),
  isCut: z.boolean().optional().describe('true if the file is longer than the text'),
})

const previewSchema = z.object({
  path: z.string(),
  kind: z.enum(['html', 'svg', 'markdown', 'csv', 'xlsx', 'mermaid', 'jsx']),
  size: z.number().describe('bytes'),
  text: z.string().optional().describe('for every kind except "xlsx"'),
  base64: z.string().optional().describe('for kind "xlsx"'),
})
export type FilePreview = z.infer<typeof previewSchema>

export const sessionFileEndpoints = endpoints({
  'GET /ai/sessions/:id/file': {
    access: { on: 'session', right: 'read', workspace: 'read' },
    summary: 'Returns the first 2 MiB of a text file of the workspace or of the session. ?raw=1 returns an image.',
    linkable: true,
    query: z.object({
      path: z.string().max(4096).optional(),
      raw: z.literal('1').optional(),
      secret: z.literal('1').optional().describe('the user wants to see a file that may contain secrets'),
    }),
    scoped: true,
    gives: ['json', 'bytes'],
    answers: {
      200: z.object({ file: fileSchema }),
      400: 'BadRequest',
      403: 'SecretFile',
      404: 'SessionNotFound, FileNotFound',
    },
  },
  'GET /ai/sessions/:id/preview': {
    access: { on: 'session', right: 'read', link: true },
    summary: 'Returns a file to preview: HTML, SVG, Markdown, CSV, XLSX, Mermaid, or JSX that the session created.',
    query: z.object({ path: z.string().max(4096).optional() }),
    scoped: true,
    answers: {
      200: z.object({ preview: previewSchema }),
      403: 'OutsideWorkspace, SecretFile',
      404: 'SessionNotFound, FileNotFound',
      413: 'FileTooLarge',
      415: 'NoPreview',
      422: 'InvalidPreview',
    },
  },
})

const artifactKindSchema = z.enum(['html', 'svg', 'markdown', 'csv', 'mermaid', 'jsx'])

const artifactSchema = z.object({
  id: z.string().describe('stable: from the page’s id or title, or from the file’s path'),
  title: z.string().describe('the title of its newest version'),
  kind: artifactKindSchema,
  path: z.string().describe('the file of its newest version'),
  versions: z.number(),
  updatedAt: z.number(),
})
export type Artifact = z.infer<typeof artifactSchema>

const artifactVersionSchema = z.object({
  version: z.number().describe('from 1'),
  title: z.string(),
  path: z.string(),
  size: z.number().describe('bytes'),
  messageId: z.string().describe('the answer that made it'),
  toolCallId: z.string(),
  createdAt: z.number(),
})
export type ArtifactVersionInfo = z.infer<typeof artifactVersionSchema>

const versionNumber = z.coerce.number().int().min(1)
const artifactId = z.string().min(1).max(100)

export const artifactEndpoints = endpoints({
  'GET /ai/sessions/:id/artifacts': {
    access: { on: 'session', right: 'read', workspace: 'read' },
    summary: 'Lists the pages, drawings and documents that the session’s tools wrote, newest first.',
    scoped: true,
    answers: { 200: z.object({ artifacts: z.array(artifactSchema) }), 404: 'SessionNotFound' },
  },
  'GET /ai/sessions/:id/artifact': {
    access: { on: 'session', right: 'read', workspace: 'read' },
    summary: 'Returns one artifact with all its versions, by ?artifact or by the ?path of any of its files.',
    query: z.object({ artifact: artifactId.optional(), path: z.string().max(4096).optional() }),
    scoped: true,
    answers: {
      200: z.object({
        artifact: artifactSchema.nullable().describe('null if no tool of the session wrote it'),
        versions: z.array(artifactVersionSchema),
      }),
      404: 'SessionNotFound',
    },
  },
  'GET /ai/sessions/:id/artifact/version': {
    access: { on: 'session', right: 'read', workspace: 'read' },
    summary: 'Returns the content of a version.',
    query: z.object({
      artifact: artifactId.optional(),
      version: versionNumber.optional().describe('default: the newest'),
    }),
    scoped: true,
    answers: {
      200: z.object({ version: artifactVersionSchema.extend({ kind: artifactKindSchema, text: z.string() }) }),
      404: 'SessionNotFound, ArtifactNotFound',
      410: 'VersionGone',
    },
  },
  'GET /ai/sessions/:id/artifact/diff': {
    access: { on: 'session', right: 'read', workspace: 'read' },
    summary: 'Compares two versions of an artifact.',
    query: z.object({
      artifact: artifactId.optional(),
      from: versionNumber.optional().describe('default: the one before'),
      to: versionNumber.optional().describe('default: the newest'),
    }),
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
    access: { on: 'self', right: 'write' },
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

const documentPartSchema = z.object({
  pages: z.string().optional(),
  sheet: z.string().optional(),
  range: z.string().optional(),
  offset: z.number().optional(),
  limit: z.number().optional(),
})

const sheetCellSchema = z.object({
  column: z.number().describe('from 1'),
  text: z.string().describe('as displayed'),
  formula: z.string().optional(),
  isNumber: z.boolean().optional(),
})

const sheetCellsSchema = z.object({
  sheets: z.array(z.object({ name: z.string(), isHidden: z.boolean() })),
  sheet: z.string(),
  rows: z.number().optional().describe('extent of the sheet; only without ?range'),
  columns: z.number().optional(),
  read: z.array(
    z.object({
      number: z.number().describe('from 1'),
      isHidden: z.boolean().optional(),
      cells: z.array(sheetCellSchema),
    }),
  ),
  nextRow: z.number().optional().describe('first row that was left out, because the answer is full'),
  merged: z.array(z.object({ top: z.number(), left: z.number(), bottom: z.number(), right: z.number() })),
})
export type SheetCells = z.infer<typeof sheetCellsSchema>

const documentSchema = z.object({
  format: z.string().describe('such as "docx"'),
  title: z.string().describe('such as "an Excel workbook"'),
  mediaType: z.string(),
  facts: z.string().describe('one line about the document'),
  text: z.string().describe('Markdown'),
  next: documentPartSchema.optional().describe('the part to ask for next; absent at the end'),
  notes: z.array(z.string()).optional(),
  cells: sheetCellsSchema.optional().describe('in answer to ?cells=1'),
  layout: documentLayoutSchema.optional().describe('in answer to ?layout=1, for Word documents'),
  hasPages: z.boolean().optional().describe('true if GET /ai/documents/pages can show it'),
})
export type ReadDocument = z.infer<typeof documentSchema>

const fileQuery = z.object({
  path: z.string().max(4096).optional().describe('a file of the workspace'),
  blob: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional()
    .describe('an attachment, instead of ?path'),
  name: z.string().max(500).optional().describe('of the attachment'),
})

export const documentEndpoints = endpoints({
  'GET /ai/documents': {
    access: { on: 'workspace', right: 'read' },
    summary:
      'Reads a part of a document as Markdown. ?cells=1 returns cells of a sheet as data, at most 1000 rows. ?layout=1 returns a Word document with its formatting.',
    query: fileQuery.extend({
      pages: z.string().max(200).optional(),
      sheet: z.string().max(200).optional(),
      range: z.string().max(50).optional(),
      offset: z.coerce.number().int().min(1).optional(),
      limit: z.coerce.number().int().min(1).max(100_000).optional(),
      cells: z.literal('1').optional(),
      layout: z.literal('1').optional(),
    }),
    scoped: true,
    answers: {
      200: z.object({ document: documentSchema }),
      403: 'OutsideWorkspace',
      404: 'FileNotFound, BlobNotFound',
      422: 'DocumentUnreadable',
    },
  },
  'GET /ai/documents/pages': {
    access: { on: 'workspace', right: 'read' },
    summary: 'Returns a text document or presentation as PDF, converted with LibreOffice.',
    query: fileQuery,
    scoped: true,
    gives: ['bytes'],
    answers: {
      200: 'the PDF',
      403: 'OutsideWorkspace',
      404: 'FileNotFound, BlobNotFound',
      422: 'NoPages',
    },
  },
  'GET /ai/documents/picture': {
    access: { on: 'workspace', right: 'read' },
    summary: 'Returns a picture that browsers do not show, such as HEIC or TIFF, as PNG or JPEG of up to 1568 pixels.',
    query: fileQuery,
    linkable: true,
    scoped: true,
    gives: ['bytes'],
    answers: {
      200: 'the picture',
      403: 'OutsideWorkspace',
      404: 'FileNotFound, BlobNotFound',
      422: 'DocumentUnreadable',
    },
  },
})
