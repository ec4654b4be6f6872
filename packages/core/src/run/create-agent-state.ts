import path from 'node:path'
import { realPath } from '../files/resolve-path.ts'
import { openUndoFolder } from '../files/undo-folder.ts'
import { createProcessPool, type ProcessPool } from '../process/process-pool.ts'
import { createTasks } from '../process/tasks.ts'
import type { AgentState, Sandbox } from '../tool/agent-state.ts'
import type { UndoJournal } from '../tool/undo-journal.ts'

export interface AgentStateOptions {
  /** The folder that is worked in; must exist. */
  workspace: string
  /** Where over-long results are spilled; made when needed, always readable. */
  outputFolder: string
  /** Where previews are kept; made when needed. Default: `jsx` in the output folder. */
  jsxFolder?: string
  /** Where files are kept as they were before our tools changed them. Default: `.undo` in the output folder. */
  undoFolder?: string
  /** A journal that is open already, instead of a folder. */
  undo?: UndoJournal
  /** Folders that the person added to the workspace. */
  roots?: readonly string[]
  /** What may be read besides: folders of loaded skills. */
  readable?: readonly string[]
  /** What confines commands; see `findSandbox`. */
  sandbox?: Sandbox | undefined
  /** What it shares with others that start processes. Default: one for all. */
  pool?: ProcessPool
}

let shared: ProcessPool | undefined

/** The state of an agent that has done nothing yet. Real paths decide what is inside, so links are resolved here. */
export function createAgentState(options: AgentStateOptions): AgentState {
  const workspace = realPath(options.workspace).path
  const added = options.roots?.map((folder) => realPath(folder).path) ?? []
  const outputFolder = realPath(options.outputFolder).path
  const pool = options.pool ?? (shared ??= createProcessPool())
  const jsxFolder = realPath(options.jsxFolder ?? path.join(outputFolder, 'jsx')).path
  return {
    cwd: workspace,
    env: {},
    roots: [...new Set([workspace, ...added])],
    readable: [outputFolder, jsxFolder, ...(options.readable ?? []).map((folder) => realPath(folder).path)],
    reads: new Map(),
    shownNotes: new Set(),
    outputFolder,
    jsxFolder,
    tasks: createTasks(pool),
    pool,
    undo: options.undo ?? openUndoFolder(options.undoFolder ?? path.join(outputFolder, '.undo')),
    kept: new Map(),
    sandbox: options.sandbox,
  }
}

/** Ends what a state holds: background commands, interpreters, caches. */
export async function disposeAgentState(state: AgentState): Promise<void> {
  const kept = [...state.kept.values()]
  state.kept.clear()
  await Promise.all([state.tasks.dispose(), ...kept.map(async (one) => one.dispose())])
}
