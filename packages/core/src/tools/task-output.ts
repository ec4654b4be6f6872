import { z } from 'zod'
import { findTask, readTask, taskDisplay, taskText } from '../shell/task-display.ts'
import { defineTool } from '../tool/tool.ts'

const mostMs = 600_000

export default defineTool({
  description: `Shows what a background command has printed, and whether it still runs or how it ended.
Without "from" it shows everything that is kept; to see only what is new, give the "from" that the last look named. With "wait_ms" it waits up to that long for something new or for the end.`,
  input: z.object({
    task_id: z.string().describe('The id that Bash gave'),
    from: z.int().nonnegative().describe('Show only what came after this position').optional(),
    wait_ms: z.number().nonnegative().describe('Milliseconds to wait for news, at most 600000').optional(),
  }),
  readOnly: true,
  polls: true,
  deferred: true,
  listedAfter: ({ name, input }) => name === 'Bash' && input['run_in_background'] === true,
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
    (output.status === 'running' ? ` To see only what comes next, give "from": ${output.next}.` : ''),
  display: (output) => taskDisplay(output),
})
