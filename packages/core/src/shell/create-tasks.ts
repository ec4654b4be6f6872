import { randomBytes } from 'node:crypto'
import { ringCharacters } from './ring.ts'
import type { Task, Tasks } from './tasks.ts'
import type { Warden } from './warden.ts'

/** Of the tasks that have ended, so many can still be read, and so much of what they printed. */
const keptTasks = 300
const keptCharacters = 32 << 20

/** What starts and ends processes is loaded when there is one: most sessions of a program never need it. */
export function createTasks(): Tasks {
  const tasks = new Map<string, Task>()
  const mark = randomBytes(9).toString('hex')
  let commands = 0
  let warden: Promise<Warden> | undefined
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
      forgetOldest()
      watch(task.pid, task.ended)
    },
    watch,
    get: (id) => tasks.get(id),
    list: () => [...tasks.values()],
    dispose: () => (disposed ??= dispose()),
  }

  function watch(pid: number, ended: Promise<unknown>): void {
    const watching = (warden ??= import('./warden.ts').then(({ startWarden }) => startWarden(mark)))
    void watching.then(async (guard) => {
      guard.watch(pid)
      await ended
      guard.release(pid)
    })
  }

  function forgetOldest(): void {
    const ended = [...tasks.values()].filter(({ status }) => status !== 'running').toReversed()
    let characters = 0
    for (const [i, task] of ended.entries()) {
      characters += Math.min(task.read(Infinity).next, ringCharacters)
      if (i >= keptTasks || characters > keptCharacters) tasks.delete(task.id)
    }
  }

  async function dispose(): Promise<void> {
    const outcomes = await Promise.allSettled([...tasks.values()].map((task) => task.stop()))
    // What detached itself, from whichever call of the session.
    if (commands > 0) {
      const { endCommand } = await import('./end-command.ts')
      await endCommand({ mark: `${mark}.` })
    }
    const guard = await warden
    guard?.dismiss()
    const failed = outcomes.find((outcome) => outcome.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }
}

function over(): Error {
  return new Error('The session is over; nothing can be started in it any more.')
}
