import type { Task, Tasks } from './tasks.ts'

/** How many ended tasks can still be read. */
const keptEnded = 100

/** The tasks of one session: plain, in memory. */
export function createTasks(): Tasks {
  const tasks = new Map<string, Task>()
  let disposed = false
  return {
    add(task) {
      if (disposed) throw new Error('The session is over; nothing can be started in it any more.')
      tasks.set(task.id, task)
      const ended = [...tasks.values()].filter(({ status }) => status !== 'running')
      for (const old of ended.slice(0, -keptEnded)) tasks.delete(old.id)
    },
    get: (id) => tasks.get(id),
    list: () => [...tasks.values()],
    async dispose() {
      disposed = true
      await Promise.all([...tasks.values()].map((task) => task.stop()))
    },
  }
}
