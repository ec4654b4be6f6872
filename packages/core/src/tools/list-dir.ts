import type { Display } from '@troupe/protocol'
import { z } from 'zod'
import { missingFileMessage } from '../files/missing-file.ts'
import { readFolder } from '../files/list-folder.ts'
import { resolvePath, shownPath } from '../files/resolve-path.ts'
import { formatCount } from '../text/format.ts'
import { defineTool, withModelText } from '../tool/tool.ts'

export default defineTool({
  description:
    'Lists a folder as a tree. Entries ignored by version control are omitted unless "all" is set. To find files by name, use Glob.',
  // Strict, because ignoring a misspelled path would list another folder.
  input: z.strictObject({
    path: z.string().describe('Absolute, or relative to the working directory').default('.'),
    depth: z.int().min(1).max(10).describe('How many levels to list').default(2),
    limit: z.int().min(1).max(5000).describe('Maximum number of entries. Higher levels come first').default(200),
    all: z.boolean().describe('Include entries ignored by version control').default(false),
  }),
  readOnly: true,
  deferred: true,
  group: 'file-read',
  touches: ({ path }) => [{ kind: 'read', path }],
  title: ({ path }) => `List ${path}`,
  permission: ({ path }) => ({ title: 'List a folder', summary: path }),
  async execute(input, ctx) {
    const { state } = ctx
    const target = resolvePath(ctx, input.path, { for: 'read' })
    const { path: real, shown, stats } = target
    if (stats === undefined) throw new Error(missingFileMessage(target, state))
    if (!stats.isDirectory()) throw new Error(`${shown} is a file, not a folder. Use Read.`)
    const name = shownPath(real, state.roots[0] ?? real)
    const { output, text } = await readFolder({ real, shown, name }, input, ctx)
    return withModelText(output, text)
  },
  display: ({ path, entries, left }) => ({
    title: `List ${path}`,
    summary: `${formatCount(entries.length, 'entry', 'entries')}${left > 0 ? `, ${left} omitted` : ''}`,
    content: { kind: 'list', path, entries, left } satisfies Display,
  }),
})
