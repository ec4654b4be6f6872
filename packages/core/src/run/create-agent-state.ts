import path from 'node:path'
import { realPath } from '../files/resolve-path.ts'
import { openUndoFolder } from '../files/undo-folder.ts'
import { createProcessPool, type ProcessPool } from '../process/process-pool.ts'
import { createTasks } from '../process/tasks.ts'
import type { AgentState } from '../tool/agent-state.ts'
import type { Isolation, Sandbox } from '../tool/isolation.ts'
import type { UndoJournal } from '../tool/undo-journal.ts'

export interface AgentStateOptions {
  /** Workspace folder. Must exist. */
  workspace: string
  /** Folder for oversized results. Created on demand, always readable. */
  outputFolder: string
  /** Folder for previews, created on demand. Default: `jsx` in the output folder. */
  jsxFolder?: string
  /** Folder for backups of files before our tools change them. Default: `.undo` in the output folder. */
  undoFolder?: string
  /** An open journal, used instead of `undoFolder`. */
  undo?: UndoJournal
  roots?: readonly string[]
  /** Additional readable folders, such as those of loaded skills. */
  readable?: readonly string[]
  /** Confines commands. See `findSandbox`. */
  sandbox?: Sandbox | undefined
  /** In team mode: the person whose agent it is. Replaces `sandbox`. */
  isolation?: Isolation | undefined
  /** Process pool shared with others that start processes. Default: one global pool. */
  pool?: ProcessPool
}

let shared: ProcessPool | undefined

/** Creates the state of a fresh agent. Resolves symlinks, because containment checks compare real paths. */
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
    resources: new Map(),
    sandbox: options.isolation?.sandbox ?? options.sandbox,
    isolation: options.isolation,
  }
}

/** Releases the resources of a state: background commands, interpreters, caches. */
export async function disposeAgentState(state: AgentState): Promise<void> {
  const kept = [...state.resources.values()]
  state.resources.clear()
  await Promise.all([state.tasks.dispose(), ...kept.map(async (one) => one.dispose())])
}
