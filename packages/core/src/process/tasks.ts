import { randomBytes } from 'node:crypto'
import type { Confinement } from '../access/decision.ts'
import { ringCharacters } from './output-buffer.ts'
import type { ProcessPool } from './process-pool.ts'

/** A command that runs on after its call: a background command or a terminal. */
export interface Task {
  id: string
  kind: 'command' | 'terminal'
  command: string
  confinement: Confinement
  pid: number
  startedAt: number
  /** When it ended; undefined while it runs. */
  endedAt: number | undefined
  status: 'running' | 'ended' | 'stopped' | 'timed-out'
  exitCode: number | null
  /** Where what it printed is, once that is more than the ring keeps. `note`: what of it is not there, and why. */
  spilled: { path: string; length: number; note?: string | undefined } | undefined
  /** What was printed since `from`, and where the next reading starts. The ring keeps the last MiB. */
  read(from?: number): { text: string; next: number; lost: number }
  /** How far the session's last look at it came; kept for readers that want only what is new. */
  seen: number
  /** Resolves when something new was printed and it has been quiet for `quietMs`, it ended, or `ms` have passed. */
  settled(options: { ms: number; quietMs: number; from: number; signal?: AbortSignal }): Promise<void>
  /** Terminals and commands with an open stdin. */
  write?(text: string): void
  resize?(columns: number, rows: number): void
  /** Ends the whole process group: SIGTERM, then SIGKILL. Resolves when it is gone. */
  stop(): Promise<void>
  /** Resolves when nothing of it runs any more. Never rejects. */
  readonly ended: Promise<void>
}

/** All tasks of one session. None survives it. */
export interface Tasks {
  /**
   * In the environment of everything that the session starts, as `TROUPE_TASK=<mark>.<number>`: what leaves its process
   * group is found by it.
   */
  readonly mark: string
  /** The mark of the next command. */
  nextMark(): string
  /** Of those that have ended, the oldest are forgotten when there are many. */
  add(task: Task): void
  get(id: string): Task | undefined
  list(): Task[]
  /** Stops everything. */
  dispose(): Promise<void>
}

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
      const { endCommand } = await import('./processes.ts')
      await endCommand({ mark: `${mark}.` })
    }
    const failed = outcomes.find((outcome) => outcome.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }
}

function sessionEnded(): Error {
  return new Error('The session is over; nothing can be started in it any more.')
}
