import { Buffer } from 'node:buffer'
import path from 'node:path'
import type { Display } from '@troupe/protocol'
import { z } from 'zod'
import { changeFile } from '../files/change-file.ts'
import { findProject } from '../files/project-folder.ts'
import { resolvePath } from '../files/resolve-path.ts'
import { changeTasks, type ProjectTask, readTasks, taskFile } from '../files/task-file.ts'
import { decodeText, detectFormat, encodeText, utf8Format } from '../text/encoding.ts'
import { defineTool, withModelText } from '../tool/tool.ts'

const status = z.enum(['open', 'started', 'done'])

export default defineTool({
  description: `Reads and changes the task list of a project, ${taskFile} in its folder. People edit this file, too. Without "add" and "change" it only reads. To plan your own work, use TodoWrite.`,
  input: z.strictObject({
    project: z.string().describe('Id, name or folder. Default: the project of this chat, or the workspace').optional(),
    add: z.array(z.string().min(1).max(500)).max(100).describe('Texts of new tasks').optional(),
    change: z
      .array(
        z.strictObject({
          task: z.union([z.int().positive(), z.string().min(1)]).describe('Number or text of the task'),
          status: status.optional(),
          text: z.string().min(1).max(500).optional(),
          remove: z.boolean().optional(),
        }),
      )
      .max(100)
      .optional(),
  }),
  readOnly: false,
  deferred: true,
  group: 'project',
  needsApproval: ({ add, change }) => (add ?? []).length + (change ?? []).length > 0,
  title: ({ add, change }) => ((add ?? []).length + (change ?? []).length > 0 ? 'Change tasks' : 'Read tasks'),
  permission: ({ add = [], change = [] }) => ({
    title: 'Change the tasks of a project',
    summary: [...add, ...change.map(({ task }) => String(task))].join(', ').slice(0, 200),
  }),
  async execute({ project: wanted, add = [], change = [] }, ctx) {
    const folder =
      wanted === undefined && ctx.project === undefined ? ctx.workspace.path : (await findProject(ctx, wanted)).path
    const isRead = add.length + change.length === 0
    const target = resolvePath(ctx, path.join(folder, taskFile), { for: isRead ? 'read' : 'write' })
    let text = ''
    // Computed from the file as it is now, under its lock, so changes of others are never lost.
    const changed = await changeFile(ctx, target, (before) => {
      const format = before === undefined ? utf8Format : detectFormat(before.bytes)
      text = before === undefined ? '' : decodeText(before.bytes, format)
      if (isRead) return undefined
      text = changeTasks(text, { add, change })
      const bytes = before === undefined ? Buffer.from(text) : encodeText(text, format)
      return before?.bytes.equals(bytes) === true ? undefined : { bytes, format, known: 'all' }
    })
    const tasks = readTasks(text)
    return withModelText({ ...changed, tasks }, `${target.shown}\n${tasks.map(line).join('\n') || 'No tasks.'}`)
  },
  display: ({ tasks, ...changed }) => ({
    title: 'Tasks',
    summary: `${tasks.filter(({ status: now }) => now === 'done').length} of ${tasks.length} done`,
    ...(changed.added + changed.removed > 0 && { content: { kind: 'diff', ...changed } satisfies Display }),
  }),
})

function line({ number, text, status: now }: ProjectTask): string {
  return `${number}. [${{ open: ' ', started: '/', done: 'x' }[now]}] ${text}`
}
