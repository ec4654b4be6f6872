import { z } from 'zod'
import { leavesSandbox, sandboxAccess, sandboxFields, sandboxText } from '../sandbox/sandbox.ts'
import { readTask, taskDisplay, type TaskOutputView, taskText } from '../shell/task-display.ts'
import { defineTool } from '../tool/tool.ts'

const mostMs = 600_000
const quietMs = 150
const side = z.int().min(1).max(1000)

const inputSchema = z.object({
  cmd: z.string().min(1).describe('The bash command to run'),
  tty: z.boolean().describe('Use a terminal (default) or plain pipes').default(true),
  yield_time_ms: z
    .number()
    .nonnegative()
    .describe('How long to wait for output before returning. Default 10000')
    .optional(),
  yieldTimeMs: z.number().nonnegative().describe('Alias of yield_time_ms').optional(),
  cols: side.default(120),
  rows: side.default(40),
  workdir: z.string().describe('Folder to run in. Default: the working directory').optional(),
  ...sandboxFields,
})

export default defineTool({
  description: `Starts a command in a terminal and returns its output. If it is still running, a session_id is returned; use WriteStdin to send input and read more. Returns early when the command ends or its output settles at a prompt.
Use it for programs that ask questions or stay open: REPLs, debuggers, ssh, installers. At most 16 sessions at a time; end the ones you no longer need.
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
    summary: workdir === undefined ? undefined : `In ${workdir}`,
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
    ? [
        `Continue with WriteStdin {"session_id": "${id}"}: add "chars" to type, omit it to wait, or set "end": true to end the session.`,
      ]
    : []
}
