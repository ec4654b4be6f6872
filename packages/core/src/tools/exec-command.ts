import { z } from 'zod'
import { leavesSandbox, sandboxAccess, sandboxFields, sandboxText } from '../sandbox/sandbox.ts'
import { readTask, taskDisplay, type TaskOutputView, taskText } from '../shell/task-display.ts'
import { defineTool } from '../tool/tool.ts'

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
  ...sandboxFields,
})

export default defineTool({
  description: `Starts a command in a terminal and returns what it prints. If it still runs by then, a session_id comes back: WriteStdin sends it input and reads on. It returns early when the command ends or its output settles at a prompt.
For what asks questions or stays open: REPLs, debuggers, ssh, installers. At most 16 sessions at a time; end those you no longer need.
${sandboxText}`,
  input: inputSchema,
  readOnly: false,
  deferred: true,
  group: 'shell',
  touches({ cmd: command, workdir: cwd, tty: terminal, ...input }) {
    const access = { kind: 'command' as const, command, terminal, ...sandboxAccess(input) }
    if (cwd === undefined) return [access]
    return [
      { ...access, cwd },
      { kind: 'read', path: cwd },
    ]
  },
  title: ({ cmd }) => cmd,
  permission: ({ cmd, workdir, ...input }) => ({
    title: `Run a command in a terminal${leavesSandbox(input) ? ', outside the sandbox' : ''}`,
    ...(workdir !== undefined && { summary: `In ${workdir}` }),
    content: cmd,
  }),
  async execute(input, ctx): Promise<TaskOutputView & { notes: string[] }> {
    const { startTerminalTask } = await import('../shell/start-task.ts')
    const notes: string[] = []
    const { cmd, tty, cols, rows, workdir } = input
    const task = await startTerminalTask({ command: cmd, tty, cols, rows, workdir }, ctx, notes)
    const ms = Math.min(input.yield_time_ms ?? input.yieldTimeMs ?? 10_000, mostMs)
    await task.settled({ ms, quietMs, from: 0, signal: ctx.signal })
    if (ctx.signal.aborted) {
      await task.stop()
      ctx.signal.throwIfAborted()
    }
    const look = readTask(task, 0)
    task.seen = look.next
    return { ...look, notes }
  },
  toModel: (output) => [taskText(output, 'terminal'), ...output.notes, ...nextStep(output)].join('\n'),
  display: (output) => taskDisplay(output),
})

function nextStep({ status, task_id: id }: TaskOutputView): string[] {
  return status === 'running'
    ? [`Go on with WriteStdin {"session_id": "${id}"}: "chars" to type, none to wait, "end": true to end it.`]
    : []
}
