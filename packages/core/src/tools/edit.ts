import { Buffer } from 'node:buffer'
import type { Display } from '@troupe/protocol'
import { z } from 'zod'
import {
  approvalDiff,
  type ChangedFile,
  changeFile,
  changeMessage,
  findPlaceholder,
  type NewContent,
  type PlanChange,
  previewChange,
} from '../files/change-file.ts'
import { fileKind, headLength } from '../files/file-kind.ts'
import { missingFileMessage } from '../files/missing-file.ts'
import { type ResolvedPath, resolvePath } from '../files/resolve-path.ts'
import { makesPart, notInPart, reduceChange, replacedTexts } from '../files/reduce-change.ts'
import { isCurrent, requireRead, type Snapshot } from '../files/snapshot.ts'
import { previewNote } from '../page/artifacts.ts'
import { planEdit } from '../text/edit-text.ts'
import { detectFormat, utf8Format } from '../text/encoding.ts'
import { defineTool, type ToolContext, withModelText } from '../tool/tool.ts'

const inputSchema = z.object({
  file_path: z.string().describe('Absolute, or relative to the working directory'),
  old_string: z.string().describe('The text to replace'),
  new_string: z.string().describe('The complete replacement text'),
  replace_all: z.boolean().describe('Replace every occurrence').default(false),
})
type EditInput = z.infer<typeof inputSchema>

export default defineTool({
  description: `Replaces text in a file that you have read. "old_string" must match the file exactly, without the line numbers that Read adds, and must occur only once: include more surrounding lines, or set "replace_all". An empty "old_string" creates a file.`,
  input: inputSchema,
  readOnly: false,
  group: 'file-write',
  touches: ({ file_path }) => [{ kind: 'write', path: file_path }],
  title: ({ file_path }) => `Edit ${file_path}`,
  permission: ({ file_path, old_string, new_string }) => ({
    title: 'Edit a file',
    summary: file_path,
    content: {
      kind: 'diff',
      path: file_path,
      change: old_string === '' ? 'created' : 'changed',
      diff: [...prefixLines('-', old_string), ...prefixLines('+', new_string)].join('\n'),
      added: prefixLines('+', new_string).length,
      removed: prefixLines('-', old_string).length,
    } satisfies Display,
  }),
  validate({ file_path, old_string, new_string }) {
    if (old_string === new_string) return 'old_string and new_string are identical, so there is nothing to change.'
    if (file_path.endsWith('.ipynb') && old_string !== '') return 'Use NotebookEdit to change notebook cells.'
    const placeholder = findPlaceholder(new_string, old_string)
    if (placeholder === undefined) return undefined
    return `new_string contains the placeholder "${placeholder}" instead of code. Write out the full text, or edit only the part that changes.`
  },
  async preview(input, ctx) {
    const { target, work } = planFileEdit(input, ctx)
    return approvalDiff(await previewChange(ctx, target, work))
  },
  async reduce(input, accepted, ctx) {
    const { target, work } = planFileEdit(input, ctx)
    const { part, ...counts } = await reduceChange(ctx, target, work, accepted)
    if (part === undefined) return { input, ...counts }
    for (const { old, now } of replacedTexts(part)) {
      const reduced = { ...input, old_string: old, new_string: now, replace_all: false }
      // A text that is not unique needs more lines around it.
      const isExact = await makesPart(part, planFileEdit(reduced, ctx).work).catch(() => false)
      if (isExact) return { input: reduced, ...counts }
    }
    throw new Error(notInPart)
  },
  async execute(input, ctx) {
    const { target, work, report: told } = planFileEdit(input, ctx)
    const changed = await changeFile(ctx, target, work, { isExact: true })
    const { found, note } = told()
    const shown = await previewNote(target.path, ctx)
    const notes = [found > 1 && `Replaced ${found} occurrences.`, note, shown].filter((one) => typeof one === 'string')
    const output: EditOutput = { ...changed, places: found, note }
    return withModelText(output, changeMessage(target.shown, changed, notes.length === 0 ? undefined : notes.join(' ')))
  },
  display: ({ places: _, note: __, ...changed }) => ({
    title: `${changed.change === 'created' ? 'Create' : 'Edit'} ${changed.path}`,
    summary: `+${changed.added} -${changed.removed}`,
    content: { kind: 'diff', ...changed } satisfies Display,
  }),
})

const staleNote = 'The file had changed since you read it. Read it again before you make more changes.'

interface PlannedEdit {
  target: ResolvedPath
  work: PlanChange
  /** Available once the edit is done. */
  report(): { found: number; note: string | undefined }
}

function planFileEdit({ file_path, old_string, new_string, replace_all }: EditInput, ctx: ToolContext): PlannedEdit {
  const target = resolvePath(ctx, file_path, { for: 'write' })
  const { path: real, shown } = target
  let found = 0
  let note = (): string | undefined => undefined
  const work = async (before: Snapshot | undefined): Promise<NewContent> => {
    if (old_string === '') {
      if (before !== undefined) {
        throw new Error(
          `${shown} already exists. Give the text to replace in old_string, or use Write to replace the whole file.`,
        )
      }
      return { bytes: Buffer.from(new_string), format: utf8Format, known: 'all' }
    }
    if (before === undefined) throw new Error(missingFileMessage(target, ctx.state))
    requireRead(ctx.state, real, shown)
    if (fileKind(before.bytes.subarray(0, headLength)).kind !== 'text') throw new Error(`${shown} is not a text file.`)
    // An exact match is always safe. Fuzzy matching in a file the agent has not seen is not.
    let isKnown: boolean | undefined
    const mayLookAgain = (): boolean => (isKnown ??= isCurrent(ctx.state, real, before))
    const format = detectFormat(before.bytes)
    const wanted = { oldText: old_string, newText: new_string, all: replace_all }
    const plan = await planEdit(before.bytes, format, wanted, { mayLookAgain })
    found = plan.replacements.length
    note = () => (mayLookAgain() ? plan.note : staleNote)
    return { replacements: plan.replacements, format, known: () => (mayLookAgain() ? 'as-before' : 'part') }
  }
  return { target, work, report: () => ({ found, note: note() }) }
}

interface EditOutput extends ChangedFile {
  places: number
  /** Explains how the text was found if it did not match exactly. */
  note?: string
}

function prefixLines(mark: string, text: string): string[] {
  return text === ''
    ? []
    : text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => mark + line)
}
