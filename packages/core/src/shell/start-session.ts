import { resolvePath } from '../files/resolve-path.ts'
import type { ToolContext } from '../tool.ts'
import { commandTask } from './command-task.ts'
import { addTask, refuseTooMany } from './create-task.ts'
import { beginCommand } from './run-command.ts'
import type { Task } from './tasks.ts'
import { startTerminal } from './terminal.ts'
import { workingFolder } from './working-folder.ts'

export interface TerminalStart {
  command: string
  /** A terminal, or plain pipes. */
  tty: boolean
  cols: number
  rows: number
  workdir?: string | undefined
}

/** Starts a command that can be typed into. */
export async function startTerminalTask(start: TerminalStart, ctx: ToolContext, notes: string[]): Promise<Task> {
  const { command, tty, cols, rows, workdir } = start
  refuseTooMany(ctx.state.tasks, 'terminal')
  if (command.includes('\0')) throw new Error('The command has a NUL character in it, which no command can have.')
  const cwd = workdir === undefined ? workingFolder(ctx.state, notes) : folderOf(workdir, ctx)
  if (tty) return startTerminal(command, ctx, { cols, rows, cwd }, notes)
  const { go, ...begun } = await beginCommand(command, ctx, notes, { stdin: 'pipe', cwd })
  const task = commandTask({ ctx, command, ...begun, kind: 'terminal' })
  await addTask(ctx.state.tasks, task)
  await go()
  return task
}

function folderOf(workdir: string, ctx: ToolContext): string {
  const { path, stats } = resolvePath(ctx, workdir, { for: 'read' })
  if (stats?.isDirectory() !== true) throw new Error(`"${workdir}" is not a folder, so nothing can run in it.`)
  return path
}
