import { z } from 'zod'
import { findTask, readTask, taskDisplay, taskText } from '../shell/task-display.ts'
import { defineTool } from '../tool/tool.ts'

export default defineTool({
  description: 'Stops a background command and everything it started. Shows the end of its output.',
  input: z.object({ task_id: z.string().describe('The task id from Bash') }),
  readOnly: false,
  // Only stops tasks that this session started.
  needsApproval: false,
  deferred: true,
  listedAfter: { tool: 'Bash', flag: 'run_in_background' },
  group: 'shell',
  title: ({ task_id: id }) => `Stop ${id}`,
  permission: ({ task_id: id }) => ({ title: 'Stop a background command', content: id }),
  async execute({ task_id: id }, { state }) {
    const task = findTask(state.tasks, id)
    const ranBefore = task.status === 'running'
    await task.stop()
    return { ...readTask(task, Math.max(0, task.read(Infinity).next - 2000)), ranBefore }
  },
  toModel: (output) =>
    output.ranBefore
      ? taskText(output, 'command')
      : `It had already ended, so there was nothing to stop.\n${taskText(output, 'command')}`,
  display: (output) => taskDisplay(output),
})
