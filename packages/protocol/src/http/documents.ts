import { z } from 'zod'
import { endpoints } from './endpoint.ts'

const partSchema = z.object({
  pages: z.string().optional(),
  sheet: z.string().optional(),
  range: z.string().optional(),
  offset: z.number().optional(),
  limit: z.number().optional(),
})
export type DocumentPartQuery = z.infer<typeof partSchema>

const cellSchema = z.object({
  column: z.number().describe('from 1'),
  text: z.string().describe('as displayed'),
  formula: z.string().optional(),
  isNumber: z.boolean().optional(),
})

const cellsSchema = z.object({
  sheets: z.array(z.object({ name: z.string(), isHidden: z.boolean() })),
  sheet: z.string(),
  rows: z.number().optional().describe('extent of the sheet; only without ?range'),
  columns: z.number().optional(),
  read: z.array(
    z.object({ number: z.number().describe('from 1'), isHidden: z.boolean().optional(), cells: z.array(cellSchema) }),
  ),
  nextRow: z.number().optional().describe('first row that was left out, because the answer is full'),
  merged: z.array(z.object({ top: z.number(), left: z.number(), bottom: z.number(), right: z.number() })),
})
export type SheetCells = z.infer<typeof cellsSchema>

const documentSchema = z.object({
  format: z.string().describe('such as "docx"'),
  title: z.string().describe('such as "an Excel workbook"'),
  mediaType: z.string(),
  facts: z.string().describe('one line about the document'),
  text: z.string().describe('Markdown'),
  next: partSchema.optional().describe('the part to ask for next; absent at the end'),
  notes: z.array(z.string()).optional(),
  cells: cellsSchema.optional().describe('in answer to ?cells=1'),
})
export type ReadDocument = z.infer<typeof documentSchema>

export const documentEndpoints = endpoints({
  'GET /ai/documents': {
    summary: 'Reads a part of a document as Markdown. ?cells=1 returns cells of a sheet as data, at most 1000 rows.',
    query: z.object({
      path: z.string().max(4096).optional().describe('a file of the workspace'),
      blob: z
        .string()
        .regex(/^[0-9a-f]{64}$/)
        .optional()
        .describe('an attachment, instead of ?path'),
      name: z.string().max(500).optional().describe('of the attachment'),
      pages: z.string().max(200).optional(),
      sheet: z.string().max(200).optional(),
      range: z.string().max(50).optional(),
      offset: z.coerce.number().int().min(1).optional(),
      limit: z.coerce.number().int().min(1).max(100_000).optional(),
      cells: z.literal('1').optional(),
    }),
    scoped: true,
    answers: {
      200: z.object({ document: documentSchema }),
      403: 'OutsideWorkspace',
      404: 'FileNotFound, BlobNotFound',
      422: 'DocumentUnreadable',
    },
  },
})
