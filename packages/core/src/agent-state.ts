import type { Sandbox } from './sandbox/sandbox.ts'
import type { ProcessPool } from './shell/process-pool.ts'
import type { Tasks } from './shell/tasks.ts'
import type { UndoJournal } from './files/undo-journal.ts'
import type { AgentSkills } from './skills/agent-skills.ts'

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
