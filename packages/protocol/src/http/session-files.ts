import { z } from 'zod'
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

const messageIdSchema = z.string().min(1).max(64)

const branchChangesSchema = z.object({
  files: z
    .array(z.string())
    .describe('changed, created, and removed files, each once; relative to the workspace if inside it'),
  commands: z.number().describe('commands that may have changed other files'),
})
export type BranchChanges = z.infer<typeof branchChangesSchema>

export const changeEndpoints = endpoints({
  'GET /ai/sessions/:id/changes': {
    summary:
      'Lists files that a branch changed, including its sub-agents, and counts commands that may have changed others. ?leaf ends the branch (default: the newest). ?after names the message to start after.',
    query: z.object({ leaf: messageIdSchema.optional(), after: messageIdSchema.optional() }),
    scoped: true,
    answers: { 200: branchChangesSchema, 404: 'SessionNotFound, MessageNotFound' },
  },
})
