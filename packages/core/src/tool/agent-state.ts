import path from 'node:path'
import type { ProcessPool } from '../process/process-pool.ts'
import type { Tasks } from '../process/tasks.ts'
import type { Isolation, Sandbox } from './isolation.ts'
import type { UndoJournal } from './undo-journal.ts'

/**
 * In-memory state that one agent keeps between calls and turns. Created by the owner of runs, one per conversation.
 * `createAgentState` creates a plain one. After a restart it starts empty: files must be read again before changes, and
 * background commands are gone.
 */
export interface AgentState {
  /** Base of relative paths and working folder of the next command. Always inside one of the roots. */
  cwd: string
  /** Exports of commands outside the sandbox, added to the clean environment. */
  env: Record<string, string>
  /** Exports of commands inside the sandbox, undefined until one has run. They never reach a command outside. */
  sandboxEnv?: Record<string, string> | undefined
  readonly sandbox?: Sandbox | undefined
  /** In team mode: the person whose agent this is. */
  readonly isolation?: Isolation | undefined
  /** Real paths of the workspace and of folders added by the user. Nothing outside is touched. */
  readonly roots: readonly string[]
  /** Real paths readable besides the roots: the session's output and folders of loaded skills. Grows over time. */
  readonly readable: string[]
  /** Skills available in this turn. Absent if there is no source for skills. */
  skills?: AgentSkills | undefined
  /** Files this agent has seen, by real path, with their state at that time. */
  readonly reads: Map<string, FileStamp>
  readonly shownNotes: Set<string>
  /** False if the user does not trust the workspace. Its instructions to agents are then ignored. */
  readsNotes?: boolean
  /** Folder for oversized results, created on demand. */
  readonly outputFolder: string
  /** Folder for the agent's own previews. Changing them needs no approval. */
  readonly jsxFolder: string
  readonly tasks: Tasks
  /** Shared by all sessions that start processes. */
  readonly pool: ProcessPool
  readonly undo: UndoJournal
  /**
   * Resources that tools keep under their own name, such as an interpreter or a cache. The owner of the state disposes
   * them.
   */
  readonly resources: Map<string, { dispose(): void | Promise<void> }>
}

export interface FileStamp {
  /** Empty if the file was too long to read completely. Then its time and size detect changes. */
  sha256: string
  mtimeMs: number
  size: number
  /** The file state that had this hash. See `identityOf`. */
  identity?: string
  /** Only part of the file was shown. That is enough for an edit, but not for overwriting. */
  partial: boolean
  /** If partial: the line ranges shown so far, as first and last line. The end of the file is Infinity. */
  shown?: [first: number, last: number][]
}

/** Scopes of skills, lowest precedence first. */
const skillScopes = ['home', 'workspace', 'project'] as const
export type SkillScope = (typeof skillScopes)[number]

/** Instructions for a kind of task, as a folder with a `SKILL.md`. Its text is read only on use. */
export interface Skill {
  /** Same as the name of its folder. */
  name: string
  description: string
  path: string
  folder: string
  scope: SkillScope
  license?: string
  compatibility?: string
  metadata?: Record<string, string>
  /** While active, only these tools still run without asking. See `decideCall`. */
  allowedTools?: readonly string[]
  /** Only the user can load it. */
  personOnly?: true
}

export interface SkillProblem {
  path: string
  line?: number
  message: string
}

export type SkillHead = Omit<Skill, 'path' | 'folder' | 'scope'>

export interface AgentSkills {
  /** Loadable skills, as currently on disk. */
  list(): readonly Skill[]
  /** Tools allowed without asking by the skills in the user's message: one list of rules per skill that has one. */
  limits: readonly (readonly string[])[]
  /** The same for skills the model loaded in a run. See `loadedSkillLimits`. */
  loaded?: { runId: string; limits: readonly (readonly string[])[] }
}

/** The only writable file in plan mode: `plan.md` of the session, next to its output folder. */
export function planFileOf({ outputFolder }: Pick<AgentState, 'outputFolder'>): string {
  return path.join(path.dirname(outputFolder), 'plan.md')
}

export function planInstructions(planFile: string): string {
  return `You are in plan mode. Explore as much as you need, but do not change anything except the plan in ${planFile}; other writes are blocked. Use AskUserQuestion for choices the user has to make. When the plan is complete, call ExitPlanMode so the user can review it and decide. Do not ask for approval of the plan in any other way.`
}
