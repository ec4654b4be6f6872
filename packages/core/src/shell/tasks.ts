/** A command that runs on after its call: a background command or a terminal. */
export interface Task {
  id: string
  kind: 'command' | 'terminal'
  command: string
  pid: number
  startedAt: number
  status: 'running' | 'ended' | 'stopped' | 'timed-out'
  exitCode: number | null
  /** What was printed since `from`, and where the next reading starts. The ring keeps the last MiB. */
  read(from?: number): { text: string; next: number; lost: number }
  /** Resolves when something new was printed and it has been quiet for `quietMs`, it ended, or `ms` have passed. */
  settled(options: { ms: number; quietMs: number; from: number; signal?: AbortSignal }): Promise<void>
  /** Terminals and commands with an open stdin. */
  write?(text: string): void
  resize?(columns: number, rows: number): void
  /** Ends the whole process group: SIGTERM, then SIGKILL. Resolves when it is gone. */
  stop(): Promise<void>
}

/** All tasks of one session. None survives it. */
export interface Tasks {
  add(task: Task): void
  get(id: string): Task | undefined
  list(): Task[]
  /** Stops everything. */
  dispose(): Promise<void>
}
