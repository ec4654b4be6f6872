import type { Display } from '@troupe/protocol'
import { z } from 'zod'
import { changeMessage } from '../files/change-file.ts'
import { imageSize } from '../files/file-kind.ts'
import { type ChangedOffice, changeOffice, pictureNames, previewOffice } from '../office/change-office.ts'
import { type PageImage, pagesOf, storeImages } from '../files/read-file.ts'
import { findLibreOffice, renderOffice } from '../office/libreoffice.ts'
import { printedNote } from '../office/print-document.ts'
import { formatCount } from '../text/format.ts'
import { type OfficeAction, officeActionSchema } from '../tool/office-actions.ts'
import { defineTool, type ToolContext, withModelText } from '../tool/tool.ts'

export default defineTool({
  description: `Creates, edits and converts office files: docx, xlsx, pptx (with their macro and template forms), and through LibreOffice odt, ods, odp, pdf, html, csv, png. Read a file before you change it. All actions of a call apply, in order, or none does; everything they do not concern stays byte for byte.
- A new "path" without "from" is an empty file. "from" starts from another file: a template, or a file to convert ("path": "a.pdf", "from": "a.docx").
- docx: anchors ("at") are the text of a paragraph. "markdown" takes headings, lists, tables, links, pictures, footnotes and <!-- pagebreak -->. Headers and footers also take {PAGE} and {NUMPAGES}. "tracked" records changes for review.
- xlsx: ranges are "B4:D20". Values keep their type; a text that starts with "=" is a formula, and '= is the text.
- pptx: slides count from 1. "markdown" of a placeholder is paragraphs or a list.
- "render" shows pages of the result as pictures. Look at them after larger changes.`,
  input: z.object({
    path: z.string().min(1).describe('The file to write. Absolute, or relative to the working directory'),
    from: z.string().min(1).describe('Start from this file instead').optional(),
    actions: z.array(officeActionSchema).max(500).default([]),
  }),
  readOnly: false,
  deferred: true,
  listedAfter: { text: /\.(doc|xls|ppt|dot|xlt|pot)[xm]\b|\.od[tsp]\b/i },
  group: 'file-write',
  touches: ({ path, from, actions }) => [
    { kind: 'write', path },
    ...(from === undefined ? [] : [{ kind: 'read' as const, path: from }]),
    ...pictureNames(actions).map((name) => ({ kind: 'read' as const, path: name })),
  ],
  title: ({ path, from }) => (from === undefined ? `Edit ${path}` : `Write ${path}`),
  permission: ({ path, actions }) => ({
    title: 'Change an office file',
    summary: `${path}: ${summaryOf(actions)}`,
    content: {
      kind: 'file',
      path,
      text: JSON.stringify(actions, undefined, 2),
      from: 1,
      lines: actions.length,
      more: false,
    } satisfies Display,
  }),
  async preview(input, ctx): Promise<Display | undefined> {
    const { notes: _, ...changed } = await previewOffice(ctx, input)
    return changed.cut === true || changed.diff === '' ? undefined : { kind: 'diff', ...changed }
  },
  validate({ from, actions }) {
    if (from === undefined && actions.length === 0) return 'Give at least one action, or "from" to convert a file.'
    return undefined
  },
  async execute(input, ctx): Promise<OfficeOutput> {
    const { real, ...changed } = await changeOffice(ctx, input)
    const rendered = await renderPages(input.actions, real, ctx)
    const notes = [...changed.notes, ...rendered.notes]
    const output: OfficeOutput = { kind: 'office', ...changed, notes, images: rendered.images }
    return withModelText(output, changeMessage(changed.path, changed, notes.join(' ') || undefined))
  },
  display: ({ kind: _, notes: __, images, ...changed }) => ({
    title: `${changed.change === 'created' ? 'Create' : 'Edit'} ${changed.path}`,
    summary: `+${changed.added} -${changed.removed}`,
    content: { kind: 'diff', ...changed, pages: pagesOf(images) } satisfies Display,
  }),
})

interface OfficeOutput extends ChangedOffice {
  kind: 'office'
  /** Pages of the result, if the call asked for them. */
  images?: PageImage[] | undefined
}

async function renderPages(
  actions: readonly OfficeAction[],
  real: string,
  ctx: ToolContext,
): Promise<{ images?: OfficeOutput['images']; notes: string[] }> {
  const wanted = actions.findLast((action) => action.action === 'render')
  if (wanted === undefined) return { notes: [] }
  try {
    const pages = await renderOffice(ctx, { path: real }, pageRange(wanted.pages))
    const pictures = pages.map(({ number, bytes }) => {
      const { width = 0, height = 0 } = imageSize(bytes, 'image/png') ?? {}
      return { anchor: `p. ${number}`, bytes, mediaType: 'image/png', width, height }
    })
    const isPrinted = findLibreOffice() === undefined && !/\.pdf$/i.test(real)
    const notes = [`Rendered ${formatCount(pages.length, 'page')}.`, ...(isPrinted ? [printedNote] : [])]
    return { ...(await storeImages(pictures, ctx)), notes }
  } catch (error) {
    ctx.signal.throwIfAborted()
    // The file is written already, so a failure to show it is only a note.
    return { notes: [`The pages were not rendered: ${error instanceof Error ? error.message : String(error)}`] }
  }
}

function pageRange(pages = '1-3'): { first: number; last: number } {
  const match = /^\s*(\d+)\s*(?:-\s*(\d+)\s*)?$/.exec(pages)
  if (match === null) throw new Error(`"${pages}" are no pages. Use "2" or "1-3".`)
  const first = Math.max(1, Number(match[1]))
  return { first, last: Math.max(first, Number(match[2] ?? first)) }
}

function summaryOf(actions: readonly OfficeAction[]): string {
  const counts = new Map<string, number>()
  for (const { action } of actions) counts.set(action, (counts.get(action) ?? 0) + 1)
  const shown = [...counts].map(([name, count]) => (count === 1 ? name : `${count} × ${name}`).replaceAll('_', ' '))
  return shown.length === 0 ? 'convert' : shown.join(', ')
}
