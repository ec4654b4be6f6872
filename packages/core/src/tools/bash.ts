import { z } from 'zod'
import { leavesSandbox, sandboxAccess, sandboxFields, sandboxText } from '../sandbox/sandbox.ts'
import type { CommandResult } from '../shell/run-command.ts'
import { exitSummary, plainText, seconds, terminalDisplay } from '../shell/task-display.ts'
import { defineTool, type ToolContext } from '../tool/tool.ts'

const defaultMs = 120_000
const mostMs = 600_000

const inputSchema = z.object({
  command: z.string().min(1).describe('The bash command to run'),
  description: z.string().describe('What the command does, in a few words').optional(),
  timeout: z.number().positive().describe('Timeout in milliseconds. Default 120000, maximum 600000').optional(),
  run_in_background: z.boolean().describe('Return immediately with a task id').optional(),
  ...sandboxFields,
})
type Input = z.infer<typeof inputSchema>

type Output = Omit<CommandResult, 'status'> & { status: CommandResult['status'] | 'running' }

export default defineTool({
  description: `Runs a command in a fresh bash and returns its output and exit code. The working directory and exported variables carry over to the next command. Stdin is empty.
For servers and long-running work, use "run_in_background" with TaskOutput and TaskStop. For programs that need a terminal or input, use ExecCommand. To read, search or change files, prefer Read, Grep, Glob, Edit and Write.
${sandboxText}`,
  input: inputSchema,
  readOnly: false,
  // Programs that ignore SIGTERM are killed after a second.
  stopMs: 3000,
  group: 'shell',
  touches: ({ command, ...input }) => [{ kind: 'command', command, ...sandboxAccess(input) }],
  title: ({ command, description }) => description ?? firstLine(command),
  permission: ({ command, description, run_in_background: background, ...input }) => ({
    title: `Run a command${background === true ? ' in the background' : ''}${leavesSandbox(input) ? ', outside the sandbox' : ''}`,
    summary: description,
    content: command,
  }),
  async *execute(input, ctx): AsyncGenerator<string, Output, void> {
    if (input.run_in_background === true) return await inBackground(input, ctx)
    const { runCommand } = await import('../shell/run-command.ts')
    return yield* runCommand(input.command, ctx, Math.min(input.timeout ?? defaultMs, mostMs))
  },
  toModel,
  display: (output, { command, description, timeout }) => ({
    title: description ?? firstLine(command),
    summary: endOf(output, timeout) ?? exitSummary(output),
    content: terminalDisplay({
      command,
      text: output.text,
      exitCode: output.exitCode,
      durationMs: output.durationMs,
      status: output.status,
      taskId: output.taskId,
      spilled: output.spilled,
    }),
  }),
})

async function inBackground({ command, timeout }: Input, ctx: ToolContext): Promise<Output> {
  const { startInBackground } = await import('../shell/start-task.ts')
  const notes: string[] = []
  const { id } = await startInBackground(command, ctx, notes, timeout)
  return {
    text: '',
    status: 'running',
    exitCode: null,
    signal: null,
    durationMs: 0,
    cwd: ctx.state.cwd,
    notes: [
      ...notes,
      `Running in the background as task ${id}. Use TaskOutput to see its output and TaskStop to stop it.`,
    ],
    taskId: id,
  }
}

function toModel(output: Output, { timeout }: Input): string {
  const { text, status, exitCode, signal, durationMs, notes } = output
  const printed = plainText(text)
  const lines: string[] = []
  const end = endOf(output, timeout)
  if (end !== undefined) lines.push(`${end}: the command and all its child processes were stopped.${adviceOf(status)}`)
  else if (status === 'ended') {
    const how = exitCode === null ? `Ended by ${signal ?? 'a signal'}` : `Exit code ${exitCode}`
    lines.push(`${how} after ${seconds(durationMs)}.${printed === '' ? ' It printed nothing.' : ''}`)
  }
  lines.push(...notes)
  const said = lines.join('\n')
  if (printed === '') return said
  return `${printed}${printed.endsWith('\n') ? '' : '\n'}\n${said}`
}

/** For a command that did not end by itself. */
function endOf({ status, durationMs, stoppedBy = '' }: Output, timeout: number | undefined): string | undefined {
  if (status === 'timed-out') return `Timed out after ${seconds(Math.min(timeout ?? defaultMs, mostMs))}`
  return status === 'stopped' ? `${stoppedBy.replace(/\.$/, '')}, after ${seconds(durationMs)}` : undefined
}

function adviceOf(status: Output['status']): string {
  if (status !== 'timed-out') return ''
  return ` For longer work, set a longer "timeout" (maximum ${mostMs}) or use "run_in_background".`
}

function firstLine(command: string): string {
  const line = command.trim().split('\n', 1)[0] ?? ''
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}
