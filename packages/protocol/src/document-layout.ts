import { z } from 'zod'

const pointsSchema = z.number().min(-2000).max(5000)
const colorSchema = z.string().regex(/^#[0-9a-f]{6}$/)

/** Text with one formatting, or a picture. */
const runSchema = z.object({
  text: z.string(),
  isBold: z.boolean().optional(),
  isItalic: z.boolean().optional(),
  isUnderlined: z.boolean().optional(),
  isStruck: z.boolean().optional(),
  isCaps: z.boolean().optional(),
  script: z.enum(['super', 'sub']).optional(),
  size: z.number().min(1).max(400).optional().describe('in points'),
  font: z.string().max(100).optional(),
  color: colorSchema.optional(),
  shade: colorSchema.optional().describe('the background'),
  link: z.string().max(4000).optional().describe('an http, https or mailto address'),
  change: z.enum(['inserted', 'deleted']).optional(),
  author: z.string().optional().describe('of the change'),
  note: z.string().optional().describe('ID of a footnote or endnote that is referred to here'),
  comments: z.array(z.string()).optional().describe('IDs of comments about this text'),
  picture: z
    .object({
      data: z.string().optional().describe('a data URL; absent if it cannot be shown'),
      alt: z.string(),
      width: pointsSchema.optional(),
      height: pointsSchema.optional(),
    })
    .optional(),
})
export type LayoutRun = z.infer<typeof runSchema>

const paragraphSchema = z.object({
  kind: z.literal('paragraph'),
  number: z.number().describe('as in [¶ 12]'),
  heading: z.number().min(1).max(9).optional(),
  align: z.enum(['start', 'center', 'end', 'justify']).optional(),
  indent: pointsSchema.optional(),
  firstLine: pointsSchema.optional().describe('further indent of the first line; negative: hanging'),
  before: pointsSchema.optional(),
  after: pointsSchema.optional(),
  lineHeight: z.number().min(0.5).max(5).optional().describe('as a factor'),
  label: z.string().optional().describe('of a list item: "2.", "•"'),
  isRightToLeft: z.boolean().optional(),
  startsPage: z.boolean().optional(),
  shade: colorSchema.optional(),
  runs: z.array(runSchema),
})
export type LayoutParagraph = z.infer<typeof paragraphSchema>

export interface LayoutCell {
  columns: number
  rows: number
  shade?: string | undefined
  blocks: LayoutBlock[]
}

export interface LayoutTable {
  kind: 'table'
  number: number
  hasLines: boolean
  /** Widths of the columns in points. */
  widths: number[]
  rows: { isHead?: boolean | undefined; cells: LayoutCell[] }[]
}

export type LayoutBlock = LayoutParagraph | LayoutTable

const cellSchema: z.ZodType<LayoutCell> = z.object({
  columns: z.number().int().min(1).max(100),
  rows: z.number().int().min(1).max(100_000),
  shade: colorSchema.optional(),
  blocks: z.array(z.lazy(() => blockSchema)),
})

const tableSchema = z.object({
  kind: z.literal('table'),
  number: z.number(),
  hasLines: z.boolean(),
  widths: z.array(z.number()),
  rows: z.array(z.object({ isHead: z.boolean().optional(), cells: z.array(cellSchema) })),
})

const blockSchema: z.ZodType<LayoutBlock> = z.union([paragraphSchema, tableSchema])

/** A part of a text document with its formatting. */
export const documentLayoutSchema = z.object({
  page: z.object({ width: pointsSchema, margin: pointsSchema }).describe('in points'),
  blocks: z.array(blockSchema),
  notes: z
    .array(z.object({ id: z.string(), label: z.string(), blocks: z.array(blockSchema) }))
    .describe('footnotes and endnotes of this part'),
  comments: z
    .array(
      z.object({
        id: z.string(),
        author: z.string(),
        date: z.string().optional(),
        isResolved: z.boolean(),
        text: z.string(),
      }),
    )
    .describe('about this part'),
})
export type DocumentLayout = z.infer<typeof documentLayoutSchema>
