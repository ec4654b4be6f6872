import type { AgentSkills } from './skills/skill.ts'
import type { Grant } from './permission/decision.ts'
import type { Confinement } from './permission/decision.ts'
import type { ProcessPool } from './shell/process-pool.ts'
import type { Tasks } from './shell/tasks.ts'
import type { UndoJournal } from './files/undo-journal.ts'

/**
 * What one agent remembers between its calls and turns, in memory. Made by whoever starts runs, one per conversation;
 * `createAgentState` gives a plain one. After a restart it begins anew: files must be read again before they are
 * changed, background commands are gone.
 */
export interface AgentState {
  /** Where relative paths start, and where the next command runs. Always inside one of the roots. */
  cwd: string
  /** What commands outside the sandbox exported, on top of the clean environment. */
  env: Record<string, string>
  /** The same for commands inside; undefined until one has run. Nothing of it reaches a command outside. */
  sandboxEnv?: Record<string, string> | undefined
  /** What confines commands on this machine, where something does. */
  readonly sandbox?: Sandbox | undefined
  /** Real paths of the workspace and of folders that the person added. Nothing outside is touched. */
  readonly roots: readonly string[]
  /** Real paths that may be read besides the roots: the session's output, folders of loaded skills. It grows. */
  readonly readable: string[]
  /** What may be loaded in this turn; absent where there is nothing to load from. */
  skills?: AgentSkills | undefined
  /** The real path of each file that this agent has seen, with what it was then. */
  readonly reads: Map<string, FileStamp>
  /** Folders whose AGENTS.md this agent has been shown. */
  readonly shownNotes: Set<string>
  /** False where the person does not trust the workspace: what it says to agents does not count. */
  readsNotes?: boolean
  /** Where over-long results are spilled; made when needed. */
  readonly outputFolder: string
  /** Where previews are kept that the agent makes. They are its own: changing them is not asked for. */
  readonly jsxFolder: string
  /** Background commands and terminals of the session. */
  readonly tasks: Tasks
  /** What sessions share that start processes. */
  readonly pool: ProcessPool
  /** What every file was before our tools changed it. */
  readonly undo: UndoJournal
  /** Things that a tool keeps under its own name (an interpreter, a cache). Whoever owns the state disposes them. */
  readonly kept: Map<string, { dispose(): void | Promise<void> }>
}

/** What a file was when it was last read or written by this agent. */
export interface FileStamp {
  /** Empty where the file is so long that it was not read whole: then its time and size tell whether it changed. */
  sha256: string
  mtimeMs: number
  size: number
  /** Which state of which file had that hash: see `identityOf`. */
  identity?: string
  /** Only a part was shown; enough for an edit, not for overwriting. */
  partial: boolean
  /** While partial: the lines shown so far, as first and last of each stretch. The end of the file is Infinity. */
  shown?: [first: number, last: number][]
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

/** Starts programs so that the system keeps them in: what they may see, change and reach is decided before they begin. */
export interface Sandbox {
  readonly name: 'bubblewrap' | 'Seatbelt'
  /** Throws an Error for the model where nothing can be kept in, before anything is made ready for `wrap`. */
  check?(roots: readonly string[]): void
  /** How a program is started inside. Throws an Error for the model when it cannot be kept in. */
  wrap(start: ConfinedStart): Confined
}
