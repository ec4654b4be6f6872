import { Buffer } from 'node:buffer'
import type { Display } from '@troupe/protocol'
import { z } from 'zod'
import {
  approvalDiff,
  changeFile,
  changeMessage,
  findPlaceholder,
  type PlanChange,
  previewChange,
} from '../files/change-file.ts'
import { fileKind, headLength } from '../files/file-kind.ts'
import { type ResolvedPath, resolvePath } from '../files/resolve-path.ts'
import { makesPart, notInPart, reduceChange } from '../files/reduce-change.ts'
import { requireFullyRead } from '../files/snapshot.ts'
import { previewFile, previewNote } from '../page/artifacts.ts'
import { decodeText, detectFormat, encodeText, utf8Format } from '../text/encoding.ts'
import { textUnits } from '../text/text-edit.ts'
import { defineTool, type ToolContext, withModelText } from '../tool/tool.ts'

export default defineTool({
  description: `Writes a whole file and creates missing parent folders. Replaces an existing file, so read all of it first. Line endings and encoding are kept. To change part of a file, use Edit.`,
  input: z.object({
    file_path: z.string().describe('Absolute, or relative to the working directory'),
    content: z.string().describe('The full content of the file'),
  }),
  readOnly: false,
  group: 'file-write',
  touches: ({ file_path }) => [{ kind: 'write', path: file_path }],
  title: ({ file_path }) => `Write ${file_path}`,
  permission: ({ file_path, content }) => ({
    title: 'Write a file',
    summary: file_path,
    content: {
      kind: 'file',
      path: file_path,
      text: content,
      from: 1,
      lines: content.split('\n').length,
      more: false,
    } satisfies Display,
  }),
  async preview(input, ctx) {
    const { target, work } = planWrite(input, ctx)
    return approvalDiff(await previewChange(ctx, target, work))
  },
  async reduce(input, accepted, ctx) {
    const { target, work } = planWrite(input, ctx)
    const { part, ...counts } = await reduceChange(ctx, target, work, accepted)
    if (part === undefined) return { input, ...counts }
    const reduced = { ...input, content: decodeText(part.bytes, part.format) }
    if (!(await makesPart(part, planWrite(reduced, ctx).work))) throw new Error(notInPart)
    return { input: reduced, ...counts }
  },
  async execute(input, ctx) {
    const { target, work } = planWrite(input, ctx)
    let isSame = false
    const changed = await changeFile(ctx, target, async (before) => {
      const content = await work(before)
      isSame = content === undefined
      return content
    })
    const { shown } = target
    const note = previewFile.test(target.path) ? await previewNote(target.path, ctx) : undefined
    const text = isSame
      ? `${shown} already has this content. Nothing was changed.`
      : changeMessage(shown, changed, note)
    return withModelText(changed, text)
  },
  display: (changed) => ({
    title: `${changed.change === 'created' ? 'Create' : 'Write'} ${changed.path}`,
    summary: `+${changed.added} -${changed.removed}`,
    content: { kind: 'diff', ...changed } satisfies Display,
  }),
})

function planWrite(
  { file_path, content }: { file_path: string; content: string },
  ctx: ToolContext,
): { target: ResolvedPath; work: PlanChange } {
  if (/[/\\]$/.test(file_path)) throw new Error(`"${file_path}" is a folder. Give a file path.`)
  const target = resolvePath(ctx, file_path, { for: 'write' })
  const { path: real, shown } = target
  return {
    target,
    work(before) {
      if (before === undefined) {
        refusePlaceholder(content, '')
        return { bytes: Buffer.from(content), format: utf8Format, known: 'all' }
      }
      requireFullyRead(ctx.state, real, shown, before)
      const isText = fileKind(before.bytes.subarray(0, headLength)).kind === 'text'
      const format = isText ? detectFormat(before.bytes) : utf8Format
      const file = textUnits(before.bytes, format)
      refusePlaceholder(content, file.decode())
      const text = isText ? withEndingsOf(file.units(), content.replace(/^\ufeff/, '')) : content
      const bytes = encodeText(text, format)
      return bytes.equals(before.bytes) ? undefined : { bytes, format, known: 'all' }
    },
  }
}

function refusePlaceholder(content: string, before: string): void {
  const placeholder = findPlaceholder(content, before)
  if (placeholder === undefined) return
  throw new Error(
    `The content contains the placeholder "${placeholder}" instead of code. Write the full content, or use Edit.`,
  )
}

/** Keeps the most common line ending of the old text. A text without line endings decides nothing. */
function withEndingsOf(before: string, content: string): string {
  const feeds = before.split('\n').length - 1
  if (feeds === 0) return content
  const plain = content.replaceAll('\r\n', '\n')
  const returns = before.split('\r\n').length - 1
  return returns * 2 > feeds || (returns * 2 === feeds && before.indexOf('\r\n') < before.search(/(?<!\r)\n/))
    ? plain.replaceAll('\n', '\r\n')
    : plain
}
