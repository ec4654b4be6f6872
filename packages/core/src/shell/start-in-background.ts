import type { ToolContext } from '../tool.ts'
import { commandTask } from './command-task.ts'
import { addTask, refuseTooMany } from './create-task.ts'
import { beginCommand } from './run-command.ts'
import type { Task } from './tasks.ts'

/** Starts a command that its call does not wait for. */
export async function startInBackground(
  command: string,
  ctx: ToolContext,
  notes: string[],
  timeoutMs?: number,
): Promise<Task> {
  refuseTooMany(ctx.state.tasks, 'command')
  const { go, ...begun } = await beginCommand(command, ctx, notes)
  const task = commandTask({ ctx, command, ...begun, ...(timeoutMs !== undefined && { timeoutMs }) })
  await addTask(ctx.state.tasks, task)
  await go()
  return task
}
