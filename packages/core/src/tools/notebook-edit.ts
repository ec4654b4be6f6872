import { Buffer } from 'node:buffer'
import type { Display } from '@troupe/protocol'
import { z } from 'zod'
import {
  approvalDiff,
  type ChangedFile,
  changeFile,
  hardLinkNote,
  type PlanChange,
  previewChange,
} from '../files/change-file.ts'
import { acceptedLines, fileLines, rejectedExcerpt, requireHunks, staleHunks, toFileBytes } from '../files/hunks.ts'
import { diffBytes, hunksOf, type TextDiff } from '../text/diff.ts'
import { missingFileMessage } from '../files/missing-file.ts'
import { type ResolvedPath, resolvePath } from '../files/resolve-path.ts'
import { isCurrent, requireRead } from '../files/snapshot.ts'
import { decodeText, detectFormat, encodeText, utf8Format } from '../text/encoding.ts'
import { type CellEditResult, editNotebook } from '../text/notebook.ts'
import { defineTool, type ToolContext, withModelText } from '../tool/tool.ts'

const inputSchema = z.object({
  notebook_path: z.string().describe('Absolute, or relative to the working directory'),
  cell_id: z.string().describe('The cell id, as shown by Read').optional(),
  cell_number: z.int().nonnegative().describe('The cell index from 0, instead of cell_id').optional(),
  new_source: z.string().describe('The new source. Not used with delete').default(''),
  cell_type: z.enum(['code', 'markdown']).describe('Default: unchanged, or code for a new cell').optional(),
  edit_mode: z.enum(['replace', 'insert', 'delete']).default('replace'),
})
type NotebookInput = z.infer<typeof inputSchema>

export default defineTool({
  description: `Changes one cell of a Jupyter notebook (.ipynb) that you have read. "replace" sets the source of a cell and clears its outputs; "insert" adds a cell after "cell_id" or at "cell_number"; "delete" removes a cell. Cells are numbered from 0.`,
  input: inputSchema,
  readOnly: false,
  deferred: true,
  listedAfter: { text: '.ipynb' },
  group: 'file-write',
  touches: ({ notebook_path }) => [{ kind: 'write', path: notebook_path }],
  title: ({ notebook_path }) => `Edit ${notebook_path}`,
  permission: ({ notebook_path, edit_mode, cell_id, cell_number, new_source }) => ({
    title: 'Edit a notebook',
    summary: `${edit_mode} cell ${cell_id ?? cell_number ?? 0} of ${notebook_path}`,
    content: {
      kind: 'file',
      path: notebook_path,
      text: new_source,
      from: 1,
      lines: new_source.split('\n').length,
      more: false,
    } satisfies Display,
  }),
  async preview(input, ctx) {
    const { target, work, cell } = planCellEdit(input, ctx)
    const { path } = await previewChange(ctx, target, work)
    return approvalDiff({ path, change: 'changed', ...(await diffCells(cell())) })
  },
  async reduce(input, accepted, ctx) {
    const { target, work, cell } = planCellEdit(input, ctx)
    const { path } = await previewChange(ctx, target, work)
    const { before, after } = cell()
    const { diff, cut } = await diffCells(cell())
    const shown = { path, change: 'changed', diff } as const
    const hunks = hunksOf(shown)
    if (cut === true) throw new Error(staleHunks)
    requireHunks(hunks, accepted)
    const rejected = hunks.filter(({ id }) => !accepted.has(id))
    const counts = {
      accepted: accepted.size,
      total: hunks.length,
      rejected: rejectedExcerpt([{ ...shown, rejected }]),
    }
    if (rejected.length === 0) return { input, ...counts }
    const [old, now] = [before, after].map((text) => fileLines(diffSide(text).bytes, utf8Format))
    const lines = acceptedLines(old!.lines, now!.lines, hunks, ({ id }) => accepted.has(id))
    const source = toFileBytes(old!, lines).toString()
    return { input: { ...input, new_source: after.endsWith('\n') ? source : source.replace(/\n$/, '') }, ...counts }
  },
  async execute(input, ctx) {
    const { target, work, cell } = planCellEdit(input, ctx)
    const changed = await changeFile(ctx, target, work)
    const { number, id, clearedOutputs } = cell()
    const output: NotebookEditOutput = {
      path: changed.path,
      change: 'changed',
      ...(await diffCells(cell())),
      mode: input.edit_mode,
      cell: number,
      cellId: id,
    }
    const verb = { replace: 'Replaced', insert: 'Inserted', delete: 'Deleted' }[input.edit_mode]
    const name = `cell ${number}${id === undefined ? '' : ` (id ${id})`}`
    const notes = [clearedOutputs ? 'Its outputs were cleared.' : undefined, hardLinkNote(changed)]
    return withModelText(
      output,
      [`${verb} ${name} of ${target.shown}.`, ...notes.filter((one) => one !== undefined)].join(' '),
    )
  },
  display: ({ mode, cell, cellId: _, ...changed }) => ({
    title: `Edit ${changed.path}`,
    summary: `${mode} cell ${cell}: +${changed.added} -${changed.removed}`,
    content: { kind: 'diff', ...changed } satisfies Display,
  }),
})

/** The diff covers the source of the cell. */
interface NotebookEditOutput extends ChangedFile {
  mode: 'replace' | 'insert' | 'delete'
  cell: number
  cellId?: string
}

interface PlannedCellEdit {
  target: ResolvedPath
  work: PlanChange
  cell(): CellEditResult
}

function planCellEdit(input: NotebookInput, ctx: ToolContext): PlannedCellEdit {
  const target = resolvePath(ctx, input.notebook_path, { for: 'write' })
  const { path: real, shown } = target
  if (!real.endsWith('.ipynb')) throw new Error(`${shown} is not a notebook (.ipynb). Use Edit.`)
  let cell: CellEditResult | undefined
  return {
    target,
    work(before) {
      if (before === undefined) throw new Error(missingFileMessage(target, ctx.state))
      requireRead(ctx.state, real, shown)
      if (!isCurrent(ctx.state, real, before)) {
        throw new Error(`${shown} has changed since you read it. Read it again: its cells may have moved.`)
      }
      const format = detectFormat(before.bytes)
      const { edit_mode: mode, cell_id: cellId, cell_number: cellNumber, new_source: source, cell_type: type } = input
      cell = editNotebook(decodeText(before.bytes, format), { mode, cellId, cellNumber, source, type }, shown)
      return { bytes: encodeText(cell.text, format), format, known: 'as-before' }
    },
    cell: () => cell as CellEditResult,
  }
}

function diffCells({ before, after }: CellEditResult): Promise<TextDiff> {
  return diffBytes(diffSide(before), diffSide(after))
}

function diffSide(text: string): { bytes: Buffer; format: typeof utf8Format } {
  return { bytes: Buffer.from(text === '' || text.endsWith('\n') ? text : `${text}\n`), format: utf8Format }
}
