import { randomBytes } from 'node:crypto'
import { ringCharacters } from './ring.ts'
import type { ProcessPool } from './process-pool.ts'
import type { Task, Tasks } from './tasks.ts'

/** Of the tasks that have ended, so many can still be read, and so much of what they printed. */
const maxTasks = 300
const maxTaskCharacters = 32 << 20

export function createTasks(pool: Pick<ProcessPool, 'mark' | 'watch'>): Tasks {
  const tasks = new Map<string, Task>()
  const mark = `${pool.mark}.${randomBytes(9).toString('hex')}`
  let commands = 0
  let disposed: Promise<void> | undefined
  return {
    mark,
    nextMark() {
      if (disposed !== undefined) throw sessionEnded()
      commands++
      return `${mark}.${commands}`
    },
    add(task) {
      if (disposed !== undefined) throw sessionEnded()
      tasks.set(task.id, task)
      forgetOldest()
      pool.watch(task.pid, task.ended)
    },
    get: (id) => tasks.get(id),
    list: () => [...tasks.values()],
    dispose: () => (disposed ??= dispose()),
  }

  function forgetOldest(): void {
    const ended = [...tasks.values()].filter(({ status }) => status !== 'running').toReversed()
    let characters = 0
    for (const [i, task] of ended.entries()) {
      characters += Math.min(task.read(Infinity).next, ringCharacters)
      if (i >= maxTasks || characters > maxTaskCharacters) tasks.delete(task.id)
    }
  }

  async function dispose(): Promise<void> {
    const outcomes = await Promise.allSettled([...tasks.values()].map((task) => task.stop()))
    // What detached itself, from whichever call of the session.
    if (commands > 0) {
      const { endCommand } = await import('./end-command.ts')
      await endCommand({ mark: `${mark}.` })
    }
    const failed = outcomes.find((outcome) => outcome.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }
}

function sessionEnded(): Error {
  return new Error('The session is over; nothing can be started in it any more.')
}
