import type { Confinement, Grant } from '../permission/decision.ts'

/** Starts programs so that the system keeps them in: what they may see, change and reach is decided before they begin. */
export interface Sandbox {
  readonly name: 'bubblewrap' | 'Seatbelt'
  /** Throws an Error for the model where nothing can be kept in, before anything is made ready for `wrap`. */
  check?(roots: readonly string[]): void
  /** How a program is started inside. Throws an Error for the model when it cannot be kept in. */
  wrap(start: ConfinedStart): Confined
}

export interface ConfinedStart {
  /** An absolute path, and its arguments. */
  argv: readonly string[]
  cwd: string
  /** All that the program finds in its environment. */
  env: Readonly<Record<string, string>>
  confinement: Exclude<Confinement, 'none'>
  /** Real paths of the folders that are worked in. Whether they can be written is what the confinement says. */
  roots: readonly string[]
  /** Real paths that can be read besides. */
  readable?: readonly string[]
  /** What can be used besides. Sockets in there cannot be reached. */
  grants?: readonly Grant[]
  /** Real paths of files and folders that cannot be changed although what is around them can. */
  fixed?: readonly string[]
  /** Real paths of files and folders that cannot be read, unless they are granted themselves. */
  secrets?: readonly string[]
  /** The folder that is `/tmp` inside, so that files there hold for the next command. Default: one in memory. */
  temporary?: string
  /** The file that git finds as the person's settings. */
  gitConfig?: string
}

export interface Confined {
  file: string
  args: string[]
  env: Record<string, string>
  /** Where it has to be started. */
  cwd: string
  /** Its output stays open as long as anything of it runs. */
  holdsOutput: boolean
  /** To be called when nothing of it runs any more, and only then. May be called twice. */
  release(): void
}

/** What a look at this machine found. */
export interface SandboxFinding {
  /** Undefined where commands cannot be confined. */
  sandbox?: Sandbox
  /** A sentence for the person: what confines commands, or why nothing does. */
  text: string
  /** What the person can do about it. */
  fix?: string
}
