import { sandboxAdvice } from '../sandbox/advice.ts'
import { plainText, screenText } from './plain-text.ts'
import type { Task, Tasks } from './tasks.ts'
import type { TerminalDisplay } from '../protocol/display.ts'
import { seconds, exitSummary, terminalDisplay } from './terminal-display.ts'

/** What a look at a task shows. */
export interface TaskOutputView {
  task_id: string
  command: string
  status: Task['status']
  exitCode: number | null
  durationMs: number
  /** Raw, at most what a model is shown. */
  text: string
  /** Where the next look starts. */
  next: number
  spilled?: { path: string; length: number }
  /** What to know about a failure inside the sandbox. */
  advice?: string[]
}

const maxTaskCharacters = 30_000

/** What a task has printed since `from`, cut in the middle when it is long. */
export function readTask(task: Task, from: number): TaskOutputView {
  const { text, next, lost } = task.read(from)
  const { spilled } = task
  const where = spilled === undefined ? '' : spillHint(spilled)
  const failed = task.status === 'ended' && task.exitCode !== 0
  const advice = failed ? sandboxAdvice(text, task.confinement) : []
  return {
    task_id: task.id,
    command: task.command,
    status: task.status,
    exitCode: task.exitCode,
    durationMs: (task.endedAt ?? Date.now()) - task.startedAt,
    text:
      (lost > 0 ? `... [${lost} characters before this are no longer kept.${where}] ...\n` : '') +
      cutMiddle(text, where),
    next,
    ...(spilled !== undefined &&
      spilled.note === undefined && { spilled: { path: spilled.path, length: spilled.length } }),
    ...(advice.length > 0 && { advice }),
  }
}

export function taskText(look: TaskOutputView, kind: Task['kind']): string {
  const { task_id: id, status, exitCode, durationMs, text, advice = [] } = look
  const shown = kind === 'terminal' ? screenText(text) : plainText(text)
  const after = seconds(durationMs)
  const said = {
    running: `${kind === 'terminal' ? 'Session' : 'Task'} ${id} still runs, since ${after}.`,
    ended: exitCode === null ? `It ended after ${after}.` : `It ended with exit code ${exitCode} after ${after}.`,
    stopped: `It was stopped after ${after}.`,
    'timed-out': `It timed out after ${after} and was ended.`,
  }[status]
  const words = [said, ...advice].join('\n')
  if (shown.trim() === '') return `Nothing new was printed. ${words}`
  return `${shown}${shown.endsWith('\n') ? '' : '\n'}\n${words}`
}

export function taskDisplay(
  { task_id: taskId, command, text, exitCode, durationMs, status, spilled }: TaskOutputView,
  title = command,
): { title: string; summary: string; content: TerminalDisplay } {
  return {
    title,
    summary: exitSummary({ status, exitCode, durationMs }),
    content: terminalDisplay({
      command,
      text,
      exitCode,
      durationMs,
      status,
      taskId,
      ...(spilled !== undefined && { spilled }),
    }),
  }
}

/** Throws what the model should do about an id that names nothing. */
export function findTask(tasks: Tasks, id: string, kind?: Task['kind']): Task {
  const task = tasks.get(id)
  if (task !== undefined && (kind === undefined || task.kind === kind)) return task
  const what = kind === 'terminal' ? 'session' : 'task'
  const live = tasks.list().filter((one) => one.status === 'running' && (kind === undefined || one.kind === kind))
  const known = live.map((one) => `${one.id} (${one.command.slice(0, 60)})`).join(', ')
  throw new Error(
    `There is no ${what} "${id}" in this session${known === '' ? ', and none runs' : `. These run: ${known}`}. They do not outlive the program; start it again.`,
  )
}

function spillHint({ path, note }: NonNullable<Task['spilled']>): string {
  return note === undefined ? ` Everything is in ${path}: use Read or Grep.` : ` See ${path}. ${note}`
}

function cutMiddle(text: string, where: string): string {
  if (text.length <= maxTaskCharacters) return text.toWellFormed()
  const end = maxTaskCharacters / 2
  const left = text.length - maxTaskCharacters
  return `${text.slice(0, end)}\n... [${left} characters left out here.${where || ' Give "from" to read on from a place.'}] ...\n${text.slice(-end)}`.toWellFormed()
}
