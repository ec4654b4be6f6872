import { z } from 'zod'
import { resolvePath } from '../files/resolve-path.ts'
import { commandTask } from '../shell/command-task.ts'
import { refuseTooMany } from '../shell/create-task.ts'
import { lookAt, lookDisplay, lookText, type TaskLook } from '../shell/look-at.ts'
import { beginCommand } from '../shell/run-command.ts'
import type { Task } from '../shell/tasks.ts'
import { startTerminal } from '../shell/terminal.ts'
import { workingFolder } from '../shell/working-folder.ts'
import { defineTool, type ToolContext } from '../tool.ts'

const mostMs = 600_000
const quietMs = 150
const side = z.int().min(1).max(1000)

const inputSchema = z.object({
  cmd: z.string().min(1).describe('What bash runs'),
  tty: z.boolean().describe('In a terminal (default), or with plain pipes').default(true),
  yield_time_ms: z
    .number()
    .nonnegative()
    .describe('How long to wait for output before returning; 10000 by default')
    .optional(),
  yieldTimeMs: z.number().nonnegative().describe('The same as yield_time_ms').optional(),
  cols: side.default(120),
  rows: side.default(40),
  workdir: z.string().describe('Where to run it, instead of the working directory').optional(),
})
type Input = z.infer<typeof inputSchema>

export default defineTool({
  description: `Starts a command in a terminal and returns what it prints. If it still runs by then, a session_id comes back: WriteStdin sends it input and reads on. It returns early when the command ends or its output settles at a prompt.
For what asks questions or stays open: REPLs, debuggers, ssh, installers. At most 16 sessions at a time; end those you no longer need.`,
  input: inputSchema,
  readOnly: false,
  group: 'shell',
  title: ({ cmd }) => cmd,
  permission: ({ cmd, workdir }) => ({
    title: 'Run a command in a terminal',
    ...(workdir !== undefined && { summary: `In ${workdir}` }),
    content: cmd,
  }),
  async execute(input, ctx): Promise<TaskLook & { notes: string[] }> {
    refuseTooMany(ctx.state.tasks, 'terminal')
    const notes: string[] = []
    const task = await start(input, ctx, notes)
    const ms = Math.min(input.yield_time_ms ?? input.yieldTimeMs ?? 10_000, mostMs)
    await task.settled({ ms, quietMs, from: 0, signal: ctx.signal })
    if (ctx.signal.aborted) {
      await task.stop()
      ctx.signal.throwIfAborted()
    }
    const look = lookAt(task, 0)
    task.seen = look.next
    return { ...look, notes }
  },
  toModel: (output) => [lookText(output, 'terminal'), ...output.notes, ...nextStep(output)].join('\n'),
  display: (output) => lookDisplay(output),
})

async function start({ cmd, tty, cols, rows, workdir }: Input, ctx: ToolContext, notes: string[]): Promise<Task> {
  if (cmd.includes('\0')) throw new Error('The command has a NUL character in it, which no command can have.')
  const cwd = workdir === undefined ? workingFolder(ctx.state, notes) : folderOf(workdir, ctx)
  if (tty) return startTerminal(cmd, ctx, { cols, rows, cwd }, notes)
  const { started, mark, startedAt, go } = await beginCommand(cmd, ctx, notes, { stdin: 'pipe', cwd })
  const task = commandTask({ ctx, command: cmd, started, mark, startedAt, kind: 'terminal' })
  ctx.state.tasks.add(task)
  await go()
  return task
}

function folderOf(workdir: string, ctx: ToolContext): string {
  const { path, stats } = resolvePath(ctx, workdir, { for: 'read' })
  if (stats?.isDirectory() !== true) throw new Error(`"${workdir}" is not a folder, so nothing can run in it.`)
  return path
}

function nextStep({ status, task_id: id }: TaskLook): string[] {
  return status === 'running'
    ? [`Go on with WriteStdin {"session_id": "${id}"}: "chars" to type, none to wait, "end": true to end it.`]
    : []
}
