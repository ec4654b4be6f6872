import { randomBytes } from 'node:crypto'
import { endCommand } from './end-command.ts'
import type { Task, Tasks } from './tasks.ts'
import { startWarden, type Warden } from './warden.ts'

/** How many ended tasks can still be read. */
const keptEnded = 100

export function createTasks(): Tasks {
  const tasks = new Map<string, Task>()
  const mark = randomBytes(9).toString('hex')
  let commands = 0
  let warden: Warden | undefined
  let disposed: Promise<void> | undefined
  return {
    mark,
    nextMark() {
      if (disposed !== undefined) throw over()
      commands++
      return `${mark}.${commands}`
    },
    add(task) {
      if (disposed !== undefined) throw over()
      tasks.set(task.id, task)
      const ended = [...tasks.values()].filter(({ status }) => status !== 'running')
      for (const old of ended.slice(0, -keptEnded)) tasks.delete(old.id)
      watch(task)
    },
    get: (id) => tasks.get(id),
    list: () => [...tasks.values()],
    dispose: () => (disposed ??= dispose()),
  }

  function watch({ pid, ended }: Task): void {
    warden ??= startWarden(mark)
    warden.watch(pid)
    void ended.then(() => warden?.release(pid))
  }

  async function dispose(): Promise<void> {
    const outcomes = await Promise.allSettled([...tasks.values()].map((task) => task.stop()))
    // What detached itself, from whichever call of the session.
    if (commands > 0) await endCommand({ mark: `${mark}.` })
    warden?.dismiss()
    const failed = outcomes.find((outcome) => outcome.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }
}

function over(): Error {
  return new Error('The session is over; nothing can be started in it any more.')
}
