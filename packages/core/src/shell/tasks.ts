import type { Confinement } from '../permission/decision.ts'

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
