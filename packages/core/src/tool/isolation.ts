import type { Confinement, Grant } from '../access/decision.ts'

export interface ConfinedStart {
  /** An absolute path and its arguments. */
  argv: readonly string[]
  cwd: string
  /** The complete environment of the program. */
  env: Readonly<Record<string, string>>
  confinement: Exclude<Confinement, 'none'>
  /** Real paths of the workspace folders. The confinement decides if they are writable. */
  roots: readonly string[]
  /** Additional readable real paths. */
  readable?: readonly string[]
  /** Additional grants. Sockets inside them cannot be reached. */
  grants?: readonly Grant[]
  /** Real paths that stay read-only inside writable folders. */
  fixed?: readonly string[]
  /** Real paths that cannot be read, unless granted themselves. */
  secrets?: readonly string[]
  /** Folder mounted as `/tmp`, so that files persist for the next command. Default: one in memory. */
  temporary?: string
  /** File that git sees as the user's settings. */
  gitConfig?: string
  /**
   * Default: none. `machine` is only for programs that an administrator chose. `proxy`: in team mode, the addresses that
   * are allowed for everybody.
   */
  network?: 'machine' | 'proxy'
}

export interface Confined {
  file: string
  args: string[]
  env: Record<string, string>
  /** Folder in which it must be started. */
  cwd: string
  /** Its output stays open as long as any of its processes runs. */
  holdsOutput: boolean
  /** Sentence for the model and the person if a limit has ended it. */
  stopReason?(exitCode: number | null): string | undefined
  /** Call only when none of its processes is left. May be called twice. */
  release(): void
}

/** Starts programs confined by the system. Access is decided before they begin. */
export interface Sandbox {
  readonly name: 'bubblewrap' | 'Seatbelt'
  /** Throws an Error for the model if confinement is impossible, before anything is prepared for `wrap`. */
  check?(roots: readonly string[]): void
  /** Returns how to start a program inside. Throws an Error for the model if it cannot be confined. */
  wrap(start: ConfinedStart): Promise<Confined>
}

/** Limits of one command, terminal or server program, with everything it starts. */
export interface ResourceLimits {
  cpus: number
  memoryMb: number
  /** Threads count too. */
  processes: number
  /** Written to disk, and size of one file. */
  diskMb: number
  /** CPU time, of all its processes together. */
  seconds: number
}

/** Real user of a person's processes. */
export interface ProcessUser {
  uid: number
  /** Group of the workspace, so that its members share what they create. */
  gid: number
  groups: readonly number[]
}

/** A network of the person's own, with a proxy as the only way out. */
export interface PersonNetwork {
  /** Resolves when it can be used. */
  open(): Promise<{
    /** A program and its arguments that start another one in it. */
    enter: readonly string[]
    /** Environment variables that name the proxy. */
    env: Readonly<Record<string, string>>
  }>
}

/** Owner of processes and files in team mode. A single user has none, and everything runs as the server. */
export interface Isolation {
  /** Id of the person. */
  person: string
  /** Absent if the server is not root. Then all people share its user, and only the sandbox separates them. */
  user?: ProcessUser | undefined
  limits: ResourceLimits
  /** Starts programs as that user, within the limits. */
  sandbox: Sandbox
  /** Starts a program as that user, within the limits, without a sandbox: only for one that brings its own. */
  unconfined(argv: readonly string[]): Confined
  /** Network of commands that may leave the sandbox. Absent if an administrator allows none. */
  network?: PersonNetwork | undefined
  /** Folder for temporary files. Only the person and the server reach it. */
  folder: string
}
