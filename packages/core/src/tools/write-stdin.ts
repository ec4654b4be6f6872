import { z } from 'zod'
import { findTask, heldText, readTask, taskDisplay, taskText } from '../shell/task-display.ts'
import { defineTool } from '../tool/tool.ts'

const mostMs = 600_000
const quietMs = 150
const side = z.int().min(1).max(1000)

export default defineTool({
  description: `Types into a session started by ExecCommand and returns new output. End a line with "\\n"; "\\u0003" is Ctrl+C and "\\u0004" is Ctrl+D. Without "chars", only waits and reads.`,
  input: z.object({
    session_id: z.string().describe('The session id from ExecCommand'),
    chars: z.string().describe('The text to type').default(''),
    yield_time_ms: z.number().nonnegative().describe('How long to wait for output. Default 250').optional(),
    yieldTimeMs: z.number().nonnegative().describe('Alias of yield_time_ms').optional(),
    resize: z.object({ cols: side, rows: side }).describe('Resize the terminal').optional(),
    end: z.boolean().describe('End the session and everything running in it').default(false),
  }),
  readOnly: false,
  polls: true,
  deferred: true,
  listedAfter: { tool: 'ExecCommand' },
  group: 'shell',
  // Waiting, reading and stopping its own command need no approval.
  needsApproval: ({ chars }) => chars !== '',
  touches: ({ chars }) => (chars === '' ? [] : [{ kind: 'command', command: chars, typed: true }]),
  title: ({ session_id: id, chars, end }) => (end ? `End ${id}` : chars === '' ? `Read ${id}` : `Type into ${id}`),
  permission: ({ session_id: id, chars, end }) => ({
    title: end ? `End the session ${id}` : `Type into the session ${id}`,
    content: chars,
  }),
  async execute(input, { state, signal }) {
    const task = findTask(state.tasks, input.session_id, 'terminal')
    const from = task.seen
    const { chars, resize, end } = input
    const ended = task.status !== 'running'
    if (ended && chars !== '') {
      const look = readTask(task, from)
      task.seen = look.next
      throw new Error(`${taskText(look, 'terminal')}\nIt no longer accepts input. Start it again with ExecCommand.`)
    }
    if (task.held && !ended && (chars !== '' || resize !== undefined || end)) throw new Error(heldText)
    if (resize !== undefined && !ended) {
      if (task.resize === undefined)
        throw new Error('This session has no terminal (tty was false), so it cannot be resized.')
      task.resize(resize.cols, resize.rows)
    }
    if (chars !== '') task.write?.(chars)
    if (!ended)
      await task.settled({
        ms: Math.min(input.yield_time_ms ?? input.yieldTimeMs ?? 250, mostMs),
        quietMs,
        from,
        signal,
      })
    signal.throwIfAborted()
    if (end) await task.stop()
    const look = readTask(task, from)
    task.seen = look.next
    return look
  },
  toModel: (output) => taskText(output, 'terminal'),
  display: (output, { chars }) =>
    taskDisplay(output, chars === '' ? output.command : `${output.command} ← ${JSON.stringify(chars).slice(1, -1)}`),
})
