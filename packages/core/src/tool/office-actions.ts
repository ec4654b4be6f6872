import { z } from 'zod'

const short = z.string().min(1).max(500)
const long = z.string().max(200_000)
const count = z.int().min(1).max(10_000)
const value = z.union([z.string().max(32_767), z.number(), z.boolean(), z.null()])
const tracked = z.boolean().describe('As a tracked change').optional()
const where = z.enum(['before', 'after', 'start', 'end']).optional()
const sheet = short.describe('Default: the first sheet').optional()
const color = z.string().regex(/^#?[0-9a-fA-F]{6}$/)
const slide = z.int().min(1).max(5000)
const table = z.union([z.int().min(1).max(5000), short]).describe('Number from 1, or text in the table')
const centimeters = z.number().min(0).max(200).describe('cm').optional()
const align = z.enum(['left', 'center', 'right', 'justify']).optional()
const font = {
  bold: z.boolean().optional(),
  italic: z.boolean().optional(),
  underline: z.boolean().optional(),
  color: color.optional(),
  size: z.number().min(1).max(400).describe('pt').optional(),
  font: short.optional(),
}

function action<Name extends string, Shape extends z.ZodRawShape>(name: Name, shape: Shape) {
  return z.object({ action: z.literal(name), ...shape })
}

const paragraphs = {
  at: short.describe('Text of the paragraph, or its start'),
  to: short.describe('Text of the last paragraph').optional(),
}

/** The actions of OfficeExecute. A file takes those of its format. */
export const officeActionSchema = z.discriminatedUnion('action', [
  action('replace_text', {
    find: short,
    replace: long,
    all: z.boolean().optional(),
    ignore_case: z.boolean().optional(),
    tracked,
  }),
  // Documents.
  action('insert', { markdown: long, at: paragraphs.at.optional(), where, tracked }),
  action('delete', { ...paragraphs, tracked }),
  action('move', { ...paragraphs, before: short.optional(), after: short.optional() }),
  action('style', { ...paragraphs, style: short.optional(), align, ...font }),
  action('set_table_cells', {
    table,
    cells: z
      .array(z.object({ row: count, column: count, text: long }))
      .min(1)
      .max(2000),
    tracked,
  }),
  action('insert_table_rows', { table, row: count, rows: z.array(z.array(long).max(200)).min(1).max(1000) }),
  action('delete_table_rows', { table, row: count, count: count.optional() }),
  action('set_header', { markdown: long, pages: z.enum(['default', 'first', 'even']).optional() }),
  action('set_footer', { markdown: long, pages: z.enum(['default', 'first', 'even']).optional() }),
  action('add_footnote', { find: short, text: long }),
  action('add_contents', { at: paragraphs.at.optional(), where, levels: z.int().min(1).max(9).optional() }),
  action('add_comment', { find: short, text: long }),
  action('remove_comments', { text: short.describe('Only those that contain it').optional() }),
  action('review_changes', {
    decision: z.enum(['accept', 'reject']),
    author: short.optional(),
    text: short.describe('Only changes that contain it').optional(),
  }),
  // Workbooks.
  action('set_cells', {
    sheet,
    cell: short.describe('First cell: "B4"'),
    values: z.array(z.array(value).max(5000)).min(1).max(50_000).describe('Rows. "=…" is a formula, null clears'),
  }),
  action('insert_rows', { sheet, row: z.int().min(1).max(1_048_576), count: count.optional() }),
  action('delete_rows', { sheet, row: z.int().min(1).max(1_048_576), count: count.optional() }),
  action('insert_columns', { sheet, column: short, count: count.optional() }),
  action('delete_columns', { sheet, column: short, count: count.optional() }),
  action('add_sheet', { name: short, position: count.optional() }),
  action('rename_sheet', { sheet: short, name: short }),
  action('copy_sheet', { sheet: short, name: short }),
  action('remove_sheet', { sheet: short }),
  action('format_cells', {
    sheet,
    range: short,
    number_format: short.optional(),
    align,
    fill: color.optional(),
    wrap: z.boolean().optional(),
    border: z.boolean().optional(),
    ...font,
  }),
  action('merge_cells', { sheet, range: short, unmerge: z.boolean().optional() }),
  action('freeze', { sheet, cell: short.describe('First cell that scrolls. "A1" unfreezes') }),
  action('column_width', { sheet, columns: short.describe('"A" or "B:D"'), width: z.number().min(0).max(255) }),
  action('conditional_format', {
    sheet,
    range: short,
    rule: z
      .enum(['greater', 'less', 'equal', 'between', 'contains', 'duplicates', 'formula', 'color_scale', 'data_bar'])
      .describe('"formula" and comparisons use "values"'),
    values: z
      .array(z.union([z.string().max(1000), z.number()]))
      .max(2)
      .optional(),
    fill: color.optional(),
    color: color.optional(),
  }),
  action('define_name', { name: short, refers_to: short }),
  action('recalculate', {}),
  // Slides.
  action('fill_placeholder', {
    slide,
    placeholder: short.describe('title, body, subtitle, or a shape name'),
    markdown: long,
  }),
  action('add_slide', {
    layout: short.optional(),
    position: slide.optional(),
    title: long.optional(),
    markdown: long.optional(),
    notes: long.optional(),
  }),
  action('move_slide', { slide, to: slide }),
  action('duplicate_slide', { slide }),
  action('delete_slide', { slide }),
  action('set_notes', { slide, text: long }),
  action('add_image', {
    slide,
    path: short,
    x: centimeters,
    y: centimeters,
    width: centimeters,
    height: centimeters,
    alt: short.optional(),
  }),
  action('add_table', {
    slide,
    rows: z.array(z.array(long).max(50)).min(1).max(200),
    x: centimeters,
    y: centimeters,
    width: centimeters,
  }),
  action('add_chart', {
    sheet,
    slide: slide.optional(),
    type: z.enum(['column', 'bar', 'line', 'pie', 'area', 'scatter']),
    title: short.optional(),
    cell: short.describe('Top left cell on a sheet').optional(),
    categories: z
      .union([short, z.array(z.union([z.string(), z.number()])).max(5000)])
      .describe('Range on a sheet, list on a slide'),
    series: z
      .array(z.object({ name: short.optional(), values: z.union([short, z.array(z.number()).max(5000)]) }))
      .min(1)
      .max(50),
    x: centimeters,
    y: centimeters,
    width: centimeters,
    height: centimeters,
  }),
  action('render', { pages: short.describe('"1-3". Pictures of the result').optional() }),
])

export type OfficeAction = z.infer<typeof officeActionSchema>
export type OfficeActionOf<Name extends OfficeAction['action']> = Extract<OfficeAction, { action: Name }>
