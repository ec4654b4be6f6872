export type TaskStatus = 'open' | 'started' | 'done'

export interface ProjectTask {
  /** Position in the list, from 1. */
  number: number
  text: string
  status: TaskStatus
}

/** The task list of a project: a Markdown file that people edit, too. */
export const taskFile = 'TASKS.md'

/** A longer file is no task list that a person keeps, and reading it would hold up others. */
export const maxTaskCharacters = 256 * 1024

const marks = { open: ' ', started: '/', done: 'x' } as const
const taskLine = /^(\s*[-*+] \[)([ xX/-])(\] +)(.*?)(\s*)$/

/** Lines that are no tasks are left alone. */
export function readTasks(text: string): ProjectTask[] {
  const found = text
    .slice(0, maxTaskCharacters)
    .split('\n')
    .flatMap((line) => {
      const [, , mark = ' ', , words = ''] = taskLine.exec(line) ?? []
      return words === '' ? [] : [{ text: words, status: statusOf(mark) }]
    })
  return found.map((task, index) => ({ number: index + 1, ...task }))
}

export interface TaskChange {
  /** Number or text of a task. */
  task: number | string
  status?: TaskStatus
  text?: string
  remove?: boolean
}

/**
 * Changes only the lines of these tasks and appends new ones, so edits by others stay. Throws an Error for the model if
 * a task does not exist.
 */
export function changeTasks(
  text: string,
  { add = [], change = [] }: { add?: readonly string[]; change?: readonly TaskChange[] },
): string {
  if (text.length > maxTaskCharacters)
    throw new Error(`${taskFile} is longer than 256 KiB. Shorten it before you change tasks.`)
  const ending = text.includes('\r\n') ? '\r\n' : '\n'
  const lines = text === '' ? ['# Tasks', ''] : text.replaceAll('\r\n', '\n').replace(/\n$/, '').split('\n')
  const tasks = readTasks(lines.join('\n'))
  const places = lines.flatMap((line, index) => ((taskLine.exec(line)?.[4] ?? '') === '' ? [] : [index]))
  const removed = new Set<number>()
  for (const { task, status, text: words, remove } of change) {
    const known = findTask(tasks, task)
    const at = places[known.number - 1] as number
    if (remove === true) removed.add(at)
    const [, start = '', mark = ' ', gap = '] ', before = ''] = taskLine.exec(lines[at] as string) ?? []
    lines[at] = `${start}${status === undefined ? mark : marks[status]}${gap}${oneLine(words ?? before)}`
  }
  const kept = lines.filter((_, index) => !removed.has(index))
  const known = new Set(tasks.map(({ text: words }) => words.toLowerCase()))
  const added = add.map(oneLine).filter((words) => words !== '' && !known.has(words.toLowerCase()))
  const last = kept.findLastIndex((line) => taskLine.test(line))
  const place = last === -1 ? kept.length : last + 1
  kept.splice(place, 0, ...added.map((words) => `- [ ] ${words}`))
  return `${kept.join(ending)}${ending}`
}

function findTask(tasks: readonly ProjectTask[], wanted: number | string): ProjectTask {
  const words = String(wanted).trim().toLowerCase()
  const found = typeof wanted === 'number' ? tasks[wanted - 1] : tasks.find(({ text }) => text.toLowerCase() === words)
  if (found !== undefined) return found
  const list = tasks.slice(0, 50).map(({ number, text }) => `${number}. ${text}`)
  throw new Error(`There is no task ${JSON.stringify(wanted)}. Tasks: ${list.join('; ') || 'none'}.`)
}

function statusOf(mark: string): TaskStatus {
  if (mark === 'x' || mark === 'X') return 'done'
  return mark === ' ' ? 'open' : 'started'
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
