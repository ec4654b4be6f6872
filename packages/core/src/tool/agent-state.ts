import path from 'node:path'
import type { Confinement, Grant } from '../access/decision.ts'
import type { ProcessPool } from '../process/process-pool.ts'
import type { Tasks } from '../process/tasks.ts'
import type { UndoJournal } from './undo-journal.ts'

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

/** Where a skill lies, the farthest first: the nearer overrides the farther. */
const skillScopes = ['home', 'workspace', 'project'] as const
export type SkillScope = (typeof skillScopes)[number]

/** Instructions for a kind of task, as a folder with a `SKILL.md` in it. Its text is read only on use. */
export interface Skill {
  /** That of its folder. */
  name: string
  description: string
  /** Its `SKILL.md`. */
  path: string
  folder: string
  scope: SkillScope
  license?: string
  compatibility?: string
  metadata?: Record<string, string>
  /** While it is in force nothing but these runs unasked, where it did before; see `narrowCall`. */
  allowedTools?: readonly string[]
  /** Only a person loads it. */
  personOnly?: true
}

export interface SkillProblem {
  path: string
  line?: number
  message: string
}

/** What stands in a `SKILL.md` besides where it lies. */
export type SkillHead = Omit<Skill, 'path' | 'folder' | 'scope'>

/** The skills of an agent in the turn that it is at work on. */
export interface AgentSkills {
  /** Those that can be loaded, as they are on the disk now. */
  list(): readonly Skill[]
  /** What runs unasked by the skills that the person put into the message: a list of rules for each that has one. */
  limits: readonly (readonly string[])[]
  /** The same by the skills that the model has loaded in a run; see `limitsOfRun`. */
  loaded?: { runId: string; limits: readonly (readonly string[])[] }
}

/** The one file that may be written in plan mode: `plan.md` of the session, beside the folder of its output. */
export function planFileOf({ outputFolder }: Pick<AgentState, 'outputFolder'>): string {
  return path.join(path.dirname(outputFolder), 'plan.md')
}

/** What a model is told while the session is in plan mode, after everything else. */
export function planInstructions(planFile: string): string {
  return `You are in plan mode. Look around as much as you need, but change nothing: nothing can be written but the plan, in ${planFile}. Ask with AskUserQuestion where the person has to choose. When the plan is complete, call ExitPlanMode: the person reads it there and decides. Do not ask for approval of the plan in any other way.`
}
