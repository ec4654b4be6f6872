import { randomBytes } from 'node:crypto'
import type { Confinement } from '../access/decision.ts'
import { ringCharacters } from './output-buffer.ts'
import type { ProcessPool } from './process-pool.ts'

/** Command that outlives its call: a background command or a terminal. */
export interface Task {
  id: string
  kind: 'command' | 'terminal'
  command: string
  confinement: Confinement
  pid: number
  startedAt: number
  endedAt: number | undefined
  status: 'running' | 'ended' | 'stopped' | 'timed-out'
  exitCode: number | null
  /** File with the output once it exceeds the ring. `note` says what is missing and why. */
  spilled: { path: string; length: number; note?: string | undefined } | undefined
  /** Returns the output since `from` and the next position. The ring keeps the last MiB. */
  read(from?: number): { text: string; next: number; lost: number }
  /** Position of the session's last read, for readers that want only new output. */
  seen: number
  /** Resolves when there is new output followed by `quietMs` of silence, when it ends, or after `ms`. */
  settled(options: { ms: number; quietMs: number; from: number; signal?: AbortSignal }): Promise<void>
  /** Calls back after new output, a change of size or owner, and the end. Returns an unsubscribe function. */
  onNews(listener: () => void): () => void
  /** Only for terminals and commands with an open stdin. */
  write?(text: string): void
  resize?(columns: number, rows: number): void
  /** Undefined without a terminal. */
  size: { columns: number; rows: number } | undefined
  /** True while the person types into it. The agent then only reads. */
  held: boolean
  /** True if the person typed into it since the agent last read it. */
  typedByPerson: boolean
  /** Gives it to the person, or back to the agent. */
  hold(held: boolean): void
  /** Ends the whole process group: SIGTERM, then SIGKILL. Resolves when it is gone. */
  stop(): Promise<void>
  /** Resolves when none of its processes run. Never rejects. */
  readonly ended: Promise<void>
}

/** Tasks of one session. None outlives it. */
export interface Tasks {
  /**
   * In the environment of every process of the session, as `TROUPE_TASK=<mark>.<number>`. Finds processes that leave
   * their group.
   */
  readonly mark: string
  nextMark(): string
  /** Drops the oldest ended tasks if there are many. */
  add(task: Task): void
  get(id: string): Task | undefined
  list(): Task[]
  dispose(): Promise<void>
}

/** Ended tasks that stay readable, and the total output kept for them. */
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
    // End detached processes of any call in the session.
    if (commands > 0) {
      const { endCommand } = await import('./processes.ts')
      await endCommand({ mark: `${mark}.` })
    }
    const failed = outcomes.find((outcome) => outcome.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }
}

function sessionEnded(): Error {
  return new Error('The chat has ended, so nothing more can be started in it.')
}
