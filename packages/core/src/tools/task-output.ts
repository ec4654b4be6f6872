import { z } from 'zod'
import { findTask, readTask, taskDisplay, taskText } from '../shell/task-display.ts'
import { defineTool } from '../tool/tool.ts'

const mostMs = 600_000

export default defineTool({
  description: `Shows the output of a background command and whether it is still running or how it ended.
Without "from", shows everything that is kept. To see only new output, give the "from" value of the previous result. With "wait_ms", waits up to that long for new output or for the command to end.`,
  input: z.object({
    task_id: z.string().describe('The task id from Bash'),
    from: z.int().nonnegative().describe('Show only output after this position').optional(),
    wait_ms: z.number().nonnegative().describe('Milliseconds to wait for new output, at most 600000').optional(),
  }),
  readOnly: true,
  polls: true,
  deferred: true,
  listedAfter: { tool: 'Bash', flag: 'run_in_background' },
  group: 'shell',
  title: ({ task_id: id }) => `Output of ${id}`,
  async execute({ task_id: id, from, wait_ms: waitMs = 0 }, { state, signal }) {
    const task = findTask(state.tasks, id)
    if (waitMs > 0) {
      await task.settled({ ms: Math.min(waitMs, mostMs), quietMs: 150, from: from ?? task.read(Infinity).next, signal })
      signal.throwIfAborted()
    }
    return readTask(task, from ?? 0)
  },
  toModel: (output) =>
    taskText(output, 'command') +
    (output.status === 'running' ? ` To see only newer output, give "from": ${output.next}.` : ''),
  display: (output) => taskDisplay(output),
})
